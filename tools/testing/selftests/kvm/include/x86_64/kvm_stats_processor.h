/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What guests of several tests do with their CPU.
 */
#ifndef SELFTEST_KVM_STATS_PROCESSOR_H
#define SELFTEST_KVM_STATS_PROCESSOR_H

#include "kvm_util.h"
#include "kvm_stats_guest.h"

/*
 * Hypercalls with the instruction of the CPU, VMCALL or VMMCALL.  With the other
 * one KVM would patch the guest code, and count more than the hypercall.
 */

/* For the VMM, before the guest runs. */
void stats_hypercall_prepare(struct kvm_vm *vm);

/* For the guest. */
uint64_t guest_hypercall(uint64_t nr, uint64_t argument);

/*
 * The local APIC of a guest's vCPU, in x2APIC mode.
 */

#define APIC_EOI	0xb0
#define APIC_SPIV	0xf0
#define APIC_LVTT	0x320
#define APIC_TMICT	0x380
#define APIC_TDCR	0x3e0
#define APIC_SELF_IPI	0x3f0

#define APIC_SPIV_ENABLED	0x1ff	/* the spurious vector is 0xff */
#define APIC_TDCR_DIV_1		0xb

/* For the VMM, before the guest runs. */
void stats_apic_prepare(struct kvm_vm *vm, uint32_t vcpu_id);

/* For the guest.  KVM delivers no interrupt before the APIC is enabled. */
void guest_apic_enable(void);
void guest_apic_write(unsigned int reg, uint64_t value);

/*
 * Calls @run until the guest exits @least to @most times besides interrupts and, if
 * @interrupted, also by interrupts.  NMIs and SMIs of the host are exits, too, so
 * only one of several runs must pass.  They only add exits, so none may have fewer.
 */
const char *stats_check_exits(const struct stats_guest *guest,
			      void (*run)(const struct stats_guest *guest),
			      int64_t least, int64_t most, bool interrupted);

#endif /* SELFTEST_KVM_STATS_PROCESSOR_H */
