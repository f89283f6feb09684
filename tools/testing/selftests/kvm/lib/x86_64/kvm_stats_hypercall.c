// SPDX-License-Identifier: GPL-2.0-only
#include "kvm_stats_hypercall.h"
#include "processor.h"

static bool guest_is_intel;

void stats_hypercall_prepare(struct kvm_vm *vm)
{
	guest_is_intel = is_intel_cpu();
	sync_global_to_guest(vm, guest_is_intel);
}

uint64_t guest_hypercall(uint64_t nr, uint64_t argument)
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
