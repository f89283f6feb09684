/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a vCPU on x86; see linux/kvm_types.h.  This file has no
 * include guard, because it is included twice.
 */
#include <linux/kvm_vcpu_stat_defs.h>

KVM_STAT(pf_taken, COUNTER)
KVM_STAT(pf_fixed, COUNTER)
KVM_STAT(pf_emulate, COUNTER)
KVM_STAT(pf_spurious, COUNTER)
KVM_STAT(pf_fast, COUNTER)
KVM_STAT(pf_mmio_spte_created, COUNTER)
KVM_STAT(pf_guest, COUNTER)
KVM_STAT(tlb_flush, COUNTER)
KVM_STAT(invlpg, COUNTER)
KVM_STAT(exits, COUNTER)
KVM_STAT(io_exits, COUNTER)
KVM_STAT(mmio_exits, COUNTER)
KVM_STAT(signal_exits, COUNTER)
KVM_STAT(irq_window_exits, COUNTER)
KVM_STAT(nmi_window_exits, COUNTER)
KVM_STAT(l1d_flush, COUNTER)
KVM_STAT(halt_exits, COUNTER)
KVM_STAT(request_irq_exits, COUNTER)
KVM_STAT(irq_exits, COUNTER)
KVM_STAT(host_state_reload, COUNTER)
KVM_STAT(fpu_reload, COUNTER)
KVM_STAT(insn_emulation, COUNTER)
KVM_STAT(insn_emulation_fail, COUNTER)
KVM_STAT(hypercalls, COUNTER)
KVM_STAT(irq_injections, COUNTER)
KVM_STAT(nmi_injections, COUNTER)
KVM_STAT(req_event, COUNTER)
KVM_STAT(nested_run, COUNTER)
KVM_STAT(directed_yield_attempted, COUNTER)
KVM_STAT(directed_yield_successful, COUNTER)
KVM_STAT(preemption_reported, COUNTER)
KVM_STAT(preemption_other, COUNTER)
KVM_STAT(guest_mode, BOOLEAN)

#ifdef CONFIG_KVM_EXIT_STATS
#include <linux/kvm_exit_stat_defs.h>
#endif
