// SPDX-License-Identifier: GPL-2.0-only
#include "kvm_stats_processor.h"
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

void stats_apic_prepare(struct kvm_vm *vm, uint32_t vcpu_id)
{
	vcpu_set_cpuid(vm, vcpu_id, kvm_get_supported_cpuid());
}

void guest_apic_write(unsigned int reg, uint64_t value)
{
	wrmsr(APIC_BASE_MSR + (reg >> 4), value);
}

void guest_apic_enable(void)
{
	wrmsr(MSR_IA32_APICBASE,
	      rdmsr(MSR_IA32_APICBASE) | MSR_IA32_APICBASE_ENABLE | X2APIC_ENABLE);
	guest_apic_write(APIC_SPIV, APIC_SPIV_ENABLED);
}
