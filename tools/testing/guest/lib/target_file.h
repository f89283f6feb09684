/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics file of a target, which is a vCPU, a VM, or a VM with all its vCPUs. Programs
 * that run their checks for all three use these functions instead of those of the kselftests.
 */
#ifndef GUEST_TARGET_FILE_H
#define GUEST_TARGET_FILE_H

#include "kvm_stats_open.h"

#define WITH_VCPUS	(-2)	/* vcpu_id of a target that is a VM with all its vCPUs */

/* Returns the index of the target's statistics fd in the fds of stats_bare_vm(). */
int stats_fd_index(const struct stats_target *target);

/* Opens the target's file. @fd is the fd of the VM or of the vCPU. */
const char *target_open(const struct stats_target *target, int fd, int *stats_fd);

/*
 * As stats_bare_vm(). The statistics fd of the VM is the target's file. Skips a VM with its vCPUs
 * if the kernel does not have such files.
 */
const char *target_vm(const struct stats_target *target, int fds[STATS_NUM_FDS]);

/* Checks that @fd, opened from a VM of the process @vmm, is a complete file. */
const char *target_still_reads(struct stats_target *target, int fd, pid_t vmm);

/* Whether the file holds its VM. */
bool target_holds_vm(const struct stats_target *target);

/* The same after the process has closed the VM. A file that does not hold it says that it ended. */
const char *target_reads_after_end(struct stats_target *target, int fd, pid_t vmm);

#endif /* GUEST_TARGET_FILE_H */
