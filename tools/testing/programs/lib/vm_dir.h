/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find out whether a VM still exists. From its creation to its destruction, a VM has a
 * directory in debugfs and holds references to KVM's modules.
 */
#ifndef GUEST_VM_DIR_H
#define GUEST_VM_DIR_H

#include <stdbool.h>
#include <sys/types.h>

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
 * The checks return NULL or an error message. @when is the part of the message that reports when
 * the check happened.
 */
const char *vm_exists(const struct vm_dir *dir, const char *when);

/* Waits up to ten seconds until the VM is destroyed. */
const char *vm_disappears(const struct vm_dir *dir, const char *when);

/* Counts the VMs that the thread @creator created, or all VMs if @creator is 0. */
unsigned int vm_count(pid_t creator);

/* Waits up to ten seconds until @expected VMs of @creator exist. */
const char *vm_count_becomes(pid_t creator, unsigned int expected);

/* Returns the sum of the use counts of KVM's modules, or -1 if KVM is not a module. */
long kvm_module_users(void);

/* Waits up to ten seconds until kvm_module_users() returns @users. */
const char *kvm_module_users_become(long users);

#endif /* GUEST_VM_DIR_H */
