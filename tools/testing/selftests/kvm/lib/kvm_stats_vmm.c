// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "kvm_stats_vmm.h"
#include "kvm_stats_file.h"

union fds_control {
	struct cmsghdr header;
	char space[CMSG_SPACE(STATS_NUM_FDS * sizeof(int))];
};

void stats_close_fds(int fds[STATS_NUM_FDS])
{
	int i;

	for (i = 0; i < STATS_NUM_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static const char *create_vm(int fds[STATS_NUM_FDS])
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	if (kvm < 0)
		return stats_fail("cannot open /dev/kvm: %s", strerror(errno));
	fds[STATS_FD_VM] = ioctl(kvm, KVM_CREATE_VM, 0);
	close(kvm);
	if (fds[STATS_FD_VM] < 0)
		return stats_fail("KVM_CREATE_VM failed: %s", strerror(errno));
	fds[STATS_FD_VCPU] = ioctl(fds[STATS_FD_VM], KVM_CREATE_VCPU,
				   STATS_VCPU_ID);
	if (fds[STATS_FD_VCPU] < 0)
		return stats_fail("KVM_CREATE_VCPU failed: %s", strerror(errno));
	return NULL;
}

const char *stats_bare_vm(int fds[STATS_NUM_FDS])
{
	const char *message;

	memset(fds, -1, STATS_NUM_FDS * sizeof(*fds));
	message = create_vm(fds);
	if (message)
		return message;
	fds[STATS_FD_VM_STATS] = ioctl(fds[STATS_FD_VM], KVM_STATS_GETFD, NULL);
	fds[STATS_FD_VCPU_STATS] = ioctl(fds[STATS_FD_VCPU], KVM_STATS_GETFD,
					 NULL);
	if (fds[STATS_FD_VM_STATS] < 0 || fds[STATS_FD_VCPU_STATS] < 0)
		return stats_fail("KVM_STATS_GETFD failed: %s", strerror(errno));
	return NULL;
}

/* The data of the message is the numbers of the fds in the sender. */
bool stats_send_fds(int socket, const int fds[STATS_NUM_FDS])
{
	size_t size = STATS_NUM_FDS * sizeof(*fds);
	union fds_control control = {
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

bool stats_receive_fds(int socket, struct stats_vmm *vmm)
{
	union fds_control control;
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

static void vmm_main(int socket)
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

const char *stats_vmm_start(struct stats_vmm *vmm)
{
	int sockets[2];
	bool received;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return stats_fail("socketpair() failed: %s", strerror(errno));
	vmm->pid = fork();
	if (vmm->pid < 0)
		return stats_fail("fork() failed: %s", strerror(errno));
	if (!vmm->pid) {
		close(sockets[0]);
		vmm_main(sockets[1]);
	}
	close(sockets[1]);
	received = stats_receive_fds(sockets[0], vmm);
	close(sockets[0]);
	return received ? NULL : stats_fail("the VMM process sent no fds");
}

void stats_vmm_kill(struct stats_vmm *vmm)
{
	kill(vmm->pid, SIGKILL);
	waitpid(vmm->pid, NULL, 0);
}

const char *stats_vmm_take(const struct stats_vmm *vmm, int which, int *fd)
{
	int pidfd = syscall(SYS_pidfd_open, vmm->pid, 0);

	*fd = -1;
	if (pidfd < 0)
		return stats_fail("pidfd_open() failed: %s", strerror(errno));
	*fd = syscall(SYS_pidfd_getfd, pidfd, vmm->remote[which], 0);
	close(pidfd);
	return *fd >= 0 ? NULL :
	       stats_fail("pidfd_getfd() failed: %s", strerror(errno));
}

int stats_target_kind(const struct stats_target *target, int vm, int vcpu)
{
	return target->vcpu_id < 0 ? vm : vcpu;
}

void stats_target_id(const struct stats_target *target, pid_t vmm,
		     char id[STATS_NAME_SIZE])
{
	if (target->vcpu_id < 0)
		snprintf(id, STATS_NAME_SIZE, "kvm-%d", vmm);
	else
		snprintf(id, STATS_NAME_SIZE, "kvm-%d/vcpu-%d", vmm,
			 target->vcpu_id);
}

/*
 * Are all differences part of values that have changed since the file was
 * loaded?  The memory management of the host may flush TLBs although no guest
 * runs.
 */
static bool only_values_changed(const struct stats_target *target,
				const uint8_t *buf, size_t len, size_t offset)
{
	const struct stats_file *file = &target->file;
	struct stats_file now;
	bool changed = true;
	size_t i, at;

	if (stats_file_load(&now, target->fd) || now.size != file->size)
		return false;
	for (i = 0; i < len && changed; i++) {
		if (buf[i] == file->bytes[offset + i])
			continue;
		at = offset + i - (offset + i) % sizeof(uint64_t);
		changed = at >= file->header.data_offset &&
			  memcmp(file->bytes + at, now.bytes + at,
				 sizeof(uint64_t));
	}
	stats_file_free(&now);
	return changed;
}

const char *stats_same(const struct stats_target *target, const void *buf,
		       ssize_t got, size_t offset, size_t expected)
{
	if (got < 0)
		return stats_fail("a read at %zu failed: %s, expected %zu bytes",
				  offset, strerror(errno), expected);
	if ((size_t)got != expected)
		return stats_fail("a read at %zu returned %zd bytes, expected %zu",
				  offset, got, expected);
	if (memcmp(buf, target->file.bytes + offset, got) &&
	    !only_values_changed(target, buf, got, offset))
		return stats_fail("a read of %zd bytes at %zu differs from the whole file",
				  got, offset);
	return NULL;
}

const char *stats_refused(const char *what, long result, int expected)
{
	if (result >= 0)
		return stats_fail("%s succeeded, expected the error: %s", what,
				  strerror(expected));
	if (errno != expected)
		return stats_fail("%s failed: %s, expected the error: %s", what,
				  strerror(errno), strerror(expected));
	return NULL;
}

const char *stats_getfd(int getfd_fd, int *fd)
{
	*fd = ioctl(getfd_fd, KVM_STATS_GETFD, NULL);
	return *fd >= 0 ? NULL :
	       stats_fail("KVM_STATS_GETFD failed: %s", strerror(errno));
}

const char *stats_still_reads(struct stats_target *target, int fd, pid_t vmm)
{
	struct stats_file file;
	const char *message;
	char id[STATS_NAME_SIZE];

	message = stats_file_load(&file, fd);
	if (!message)
		message = stats_check_header(&file);
	stats_target_id(target, vmm, id);
	if (!message)
		message = stats_check_id(&file, id);
	if (!message && file.size != target->file.size)
		message = stats_fail("the file has %zu bytes, expected %zu",
				     file.size, target->file.size);
	stats_file_free(&file);
	return message;
}
