/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a vCPU on powerpc; see linux/kvm_types.h.  This file has no
 * include guard, because it is included twice.
 */
#include <linux/kvm_vcpu_stat_defs.h>

KVM_STAT(sum_exits, COUNTER)
KVM_STAT(mmio_exits, COUNTER)
KVM_STAT(signal_exits, COUNTER)
KVM_STAT(light_exits, COUNTER)
KVM_STAT(itlb_real_miss_exits, COUNTER)
KVM_STAT(itlb_virt_miss_exits, COUNTER)
KVM_STAT(dtlb_real_miss_exits, COUNTER)
KVM_STAT(dtlb_virt_miss_exits, COUNTER)
KVM_STAT(syscall_exits, COUNTER)
KVM_STAT(isi_exits, COUNTER)
KVM_STAT(dsi_exits, COUNTER)
KVM_STAT(emulated_inst_exits, COUNTER)
KVM_STAT(dec_exits, COUNTER)
KVM_STAT(ext_intr_exits, COUNTER)
KVM_STAT(halt_successful_wait, COUNTER)
KVM_STAT(dbell_exits, COUNTER)
KVM_STAT(gdbell_exits, COUNTER)
KVM_STAT(ld, COUNTER)
KVM_STAT(st, COUNTER)
#ifdef CONFIG_PPC_BOOK3S
KVM_STAT(pf_storage, COUNTER)
KVM_STAT(pf_instruc, COUNTER)
KVM_STAT(sp_storage, COUNTER)
KVM_STAT(sp_instruc, COUNTER)
KVM_STAT_ATOMIC(queue_intr, COUNTER)
KVM_STAT(ld_slow, COUNTER)
KVM_STAT(st_slow, COUNTER)
#endif
KVM_STAT(pthru_all, COUNTER)
KVM_STAT(pthru_host, COUNTER)
KVM_STAT(pthru_bad_aff, COUNTER)
