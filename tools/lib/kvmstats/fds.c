// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * KVM's fds: finds those of a process by the names that the kernel gives them in /proc/PID/fd,
 * opens statistics with them and with /dev/kvm, and passes fds over sockets.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* qsort_r() */
#endif
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/kcmp.h>
#include <linux/kvm.h>

#include "internal.h"

/* The numbers are the same on all architectures except alpha. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open	434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd	438
#endif

#define VCPU_PREFIX		"anon_inode:kvm-vcpu:"
#define VCPU_STATS_PREFIX	"anon_inode:kvm-vcpu-stats:"

/* ---- the fds of a process ---- */

static int parse_number(const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < 0 || n > INT_MAX)
		return -1;
	return (int)n;
}

static bool parse_vcpu(const char *link, const char *prefix, struct kvmstats_fd *entry)
{
	size_t len = strlen(prefix);

	if (strncmp(link, prefix, len))
		return false;
	entry->kind = KVMSTATS_KIND_VCPU;
	entry->vcpu = parse_number(link + len);
	return entry->vcpu >= 0;
}

/*
 * Parses the target of a link such as "anon_inode:kvm-vcpu:0". Returns false if it is not that of a
 * KVM fd. Does not set @entry->fd.
 */
static bool parse_link(const char *link, struct kvmstats_fd *entry)
{
	entry->kind = KVMSTATS_KIND_VM;
	entry->vcpu = -1;
	entry->stats = !strcmp(link, "anon_inode:kvm-vm-stats");
	if (entry->stats || !strcmp(link, "anon_inode:kvm-vm"))
		return true;
	entry->stats = !strncmp(link, VCPU_STATS_PREFIX, strlen(VCPU_STATS_PREFIX));
	return parse_vcpu(link, entry->stats ? VCPU_STATS_PREFIX : VCPU_PREFIX, entry);
}

/* Identifies the link @name in @dirfd. Returns 1 for a KVM fd, 0 for another one, or -errno. */
static int identify(int dirfd, const char *name, struct kvmstats_fd *entry)
{
	char link[64];
	ssize_t n = readlinkat(dirfd, name, link, sizeof(link));

	if (n < 0)
		return -errno;
	if ((size_t)n == sizeof(link))
		return 0;
	link[n] = '\0';
	return parse_link(link, entry);
}

/* PF_KTHREAD, bit 21 of the flags in /proc/PID/stat: the name can contain any character but 0. */
static bool is_kernel_thread(pid_t pid)
{
	unsigned int flags = 0;
	const char *end;
	size_t size;
	char *stat;

	if (kvmstats_read_proc(pid, "stat", 512, &stat, &size))
		return false;
	end = strrchr(stat, ')');
	if (end)
		sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags);
	free(stat);
	return flags & 0x00200000;
}

static int append(struct kvmstats_fds *fds, const struct kvmstats_fd *entry)
{
	struct kvmstats_fd *more = array_grow(fds->fd, fds->count, &fds->capacity, sizeof(*more));

	if (!more)
		return -ENOMEM;
	fds->fd = more;
	fds->fd[fds->count++] = *entry;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct kvmstats_fd *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->vcpu != y->vcpu)
		return x->vcpu < y->vcpu ? -1 : 1;
	if (x->stats != y->stats)
		return x->stats ? 1 : -1;
	return (x->fd > y->fd) - (x->fd < y->fd);
}

static int read_dir(struct kvmstats_fds *fds, DIR *dir)
{
	for (;;) {
		struct kvmstats_fd entry;
		struct dirent *dirent;
		int ret;

		errno = 0;
		dirent = readdir(dir);
		if (!dirent)
			return -errno;
		entry.fd = parse_number(dirent->d_name);
		if (entry.fd < 0)
			continue;
		ret = identify(dirfd(dir), dirent->d_name, &entry);
		if (ret > 0)
			ret = append(fds, &entry);
		/*
		 * The fd can have been closed. Permission to list the directory does not include
		 * permission to read the links in it.
		 */
		if (ret && ret != -ENOENT)
			return ret;
	}
}

int kvmstats_fds_scan(struct kvmstats_fds *fds, pid_t pid)
{
	char path[32];
	DIR *dir;
	int err;

	fds->count = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	err = dir ? read_dir(fds, dir) : -errno;
	if (dir)
		closedir(dir);
	/* Only root may list the fds of a kernel thread, but there are no fds. */
	if (err == -EACCES && is_kernel_thread(pid))
		return 0;
	if (err)
		return err == -ENOENT ? -ESRCH : err;
	if (fds->count)
		qsort(fds->fd, fds->count, sizeof(*fds->fd), compare);
	return 0;
}

int kvmstats_fds_copy(struct kvmstats_fds *to, const struct kvmstats_fds *from)
{
	size_t i;
	int err = 0;

	to->count = 0;
	for (i = 0; !err && i < from->count; i++)
		err = append(to, &from->fd[i]);
	if (err)
		kvmstats_fds_free(to);
	return err;
}

static bool has_same_name(const struct kvmstats_fd *a, const struct kvmstats_fd *b)
{
	return a->kind == b->kind && a->vcpu == b->vcpu && a->stats == b->stats;
}

/* kcmp() defines an order of open files, which is arbitrary but consistent. */
struct comparison {
	pid_t pid;
	bool failed;
};

static int compare_files(const void *a, const void *b, void *arg)
{
	const struct kvmstats_fd *x = a, *y = b;
	struct comparison *comparison = arg;
	long order = syscall(SYS_kcmp, comparison->pid, comparison->pid, KCMP_FILE, x->fd, y->fd);

	/* An fd that has been closed differs from all others. */
	if (order < 0 && errno != EBADF)
		comparison->failed = true;
	if (order > 0)
		return order == 1 ? -1 : 1;
	return order ? (x->fd > y->fd) - (x->fd < y->fd) : 0;
}

/* Removes duplicates from @count fds that have the same name. Returns how many remain. */
static size_t remove_duplicates(struct kvmstats_fd *fd, size_t count, struct comparison *comparison)
{
	size_t kept = 0;
	size_t i;

	qsort_r(fd, count, sizeof(*fd), compare_files, comparison);
	for (i = 0; i < count && !comparison->failed; i++) {
		if (!kept || compare_files(&fd[kept - 1], &fd[i], comparison))
			fd[kept++] = fd[i];
		else if (fd[i].fd < fd[kept - 1].fd)
			fd[kept - 1] = fd[i];
	}
	if (comparison->failed)
		kept = count;
	qsort(fd, kept, sizeof(*fd), compare);
	return kept;
}

bool kvmstats_fds_distinct(struct kvmstats_fds *fds, pid_t pid)
{
	struct comparison comparison = { .pid = pid };
	size_t kept = 0;
	size_t i, end, n;

	for (i = 0; i < fds->count; i = end) {
		for (end = i + 1; end < fds->count && has_same_name(&fds->fd[end], &fds->fd[i]);)
			end++;
		n = end - i > 1 ? remove_duplicates(&fds->fd[i], end - i, &comparison) : 1;
		memmove(&fds->fd[kept], &fds->fd[i], n * sizeof(*fds->fd));
		kept += n;
	}
	fds->count = kept;
	return !comparison.failed;
}

bool kvmstats_fds_equal(const struct kvmstats_fds *a, const struct kvmstats_fds *b)
{
	size_t i;

	if (a->count != b->count)
		return false;
	for (i = 0; i < a->count; i++) {
		if (!has_same_name(&a->fd[i], &b->fd[i]) || a->fd[i].fd != b->fd[i].fd)
			return false;
	}
	return true;
}

const struct kvmstats_fd *kvmstats_fds_first(const struct kvmstats_fds *fds)
{
	size_t i;

	for (i = 0; i < fds->count; i++) {
		if (!fds->fd[i].stats)
			return &fds->fd[i];
	}
	return NULL;
}

bool kvmstats_fds_share(const struct kvmstats_fds *fds, pid_t pid,
			const struct kvmstats_fds *others, pid_t other)
{
	const struct kvmstats_fd *first = kvmstats_fds_first(fds);
	size_t i;

	for (i = 0; first && i < others->count; i++) {
		if (has_same_name(first, &others->fd[i]) &&
		    !syscall(SYS_kcmp, pid, other, KCMP_FILE, first->fd, others->fd[i].fd))
			return true;
	}
	return false;
}

void kvmstats_fds_free(struct kvmstats_fds *fds)
{
	free(fds->fd);
	*fds = (struct kvmstats_fds){ 0 };
}

/* ---- /dev/kvm, and the files of all VMs ---- */

/* Sets @capabilities to 0 if it fails. */
static int open_kvm(int *capabilities)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int ret;

	*capabilities = 0;
	if (kvm < 0)
		return -errno;
	ret = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);
	if (ret > 0)
		*capabilities = ret;
	return kvm;
}

int kvmstats_capabilities(void)
{
	int capabilities;
	int kvm = open_kvm(&capabilities);

	if (kvm < 0)
		return kvm;
	close(kvm);
	return capabilities;
}

int kvmstats_open_kvm(void)
{
	int capabilities;
	int kvm = open_kvm(&capabilities);

	if (kvm < 0 || capabilities & KVM_STATS_CAP_NEXT)
		return kvm;
	close(kvm);
	return -EOPNOTSUPP;
}

int kvmstats_next_open(int kvm, uint64_t *vm)
{
	struct kvm_stats_next next = { .vm = *vm };

	if (ioctl(kvm, KVM_STATS_NEXT, &next))
		return errno == EINVAL || errno == ENOTTY ? -EOPNOTSUPP : -errno;
	*vm = next.vm;
	return next.fd;
}

/* ---- statistics of the VM or vCPU that an fd belongs to ---- */

/*
 * EIO has two meanings. A kernel without binary statistics returns it for every ioctl of a
 * process other than the VMM. A kernel with binary statistics returns it if it opens them for
 * the VMM only. The capability distinguishes the two.
 */
static int open_error(int err)
{
	if (err == ENOTTY || err == EINVAL)
		return -EOPNOTSUPP;
	if (err == EIO && kvmstats_capabilities() == 0)
		return -EOPNOTSUPP;
	return -err;
}

static int open_stats(int kvm_fd)
{
	int fd = ioctl(kvm_fd, KVM_STATS_GETFD, NULL);

	if (fd < 0)
		return open_error(errno);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

static int open_all(int vm_fd)
{
	struct kvm_stats_open open = { 0 };
	int fd = ioctl(vm_fd, KVM_STATS_OPEN, &open);

	/* A process other than the VMM gets EIO from mainline, whatever the ioctl is. */
	if (fd < 0 && (errno == EIO || errno == EINVAL))
		return -EOPNOTSUPP;
	return fd < 0 ? open_error(errno) : fd;
}

/* ---- fds of other processes ---- */

int kvmstats_pidfd_open(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0)
		return fd;
	/* For the ID of a thread Linux 6.15 and earlier return EINVAL, later ones ENOENT. */
	return errno == ENOENT ? -EINVAL : -errno;
}

bool kvmstats_pidfd_alive(int pidfd)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) != 1;
}

static int identify_own(int fd, struct kvmstats_fd *entry)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	entry->fd = fd;
	return identify(AT_FDCWD, path, entry);
}

/* Duplicates an fd into this process. The process can have replaced it since it was listed. */
static int duplicate(int pidfd, const struct kvmstats_fd *entry)
{
	int fd = syscall(SYS_pidfd_getfd, pidfd, entry->fd, 0);
	struct kvmstats_fd found;

	if (fd < 0) {
		int err = errno;

		if (err != ESRCH && err != EBADF)
			return -err;
		return kvmstats_pidfd_alive(pidfd) ? -ESTALE : -ESRCH;
	}
	if (identify_own(fd, &found) == 1 && has_same_name(&found, entry))
		return fd;
	close(fd);
	return -ESTALE;
}

int kvmstats_dup_and_open(int pidfd, const struct kvmstats_fd *entry)
{
	int copy = duplicate(pidfd, entry);
	int fd;

	if (copy < 0 || entry->stats)
		return copy;
	fd = open_stats(copy);
	close(copy);
	return fd;
}

int kvmstats_dup_and_open_all(int pidfd, const struct kvmstats_fd *entry)
{
	int vm_fd = duplicate(pidfd, entry);
	int fd;

	if (vm_fd < 0)
		return vm_fd;
	fd = open_all(vm_fd);
	close(vm_fd);
	return fd;
}

/* ---- fds of this process: its own, inherited ones, and those received over a socket ---- */

static int describe(int fd, struct kvmstats_fd *entry)
{
	int ret;

	/* gcc -O3 does not see that identify_own() fills it in if it returns 1. */
	memset(entry, 0, sizeof(*entry));
	ret = identify_own(fd, entry);
	if (ret == -ENOENT && fcntl(fd, F_GETFD) < 0)
		return -EBADF;
	if (ret < 0)
		return ret;
	return ret ? 0 : -EPROTO;
}

int kvmstats_fd_describe(int fd, enum kvmstats_kind *kind, int *vcpu, int *stats)
{
	struct kvmstats_fd entry;
	int err = describe(fd, &entry);

	if (err)
		return err;
	if (kind)
		*kind = entry.kind;
	if (vcpu)
		*vcpu = entry.vcpu;
	if (stats)
		*stats = entry.stats;
	return 0;
}

int kvmstats_fd_open(int fd)
{
	struct kvmstats_fd entry;
	int err = describe(fd, &entry);
	int copy;

	if (err)
		return err;
	if (!entry.stats)
		return open_stats(fd);
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return copy < 0 ? -errno : copy;
}

/* Control data of one message. KVMSTATS_MAX_FDS is the kernel's limit, SCM_MAX_FD. */
union control {
	struct cmsghdr header;
	char buf[CMSG_SPACE(KVMSTATS_MAX_FDS * sizeof(int))];
};

int kvmstats_fd_send(int socket, const int *fd, size_t count)
{
	union control control = { 0 };
	char byte = 'K';
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(count * sizeof(*fd)),
	};
	struct cmsghdr *header;

	if (!count || count > KVMSTATS_MAX_FDS)
		return -EINVAL;
	header = CMSG_FIRSTHDR(&msg);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(count * sizeof(*fd));
	memcpy(CMSG_DATA(header), fd, count * sizeof(*fd));
	return sendmsg(socket, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Adds the fds of @header to @fd. Closes those that do not fit, and returns -EOVERFLOW then. */
static int add_fds(const struct cmsghdr *header, int *fd, size_t max, size_t *count)
{
	size_t sent = (header->cmsg_len - CMSG_LEN(0)) / sizeof(*fd);
	int err = 0;
	size_t i;

	for (i = 0; i < sent; i++) {
		int received;

		memcpy(&received, CMSG_DATA(header) + i * sizeof(received), sizeof(received));
		if (*count < max) {
			fd[(*count)++] = received;
		} else {
			close(received);
			err = -EOVERFLOW;
		}
	}
	return err;
}

int kvmstats_fd_receive(int socket, int *fd, size_t max)
{
	union control control;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	size_t count = 0;
	ssize_t n;
	int err = 0;

	do {
		n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	for (header = CMSG_FIRSTHDR(&msg); header; header = CMSG_NXTHDR(&msg, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		if (add_fds(header, fd, max, &count))
			err = -EOVERFLOW;
	}
	if (msg.msg_flags & MSG_CTRUNC)
		err = -EOVERFLOW;
	while (err && count)
		close(fd[--count]);
	return err ? err : (int)count;
}
