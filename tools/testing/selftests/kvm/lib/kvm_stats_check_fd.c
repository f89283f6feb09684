// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fd itself: what it refuses, its flags, its name and its fdinfo.
 */
#define _GNU_SOURCE
#include "kvm_stats_check_fd.h"

const char *stats_write_refused(struct stats_target *target)
{
	uint8_t byte = 0;
	const struct iovec one = { .iov_base = &byte, .iov_len = 1 };
	const char *message;

	message = stats_refused("write()", write(target->fd, &byte, 1), EBADF);
	if (!message && pwrite(target->fd, &byte, 1, 0) >= 0)
		message = stats_fail("pwrite() succeeded, expected an error");
	if (!message)
		message = stats_refused("writev()", writev(target->fd, &one, 1),
					EBADF);
	if (!message)
		message = stats_refused("ftruncate()", ftruncate(target->fd, 0),
					EINVAL);
	return message;
}

const char *stats_mmap_refused(struct stats_target *target)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page, PROT_READ, MAP_SHARED, target->fd, 0);
	const char *message;

	message = stats_refused("shared mmap()", map == MAP_FAILED ? -1 : 0,
				ENODEV);
	if (message)
		return message;
	map = mmap(NULL, page, PROT_READ, MAP_PRIVATE, target->fd, 0);
	return stats_refused("private mmap()", map == MAP_FAILED ? -1 : 0,
			     ENODEV);
}

const char *stats_ioctl_refused(struct stats_target *target)
{
	const unsigned long requests[] = {
		KVM_STATS_GETFD, KVM_RUN, KVM_CREATE_VCPU, KVM_CHECK_EXTENSION,
		_IO(0xAE, 0xff), 0, 0xffffffff,
	};
	const char *message;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		message = stats_refused("an ioctl() on the statistics fd",
					ioctl(target->fd, requests[i], 0), ENOTTY);
		if (message)
			return message;
	}
	return NULL;
}

/* KVM_STATS_GETFD has no argument, so KVM must ignore what is passed. */
const char *stats_argument_ignored(struct stats_target *target)
{
	const unsigned long arguments[] = { 0, 1, 0xdeadbeef, -1UL };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(arguments); i++) {
		int fd = ioctl(target->getfd_fd, KVM_STATS_GETFD, arguments[i]);

		if (fd < 0)
			return stats_fail("KVM_STATS_GETFD with the argument %#lx failed: %s",
					  arguments[i], strerror(errno));
		close(fd);
	}
	return NULL;
}

/* Opens the statistics while the limit of open files is @limit. */
static const char *refused_at_limit(struct stats_target *target, int limit)
{
	struct rlimit old, low;
	const char *message;

	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = limit;
	if (setrlimit(RLIMIT_NOFILE, &low))
		return stats_fail("cannot lower RLIMIT_NOFILE: %s",
				  strerror(errno));
	message = stats_refused("KVM_STATS_GETFD without a free fd",
				ioctl(target->getfd_fd, KVM_STATS_GETFD, NULL),
				EMFILE);
	setrlimit(RLIMIT_NOFILE, &old);
	return message;
}

const char *stats_emfile(struct stats_target *target)
{
	int lowest = dup(target->fd);
	const char *message;
	int fd;

	if (lowest < 0)
		return stats_fail("dup() failed: %s", strerror(errno));
	close(lowest);
	message = refused_at_limit(target, lowest);
	if (!message)
		message = stats_getfd(target->getfd_fd, &fd);
	if (message)
		return message;
	if (fd != lowest)
		return stats_fail("the fd after EMFILE is %d, expected %d", fd,
				  lowest);
	close(fd);
	return NULL;
}

const char *stats_cloexec(struct stats_target *target)
{
	int flags = fcntl(target->fd, F_GETFD);

	return flags >= 0 && flags & FD_CLOEXEC ? NULL :
	       stats_fail("F_GETFD returned %#x, expected FD_CLOEXEC", flags);
}

const char *stats_read_only(struct stats_target *target)
{
	int flags = fcntl(target->fd, F_GETFL);

	return (flags & O_ACCMODE) == O_RDONLY ? NULL :
	       stats_fail("F_GETFL returned %#x, expected O_RDONLY", flags);
}

/* Monitoring agents find the fds by these names. */
const char *stats_link_name(struct stats_target *target)
{
	char expected[64] = "anon_inode:kvm-vm-stats";
	char path[64], name[64] = "";

	if (target->vcpu_id >= 0)
		snprintf(expected, sizeof(expected),
			 "anon_inode:kvm-vcpu-stats:%d", target->vcpu_id);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", target->fd);
	if (readlink(path, name, sizeof(name) - 1) < 0)
		return stats_fail("readlink() of %s failed: %s", path,
				  strerror(errno));
	return !strcmp(name, expected) ? NULL :
	       stats_fail("the name of the fd is '%s', expected '%s'", name,
			  expected);
}

const char *stats_read_fdinfo(int stats_fd, char info[STATS_FDINFO_SIZE])
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", stats_fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return stats_fail("cannot open %s: %s", path, strerror(errno));
	got = read(fd, info, STATS_FDINFO_SIZE - 1);
	close(fd);
	if (got < 0)
		return stats_fail("cannot read %s: %s", path, strerror(errno));
	info[got] = '\0';
	return NULL;
}

const char *stats_fdinfo_has(const char *info, const char *key,
			     const char *value)
{
	char line[128];

	snprintf(line, sizeof(line), "\n%s:\t%s\n", key, value);
	return strstr(info, line) ? NULL :
	       stats_fail("fdinfo has no line '%s:\t%s'", key, value);
}

const char *stats_fdinfo(struct stats_target *target)
{
	char id[STATS_NAME_SIZE], size[24], info[STATS_FDINFO_SIZE];
	const char *message;

	message = stats_read_fdinfo(target->fd, info);
	if (message)
		return message;
	stats_target_id(target, getpid(), id);
	snprintf(size, sizeof(size), "%zu", target->file.size);
	message = stats_fdinfo_has(info, "kvm-stats-id", id);
	if (!message)
		message = stats_fdinfo_has(info, "kvm-stats-target",
					   target->vcpu_id < 0 ? "vm" : "vcpu");
	if (!message)
		message = stats_fdinfo_has(info, "kvm-stats-size", size);
	return message;
}
