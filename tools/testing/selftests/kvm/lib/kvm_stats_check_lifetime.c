// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes can open and read the statistics, and for how long.
 */
#define _GNU_SOURCE
#include "kvm_stats_check_fd.h"

static int stats_fd_of(const struct stats_target *target)
{
	return stats_target_kind(target, STATS_FD_VM_STATS, STATS_FD_VCPU_STATS);
}

static int getfd_fd_of(const struct stats_target *target)
{
	return stats_target_kind(target, STATS_FD_VM, STATS_FD_VCPU);
}

/*
 * Creates new VMs.  They would reuse the memory of a VM that was freed too
 * early.
 */
const char *stats_reuse_memory(void)
{
	int fds[8][STATS_NUM_FDS];
	const char *message = NULL;
	size_t i;

	for (i = 0; !message && i < ARRAY_SIZE(fds); i++)
		message = stats_bare_vm(fds[i]);
	while (i--)
		stats_close_fds(fds[i]);
	return message;
}

/* Closes @fds except the statistics fd of the target, which it returns. */
static int keep_stats_fd(const struct stats_target *target,
			 int fds[STATS_NUM_FDS])
{
	int which = stats_fd_of(target);
	int fd = fds[which];

	fds[which] = -1;
	stats_close_fds(fds);
	return fd;
}

const char *stats_outlives_fds(struct stats_target *target)
{
	int fds[STATS_NUM_FDS];
	const char *message = stats_bare_vm(fds);
	int fd;

	if (message)
		return message;
	fd = keep_stats_fd(target, fds);
	message = stats_reuse_memory();
	if (!message)
		message = stats_still_reads(target, fd, getpid());
	close(fd);
	return message;
}

const char *stats_outlives_vmm(struct stats_target *target)
{
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int i, fd;

	if (message)
		return message;
	message = stats_still_reads(target, vmm.fds[stats_fd_of(target)],
				    vmm.pid);
	stats_vmm_kill(&vmm);
	fd = keep_stats_fd(target, vmm.fds);

	/* KVM frees parts of a VM after its last fd is closed: read repeatedly. */
	for (i = 0; !message && i < 3; i++) {
		message = stats_still_reads(target, fd, vmm.pid);
		if (!message)
			message = stats_reuse_memory();
		usleep(5000);
	}
	close(fd);
	return message;
}

const char *stats_opened_after_vmm(struct stats_target *target)
{
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int fd;

	if (message)
		return message;
	stats_vmm_kill(&vmm);
	message = stats_getfd(vmm.fds[getfd_fd_of(target)], &fd);
	stats_close_fds(vmm.fds);
	if (message)
		return message;
	message = stats_still_reads(target, fd, vmm.pid);
	close(fd);
	return message;
}

/* The VMM sends its VM or vCPU fd; the receiver opens the statistics. */
const char *stats_opened_by_receiver(struct stats_target *target)
{
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int fd;

	if (message)
		return message;
	message = stats_getfd(vmm.fds[getfd_fd_of(target)], &fd);
	if (!message)
		message = stats_still_reads(target, fd, vmm.pid);
	stats_vmm_kill(&vmm);
	return message;
}

/* An agent duplicates the VM or vCPU fd without help from the VMM. */
const char *stats_opened_by_agent(struct stats_target *target)
{
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int taken, fd;

	if (message)
		return message;
	message = stats_vmm_take(&vmm, getfd_fd_of(target), &taken);
	if (!message)
		message = stats_getfd(taken, &fd);
	if (!message)
		message = stats_still_reads(target, fd, vmm.pid);
	stats_vmm_kill(&vmm);
	return message;
}

/* An agent duplicates a statistics fd that the VMM has open. */
const char *stats_taken_by_agent(struct stats_target *target)
{
	struct stats_vmm vmm;
	const char *message = stats_vmm_start(&vmm);
	int taken;

	if (message)
		return message;
	message = stats_vmm_take(&vmm, stats_fd_of(target), &taken);
	if (!message)
		message = stats_still_reads(target, taken, vmm.pid);
	stats_vmm_kill(&vmm);
	return message;
}
