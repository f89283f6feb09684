// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics of x86
 */
#include <linux/kvm_host.h>

#define KVM_STATS_STRUCT	kvm_vm_stat
#define KVM_STATS_LIST (						\
	STAT(mmu_shadow_zapped,			COUNTER),		\
	STAT(mmu_pte_write,			COUNTER),		\
	STAT(mmu_pde_zapped,			COUNTER),		\
	STAT(mmu_flooded,			COUNTER),		\
	STAT(mmu_recycled,			COUNTER),		\
	STAT(mmu_cache_miss,			COUNTER),		\
	STAT(mmu_unsync,			INSTANT),		\
	STAT(mmu_shadow_pages,			INSTANT),		\
	STAT_AS(pages_4k, pages[0],		INSTANT),		\
	STAT_AS(pages_2m, pages[1],		INSTANT),		\
	STAT_AS(pages_1g, pages[2],		INSTANT),		\
	STAT(nx_lpage_splits,			INSTANT),		\
	STAT(max_mmu_rmap_size,			PEAK),			\
	STAT(max_mmu_page_hash_collisions,	PEAK),			\
)
#include <linux/kvm_stats_table.h>

#define KVM_STATS_STRUCT	kvm_vcpu_stat
#define KVM_STATS_LIST (						\
	STAT(pf_taken,				COUNTER),		\
	STAT(pf_fixed,				COUNTER),		\
	STAT(pf_emulate,			COUNTER),		\
	STAT(pf_spurious,			COUNTER),		\
	STAT(pf_fast,				COUNTER),		\
	STAT(pf_mmio_spte_created,		COUNTER),		\
	STAT(pf_guest,				COUNTER),		\
	STAT(tlb_flush,				COUNTER),		\
	STAT(invlpg,				COUNTER),		\
	STAT(exits,				COUNTER),		\
	STAT(io_exits,				COUNTER),		\
	STAT(mmio_exits,			COUNTER),		\
	STAT(signal_exits,			COUNTER),		\
	STAT(irq_window_exits,			COUNTER),		\
	STAT(nmi_window_exits,			COUNTER),		\
	STAT(l1d_flush,				COUNTER),		\
	STAT(halt_exits,			COUNTER),		\
	STAT(request_irq_exits,			COUNTER),		\
	STAT(irq_exits,				COUNTER),		\
	STAT(host_state_reload,			COUNTER),		\
	STAT(fpu_reload,			COUNTER),		\
	STAT(insn_emulation,			COUNTER),		\
	STAT(insn_emulation_fail,		COUNTER),		\
	STAT(hypercalls,			COUNTER),		\
	STAT(irq_injections,			COUNTER),		\
	STAT(nmi_injections,			COUNTER),		\
	STAT(req_event,				COUNTER),		\
	STAT(nested_run,			COUNTER),		\
	STAT(directed_yield_attempted,		COUNTER),		\
	STAT(directed_yield_successful,		COUNTER),		\
	STAT(preemption_reported,		COUNTER),		\
	STAT(preemption_other,			COUNTER),		\
	STAT(guest_mode,			BOOLEAN),		\
)
#include <linux/kvm_stats_table.h>
