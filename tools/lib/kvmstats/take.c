// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Getting at fds of another process, and at statistics through them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/kvm_stats.h>

#include "internal.h"

/* The same numbers on every architecture (but alpha). */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open	434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd	438
#endif

/* <linux/kvm.h> may bring another kvm_stats.h than ours. */
#define CHECK_EXTENSION	_IO(0xAE, 0x03)

int kvmstats_pidfd_open(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0)
		return fd;
	/* A thread is EINVAL up to v6.15 and ENOENT from then on. */
	return errno == ENOENT ? -EINVAL : -errno;
}

int kvmstats_pidfd_alive(int pidfd)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) != 1;
}

static bool still_is(int fd, const struct kvmstats_fd *entry)
{
	char path[32], link[64], expected[64];
	ssize_t n;

	if (entry->kind == KVMSTATS_VM)
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

int kvmstats_take(int pidfd, const struct kvmstats_fd *entry)
{
	int fd = syscall(SYS_pidfd_getfd, pidfd, entry->fd, 0);

	if (fd < 0) {
		int err = errno;

		if (err != ESRCH && err != EBADF)
			return -err;
		return kvmstats_pidfd_alive(pidfd) ? -ESTALE : -ESRCH;
	}
	if (!still_is(fd, entry)) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

int kvmstats_supported(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int ret;

	if (kvm < 0)
		return -errno;
	ret = ioctl(kvm, CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);
	if (ret < 0)
		ret = -errno;
	close(kvm);
	return ret > 0 ? 1 : ret;
}

/*
 * A kernel that does not know the ioctl says EIO too, because this is not the
 * VMM: only the capability tells these two apart.
 */
static int refusal(int err)
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
		return refusal(errno);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

int kvmstats_take_and_open(int pidfd, const struct kvmstats_fd *entry)
{
	int kvm_fd = kvmstats_take(pidfd, entry);
	int fd;

	if (kvm_fd < 0)
		return kvm_fd;
	fd = kvmstats_open_stats(kvm_fd);
	close(kvm_fd);
	return fd;
}
