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
	STAT(lpages,				INSTANT),		\
	STAT(nx_lpage_splits,			INSTANT),		\
	STAT(max_mmu_page_hash_collisions,	PEAK),			\
)
#include <linux/kvm_stats_table.h>

#define KVM_STATS_STRUCT	kvm_vcpu_stat
#define KVM_STATS_LIST (						\
	STAT(pf_fixed,				COUNTER),		\
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
	STAT(preemption_reported,		COUNTER),		\
	STAT(preemption_other,			COUNTER),		\
)
#include <linux/kvm_stats_table.h>
