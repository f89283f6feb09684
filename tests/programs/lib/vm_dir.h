/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find out whether a VM still exists. From its creation to its destruction, a VM has a
 * directory in debugfs and holds references to KVM's modules.
 */
#ifndef GUEST_VM_DIR_H
#define GUEST_VM_DIR_H

#include "kvm_stats_vmm.h"

#define VM_DEBUGFS		"/sys/kernel/debug/kvm"

struct vm_dir {
	char path[64];
};

/*
 * Returns NULL, or the reason why the statistics of this kernel cannot be tested together with the
 * existence of VMs.
 */
const char *vm_dirs_skip_reason(void);

/* The kernel names the directory after the thread that created the VM and after the VM fd. */
struct vm_dir vm_dir(pid_t creator, int vm_fd);

/*
 * The functions that check fail otherwise. @when is the part of the message that reports when the
 * check happened.
 */
void vm_exists(const struct vm_dir *dir, const char *when);

/* Waits up to ten seconds until the VM is destroyed. */
void vm_disappears(const struct vm_dir *dir, const char *when);

/* Counts the VMs of this process. */
unsigned int vm_count(void);

/* Waits up to ten seconds until @expected VMs of this process exist. */
void vm_count_becomes(unsigned int expected);

/* Returns the sum of the use counts of KVM's modules, or -1 if KVM is not a module. */
long kvm_module_users(void);

/* Waits up to ten seconds until kvm_module_users() returns @users. */
void kvm_module_users_become(long users);

/* The fds of the target of set_up_vm(). */
extern int vm_fds[STATS_NUM_FDS];

/* For suites: the target is a VM of this process, or its vCPU. */
const char *set_up_vm(struct stats_target *target);

#endif /* GUEST_VM_DIR_H */
