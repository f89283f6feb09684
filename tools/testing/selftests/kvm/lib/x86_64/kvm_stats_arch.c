// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "kvm_stats_workload.h"
#include "kvm_stats_processor.h"
#include "processor.h"

/* There is no device at this address.  The virtual address is the same. */
#define GUEST_MMIO	0xc0000000
#define GUEST_PORT	0xe0

static const struct stats_expectation vm_statistics[] = {
	STATS_COUNTER("mmu_shadow_zapped"),
	STATS_COUNTER("mmu_pte_write"),
	STATS_COUNTER("mmu_pde_zapped"),
	STATS_COUNTER("mmu_flooded"),
	STATS_COUNTER("mmu_recycled"),
	STATS_COUNTER("mmu_cache_miss"),
	STATS_INSTANT("mmu_unsync"),
	STATS_INSTANT("mmu_shadow_pages"),
	STATS_INSTANT("pages_4k"),
	STATS_INSTANT("pages_2m"),
	STATS_INSTANT("pages_1g"),
	STATS_INSTANT("nx_lpage_splits"),
	STATS_PEAK("max_mmu_rmap_size"),
	STATS_PEAK("max_mmu_page_hash_collisions"),
};

static const struct stats_expectation vcpu_statistics[] = {
	STATS_COUNTER("pf_taken"),
	STATS_COUNTER("pf_fixed"),
	STATS_COUNTER("pf_emulate"),
	STATS_COUNTER("pf_spurious"),
	STATS_COUNTER("pf_fast"),
	STATS_COUNTER("pf_mmio_spte_created"),
	STATS_COUNTER("pf_guest"),
	STATS_COUNTER("tlb_flush"),
	STATS_COUNTER("invlpg"),
	STATS_COUNTER("exits"),
	STATS_COUNTER("io_exits"),
	STATS_COUNTER("mmio_exits"),
	STATS_COUNTER("signal_exits"),
	STATS_COUNTER("irq_window_exits"),
	STATS_COUNTER("nmi_window_exits"),
	STATS_COUNTER("l1d_flush"),
	STATS_COUNTER("halt_exits"),
	STATS_COUNTER("request_irq_exits"),
	STATS_COUNTER("irq_exits"),
	STATS_COUNTER("host_state_reload"),
	STATS_COUNTER("fpu_reload"),
	STATS_COUNTER("insn_emulation"),
	STATS_COUNTER("insn_emulation_fail"),
	STATS_COUNTER("hypercalls"),
	STATS_COUNTER("irq_injections"),
	STATS_COUNTER("nmi_injections"),
	STATS_COUNTER("req_event"),
	STATS_COUNTER("nested_run"),
	STATS_COUNTER("directed_yield_attempted"),
	STATS_COUNTER("directed_yield_successful"),
	STATS_COUNTER("preemption_reported"),
	STATS_COUNTER("preemption_other"),
	STATS_BOOLEAN("guest_mode"),
};

const char *stats_check_arch_vm(const struct stats_file *file)
{
	return stats_check_expectations(file, vm_statistics,
					ARRAY_SIZE(vm_statistics));
}

const char *stats_check_arch_vcpu(const struct stats_file *file)
{
	return stats_check_expectations(file, vcpu_statistics,
					ARRAY_SIZE(vcpu_statistics));
}

static void output_once(void)
{
	asm volatile("outb %%al, %%dx" : : "a"(0), "d"(GUEST_PORT));
}

static void mmio_write_once(void)
{
	asm volatile("movb %%al, (%0)" : : "r"((uint64_t)GUEST_MMIO), "a"(1)
		     : "memory");
}

static void mmio_read_once(void)
{
	uint8_t byte;

	asm volatile("movb (%1), %0" : "=r"(byte) : "r"((uint64_t)GUEST_MMIO)
		     : "memory");
}

/* KVM also counts a hypercall whose number is unknown. */
static void hypercall_once(void)
{
	guest_hypercall(0xffff, 0);
}

/* Interrupts are disabled, so only the VMM can wake the vCPU. */
void stats_guest_wait_once(void)
{
	asm volatile("hlt" : : : "memory");
}

const struct stats_event stats_events[] = {
	{ "port_output", "io_exits", output_once, KVM_EXIT_IO },
	{ "mmio_write", "mmio_exits", mmio_write_once, KVM_EXIT_MMIO },
	{ "mmio_read", "mmio_exits", mmio_read_once, KVM_EXIT_MMIO },
	{ "hypercall", "hypercalls", hypercall_once, STATS_NO_EXIT },
	{ "halt", "halt_exits", stats_guest_wait_once, STATS_WAIT },
};

void stats_arch_prepare(struct kvm_vm *vm)
{
	virt_pg_map(vm, GUEST_MMIO, GUEST_MMIO, 0);
	stats_hypercall_prepare(vm);
}

void stats_arch_wake(struct kvm_vm *vm, uint32_t vcpu_id)
{
	struct kvm_mp_state state;

	vcpu_ioctl(vm, vcpu_id, KVM_GET_MP_STATE, &state);
	if (state.mp_state != KVM_MP_STATE_HALTED)
		return;
	state.mp_state = KVM_MP_STATE_RUNNABLE;
	vcpu_set_mp_state(vm, vcpu_id, &state);
}
