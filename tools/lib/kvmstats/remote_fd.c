// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Opens statistics: with /dev/kvm, and with fds that it duplicates from another process. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/kvm.h>
#include <linux/kvm_stats.h>

#include "internal.h"
#include "vm_file.h"

/* The numbers are the same on all architectures except alpha. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open	434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd	438
#endif

int kvmstats_pidfd_open(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0)
		return fd;
	/* For the ID of a thread Linux 6.15 and earlier return EINVAL, later ones ENOENT. */
	return errno == ENOENT ? -EINVAL : -errno;
}

int kvmstats_pidfd_alive(int pidfd)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) != 1;
}

static bool is_named_like(int fd, const struct kvmstats_fd *entry)
{
	char path[32], link[64], expected[64];
	ssize_t n;

	if (entry->kind == KVMSTATS_KIND_VM)
		snprintf(expected, sizeof(expected), "anon_inode:kvm-vm%s",
			 entry->stats ? "-stats" : "");
	else
		snprintf(expected, sizeof(expected), "anon_inode:kvm-vcpu%s:%d",
			 entry->stats ? "-stats" : "", entry->vcpu);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return false;
	link[n] = '\0';
	return !strcmp(link, expected);
}

int kvmstats_dup_fd(int pidfd, const struct kvmstats_fd *entry)
{
	int fd = syscall(SYS_pidfd_getfd, pidfd, entry->fd, 0);

	if (fd < 0) {
		int err = errno;

		if (err != ESRCH && err != EBADF)
			return -err;
		return kvmstats_pidfd_alive(pidfd) ? -ESTALE : -ESRCH;
	}
	if (!is_named_like(fd, entry)) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

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

int kvmstats_supported(void)
{
	int ret = kvmstats_capabilities();

	return ret > 0 ? 1 : ret;
}

/* ---- the files of all VMs ---- */

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

/* ---- the files of one VMM ---- */

/*
 * EIO has two meanings. A kernel without binary statistics returns it for every ioctl of a
 * process other than the VMM. A kernel with binary statistics returns it if it opens them for
 * the VMM only. The capability distinguishes the two.
 */
static int open_error(int err)
{
	if (err == ENOTTY || err == EINVAL)
		return -EOPNOTSUPP;
	if (err == EIO && kvmstats_supported() == 0)
		return -EOPNOTSUPP;
	return -err;
}

int kvmstats_open_stats(int kvm_fd)
{
	int fd = ioctl(kvm_fd, KVM_STATS_GETFD, NULL);

	if (fd < 0)
		return open_error(errno);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

int kvmstats_fd_open_all(int vm_fd)
{
	struct kvm_stats_open open = { 0 };
	int fd = ioctl(vm_fd, KVM_STATS_OPEN, &open);

	/* A process other than the VMM gets EIO from mainline, whatever the ioctl is. */
	if (fd < 0 && (errno == EIO || errno == EINVAL))
		return -EOPNOTSUPP;
	return fd < 0 ? open_error(errno) : fd;
}

int kvmstats_dup_and_open_all(int pidfd, const struct kvmstats_fd *entry)
{
	int vm_fd = kvmstats_dup_fd(pidfd, entry);
	int fd;

	if (vm_fd < 0)
		return vm_fd;
	fd = kvmstats_fd_open_all(vm_fd);
	close(vm_fd);
	return fd;
}

int kvmstats_dup_and_open(int pidfd, const struct kvmstats_fd *entry)
{
	int kvm_fd = kvmstats_dup_fd(pidfd, entry);
	int fd;

	if (kvm_fd < 0)
		return kvm_fd;
	fd = kvmstats_open_stats(kvm_fd);
	close(kvm_fd);
	return fd;
}
