/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bare VMs for tests that run no guest code: made in this process, or by a VMM
 * process that passes its fds on.
 *
 * A program that includes <linux/kvm.h> does so before this header.  Others need
 * not: the <linux/kvm.h> of the build machine may be one that brings its own
 * struct kvm_stats_header.
 */
#ifndef SELFTEST_KVM_STATS_VMM_H
#define SELFTEST_KVM_STATS_VMM_H

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "kvm_stats_run.h"

#ifndef KVM_CREATE_VM
#define KVM_CREATE_VM		_IO(0xAE, 0x01)
#define KVM_CHECK_EXTENSION	_IO(0xAE, 0x03)
#define KVM_CREATE_VCPU		_IO(0xAE, 0x41)
#define KVM_RUN			_IO(0xAE, 0x80)
#endif

#ifndef SYS_pidfd_open
#define SYS_pidfd_open		434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd		438
#endif

/* An id that is no index, so that a mix-up shows. */
#define STATS_VCPU_ID		3

enum {
	STATS_FD_VM,
	STATS_FD_VCPU,
	STATS_FD_VM_STATS,
	STATS_FD_VCPU_STATS,
	STATS_NUM_FDS,
};

struct stats_vmm {
	pid_t pid;
	int remote[STATS_NUM_FDS];	/* the fds' numbers in the VMM */
	int fds[STATS_NUM_FDS];		/* the same files in this process */
};

static inline void stats_close_fds(int fds[STATS_NUM_FDS])
{
	int i;

	for (i = 0; i < STATS_NUM_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

/* /dev/kvm is closed again: a VM must not need it. */
static inline const char *stats_bare_vm(int fds[STATS_NUM_FDS])
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	memset(fds, -1, STATS_NUM_FDS * sizeof(*fds));
	if (kvm < 0)
		return stats_fail("open of /dev/kvm: %s", strerror(errno));
	fds[STATS_FD_VM] = ioctl(kvm, KVM_CREATE_VM, 0);
	close(kvm);
	if (fds[STATS_FD_VM] < 0)
		return stats_fail("KVM_CREATE_VM: %s", strerror(errno));
	fds[STATS_FD_VCPU] = ioctl(fds[STATS_FD_VM], KVM_CREATE_VCPU,
				   STATS_VCPU_ID);
	if (fds[STATS_FD_VCPU] < 0)
		return stats_fail("KVM_CREATE_VCPU: %s", strerror(errno));
	fds[STATS_FD_VM_STATS] = ioctl(fds[STATS_FD_VM], KVM_STATS_GETFD, NULL);
	fds[STATS_FD_VCPU_STATS] = ioctl(fds[STATS_FD_VCPU], KVM_STATS_GETFD,
					 NULL);
	if (fds[STATS_FD_VM_STATS] < 0 || fds[STATS_FD_VCPU_STATS] < 0)
		return stats_fail("KVM_STATS_GETFD: %s", strerror(errno));
	return NULL;
}

union stats_fds_control {
	struct cmsghdr header;
	char room[CMSG_SPACE(STATS_NUM_FDS * sizeof(int))];
};

/* The message's data are the fds' numbers on the sender's side. */
static inline bool stats_send_fds(int socket, const int fds[STATS_NUM_FDS])
{
	size_t size = STATS_NUM_FDS * sizeof(*fds);
	union stats_fds_control control = {
		.header = {
			.cmsg_len = CMSG_LEN(size),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		},
	};
	struct iovec data = { .iov_base = (void *)fds, .iov_len = size };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.header), fds, size);
	return sendmsg(socket, &message, 0) == (ssize_t)size;
}

static inline bool stats_receive_fds(int socket, struct stats_vmm *vmm)
{
	union stats_fds_control control;
	struct iovec data = {
		.iov_base = vmm->remote,
		.iov_len = sizeof(vmm->remote),
	};
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != sizeof(vmm->remote) ||
	    message.msg_controllen < CMSG_LEN(sizeof(vmm->fds)))
		return false;
	memcpy(vmm->fds, CMSG_DATA(&control.header), sizeof(vmm->fds));
	return true;
}

static inline void stats_vmm_main(int socket)
{
	int fds[STATS_NUM_FDS];
	const char *message;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	message = stats_bare_vm(fds);
	if (message || !stats_send_fds(socket, fds)) {
		fprintf(stderr, "# VMM: %s\n", message ? message : strerror(errno));
		_exit(1);
	}
	for (;;)
		pause();
}

static inline const char *stats_vmm_start(struct stats_vmm *vmm)
{
	int sockets[2];
	bool received;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return stats_fail("socketpair: %s", strerror(errno));
	vmm->pid = fork();
	if (vmm->pid < 0)
		return stats_fail("fork: %s", strerror(errno));
	if (!vmm->pid) {
		close(sockets[0]);
		stats_vmm_main(sockets[1]);
	}
	close(sockets[1]);
	received = stats_receive_fds(sockets[0], vmm);
	close(sockets[0]);
	return received ? NULL : stats_fail("the VMM process passed no fds on");
}

static inline void stats_vmm_kill(struct stats_vmm *vmm)
{
	kill(vmm->pid, SIGKILL);
	waitpid(vmm->pid, NULL, 0);
}

/* As an agent takes a VMM's fd that it knows the number of. */
static inline const char *stats_vmm_take(const struct stats_vmm *vmm, int which,
					 int *fd)
{
	int pidfd = syscall(SYS_pidfd_open, vmm->pid, 0);

	*fd = -1;
	if (pidfd < 0)
		return stats_fail("pidfd_open: %s", strerror(errno));
	*fd = syscall(SYS_pidfd_getfd, pidfd, vmm->remote[which], 0);
	close(pidfd);
	return *fd >= 0 ? NULL : stats_fail("pidfd_getfd: %s", strerror(errno));
}

#endif /* SELFTEST_KVM_STATS_VMM_H */
