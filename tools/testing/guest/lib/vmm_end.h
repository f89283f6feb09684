/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VMM processes that end by exit(), SIGKILL or exec() on request of the test. A program that
 * uses them calls vmm_end_main() at the start of main(): exec() starts the program again.
 */
#ifndef GUEST_VMM_END_H
#define GUEST_VMM_END_H

#include "kvm_stats_target.h"
#include "lib/vm_dir.h"

struct vmm_end {
	const char *name;
	const char *(*end)(const struct stats_vmm *vmm);
};

/* Returns the index of the target's statistics fd in the fds of stats_bare_vm(). */
static inline int stats_fd_index(const struct stats_target *target)
{
	return stats_target_kind(target, STATS_FD_VM_STATS, STATS_FD_VCPU_STATS);
}

/* Does not return in the program that a VMM executes. */
void vmm_end_main(int argc, char *argv[]);

/* Installs signal handlers. VMMs that are forked afterwards can be ended. */
void vmm_install_ends(void);

const char *vmm_start(struct stats_vmm *vmm, struct vm_dir *dir);

/* Kills the VMM if it is still a process, which it is after exec(). */
void vmm_finish(struct stats_vmm *vmm);

/* Calls @run for each way to end a VMM, until one fails. Checks that no module stays in use. */
const char *run_with_each_end(struct stats_target *target,
			      const char *(*run)(struct stats_target *target,
						 const struct vmm_end *end));

/* Returns the target's statistics fd, and closes the other fds that the VMM passed on. */
int keep_stats_fd(const struct stats_target *target, struct stats_vmm *vmm);

/* Creates and destroys a VM, which reuses the memory of a VM that was freed too early. */
const char *reuse_vm_memory(void);

#endif /* GUEST_VMM_END_H */
