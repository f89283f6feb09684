/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A vCPU of a KVM selftest together with the statistics fds that belong to it.
 */
#ifndef SELFTEST_KVM_STATS_GUEST_H
#define SELFTEST_KVM_STATS_GUEST_H

#include "test_util.h"
#include "kvm_util.h"
#include "kvm_stats_target.h"

struct stats_guest {
	struct kvm_vm *vm;
	uint32_t vcpu_id;
	int vm_stats;
	int vcpu_stats;
};

/* Opens the statistics of the VM and of the vCPU. */
struct stats_guest stats_guest_of(struct kvm_vm *vm, uint32_t vcpu_id);

/*
 * For the setup of a suite: makes that the machine of the target, of type struct
 * stats_guest.  Always returns NULL.
 */
const char *stats_use_guest(struct stats_target *target, struct kvm_vm *vm,
			    uint32_t vcpu_id);

/*
 * Runs the vCPU until its next ucall, which is returned.  MMIO is ignored: a read
 * returns undefined data.
 */
uint64_t stats_run_guest(const struct stats_guest *guest);

int stats_vcpu_fd(struct kvm_vm *vm, uint32_t vcpu_id);

/* The address of the guest's copy of a global variable of this program. */
#define stats_in_guest(vm, global) \
	((typeof(global) *)addr_gva2hva(vm, (vm_vaddr_t)&(global)))

#endif /* SELFTEST_KVM_STATS_GUEST_H */
