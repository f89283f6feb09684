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

void stats_limit_fds(bool limited)
{
	rlim_t lowest = dup(0);
	struct rlimit limit;

	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limited ? lowest : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

const char *stats_emfile(struct stats_target *target)
{
	int fd, lowest = dup(target->fd);
	const char *message;

	close(lowest);
	stats_limit_fds(true);
	message = stats_refused("KVM_STATS_GETFD without a free fd",
				ioctl(target->getfd_fd, KVM_STATS_GETFD, NULL),
				EMFILE);
	stats_limit_fds(false);
	if (!message)
		message = stats_getfd(target->getfd_fd, &fd);
	return message || fd == lowest ? message :
	       stats_fail("the fd after EMFILE is %d, expected %d", fd, lowest);
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

const char *stats_check_fdinfo(const struct stats_target *target,
			       const char *kind, size_t size)
{
	char path[64], id[STATS_NAME_SIZE], expected[256], info[1024] = "";
	const char *found;
	int len, fd;

	stats_target_id(target, getpid(), id);
	len = snprintf(expected, sizeof(expected),
		       "\nkvm-stats-target:\t%s\nkvm-stats-id:\t%s\n", kind, id);
	if (size)
		snprintf(expected + len, sizeof(expected) - len,
			 "kvm-stats-size:\t%zu\n", size);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", target->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, info, sizeof(info) - 1) < 0)
		return stats_fail("cannot read %s: %s", path, strerror(errno));
	close(fd);
	found = strstr(info, "\nkvm-stats-");
	return found && !strcmp(found, expected) ? NULL :
	       stats_fail("fdinfo has other lines than target %s, id %s, size %zu",
			  kind, id, size);
}

const char *stats_fdinfo(struct stats_target *target)
{
	return stats_check_fdinfo(target, target->vcpu_id < 0 ? "vm" : "vcpu",
				  target->file.size);
}
