/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kvm_stats_test on x86: the statistics that are there, and guest code that
 * makes some of them move.
 */
#ifndef SELFTEST_KVM_STATS_GUEST_H
#define SELFTEST_KVM_STATS_GUEST_H

#include "kvm_stats_hypercall.h"

#define STATS_OF_VM_IN_DEBUGFS		true

static const struct stats_expectation stats_arch_vm[] = {
	COUNTER("mmu_shadow_zapped"),
	COUNTER("mmu_pte_write"),
	COUNTER("mmu_pde_zapped"),
	COUNTER("mmu_flooded"),
	COUNTER("mmu_recycled"),
	COUNTER("mmu_cache_miss"),
	INSTANT("mmu_unsync"),
	INSTANT("mmu_shadow_pages"),
	INSTANT("pages_4k"),
	INSTANT("pages_2m"),
	INSTANT("pages_1g"),
	INSTANT("nx_lpage_splits"),
	PEAK("max_mmu_rmap_size"),
	PEAK("max_mmu_page_hash_collisions"),
};

static const struct stats_expectation stats_arch_vcpu[] = {
	COUNTER("pf_taken"),
	COUNTER("pf_fixed"),
	COUNTER("pf_emulate"),
	COUNTER("pf_spurious"),
	COUNTER("pf_fast"),
	COUNTER("pf_mmio_spte_created"),
	COUNTER("pf_guest"),
	COUNTER("tlb_flush"),
	COUNTER("invlpg"),
	COUNTER("exits"),
	COUNTER("io_exits"),
	COUNTER("mmio_exits"),
	COUNTER("signal_exits"),
	COUNTER("irq_window_exits"),
	COUNTER("nmi_window_exits"),
	COUNTER("l1d_flush"),
	COUNTER("halt_exits"),
	COUNTER("request_irq_exits"),
	COUNTER("irq_exits"),
	COUNTER("host_state_reload"),
	COUNTER("fpu_reload"),
	COUNTER("insn_emulation"),
	COUNTER("insn_emulation_fail"),
	COUNTER("hypercalls"),
	COUNTER("irq_injections"),
	COUNTER("nmi_injections"),
	COUNTER("req_event"),
	COUNTER("nested_run"),
	COUNTER("directed_yield_attempted"),
	COUNTER("directed_yield_successful"),
	COUNTER("preemption_reported"),
	COUNTER("preemption_other"),
	BOOLEAN("guest_mode"),
};

/* A physical address with nothing behind it, mapped at the same virtual one. */
#define GUEST_MMIO	0xc0000000
#define GUEST_PORT	0xe0

static void guest_io_once(void)
{
	asm volatile("outb %%al, %%dx" : : "a"(0), "d"(GUEST_PORT));
}

static void guest_mmio_write_once(void)
{
	asm volatile("movb %%al, (%0)" : : "r"((uint64_t)GUEST_MMIO), "a"(1)
		     : "memory");
}

static void guest_mmio_read_once(void)
{
	uint8_t byte;

	asm volatile("movb (%1), %0" : "=r"(byte) : "r"((uint64_t)GUEST_MMIO)
		     : "memory");
}

/* No hypercall has this number: it is counted all the same. */
static void guest_hypercall_once(void)
{
	guest_hypercall(0xffff, 0);
}

/* Interrupts are off: the vCPU waits until the VMM makes it run again. */
static void guest_wait_once(void)
{
	asm volatile("hlt" : : : "memory");
}

static const struct stats_motion stats_motions[] = {
	{ "port_output", "io_exits", guest_io_once, KVM_EXIT_IO },
	{ "mmio_write", "mmio_exits", guest_mmio_write_once, KVM_EXIT_MMIO },
	{ "mmio_read", "mmio_exits", guest_mmio_read_once, KVM_EXIT_MMIO },
	{ "hypercall", "hypercalls", guest_hypercall_once, STATS_NO_EXIT },
	{ "halt", "halt_exits", guest_wait_once, STATS_WAIT },
};

static void stats_guest_prepare(struct kvm_vm *vm)
{
	virt_pg_map(vm, GUEST_MMIO, GUEST_MMIO, 0);
	stats_hypercall_prepare(vm);
}

/* A vCPU that waited does not any more. */
static void stats_guest_wake(struct kvm_vm *vm, uint32_t vcpu_id)
{
	struct kvm_mp_state state;

	vcpu_ioctl(vm, vcpu_id, KVM_GET_MP_STATE, &state);
	if (state.mp_state != KVM_MP_STATE_HALTED)
		return;
	state.mp_state = KVM_MP_STATE_RUNNABLE;
	vcpu_set_mp_state(vm, vcpu_id, &state);
}

#endif /* SELFTEST_KVM_STATS_GUEST_H */
