/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The local APIC of a guest's vCPU, in x2APIC mode.
 */
#ifndef SELFTEST_KVM_STATS_APIC_H
#define SELFTEST_KVM_STATS_APIC_H

#include "kvm_util.h"
#include "processor.h"

#define APIC_EOI	0xb0
#define APIC_SPIV	0xf0
#define APIC_LVTT	0x320
#define APIC_TMICT	0x380
#define APIC_TDCR	0x3e0

#define APIC_SPIV_ENABLED	0x1ff	/* with the last of all vectors */
#define APIC_TDCR_DIV_1		0xb

static inline void guest_apic_write(unsigned int reg, uint64_t value)
{
	wrmsr(APIC_BASE_MSR + (reg >> 4), value);
}

/* KVM sends nothing to an APIC before that. */
static inline void guest_apic_enable(void)
{
	wrmsr(MSR_IA32_APICBASE,
	      rdmsr(MSR_IA32_APICBASE) | MSR_IA32_APICBASE_ENABLE | X2APIC_ENABLE);
	guest_apic_write(APIC_SPIV, APIC_SPIV_ENABLED);
}

static inline void stats_apic_prepare(struct kvm_vm *vm, uint32_t vcpu_id)
{
	vcpu_set_cpuid(vm, vcpu_id, kvm_get_supported_cpuid());
}

#endif /* SELFTEST_KVM_STATS_APIC_H */
