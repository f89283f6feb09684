/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hypercalls of guests by the instruction that their CPU has for it, so that KVM
 * need not change the guest's code.
 */
#ifndef SELFTEST_KVM_STATS_HYPERCALL_H
#define SELFTEST_KVM_STATS_HYPERCALL_H

#include "kvm_util.h"
#include "processor.h"

static bool guest_is_intel;

static inline void stats_hypercall_prepare(struct kvm_vm *vm)
{
	guest_is_intel = is_intel_cpu();
	sync_global_to_guest(vm, guest_is_intel);
}

static inline uint64_t guest_hypercall(uint64_t nr, uint64_t argument)
{
	uint64_t result;

	if (guest_is_intel)
		asm volatile("vmcall" : "=a"(result) : "a"(nr), "b"(argument)
			     : "memory");
	else
		asm volatile("vmmcall" : "=a"(result) : "a"(nr), "b"(argument)
			     : "memory");
	return result;
}

#endif /* SELFTEST_KVM_STATS_HYPERCALL_H */
