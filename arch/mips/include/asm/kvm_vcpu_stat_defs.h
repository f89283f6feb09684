/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a vCPU on MIPS; see linux/kvm_types.h.  This file has no
 * include guard, because it is included twice.
 */
#include <linux/kvm_vcpu_stat_defs.h>

KVM_STAT(wait_exits, COUNTER)
KVM_STAT(cache_exits, COUNTER)
KVM_STAT(signal_exits, COUNTER)
KVM_STAT(int_exits, COUNTER)
KVM_STAT(cop_unusable_exits, COUNTER)
KVM_STAT(tlbmod_exits, COUNTER)
KVM_STAT(tlbmiss_ld_exits, COUNTER)
KVM_STAT(tlbmiss_st_exits, COUNTER)
KVM_STAT(addrerr_st_exits, COUNTER)
KVM_STAT(addrerr_ld_exits, COUNTER)
KVM_STAT(syscall_exits, COUNTER)
KVM_STAT(resvd_inst_exits, COUNTER)
KVM_STAT(break_inst_exits, COUNTER)
KVM_STAT(trap_inst_exits, COUNTER)
KVM_STAT(msa_fpe_exits, COUNTER)
KVM_STAT(fpe_exits, COUNTER)
KVM_STAT(msa_disabled_exits, COUNTER)
KVM_STAT(flush_dcache_exits, COUNTER)
#ifdef CONFIG_KVM_MIPS_VZ
KVM_STAT(vz_gpsi_exits, COUNTER)
KVM_STAT(vz_gsfc_exits, COUNTER)
KVM_STAT(vz_hc_exits, COUNTER)
KVM_STAT(vz_grr_exits, COUNTER)
KVM_STAT(vz_gva_exits, COUNTER)
KVM_STAT(vz_ghfc_exits, COUNTER)
KVM_STAT(vz_gpa_exits, COUNTER)
KVM_STAT(vz_resvd_exits, COUNTER)
#ifdef CONFIG_CPU_LOONGSON64
KVM_STAT(vz_cpucfg_exits, COUNTER)
#endif
#endif
