// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics of MIPS
 */
#include <linux/kvm_host.h>

#define KVM_STATS_STRUCT	kvm_vm_stat
#define KVM_STATS_LIST		()
#include <linux/kvm_stats_table.h>

#ifdef CONFIG_KVM_MIPS_VZ
#define KVM_STATS_VZ (							\
	STAT(vz_gpsi_exits,	COUNTER),				\
	STAT(vz_gsfc_exits,	COUNTER),				\
	STAT(vz_hc_exits,	COUNTER),				\
	STAT(vz_grr_exits,	COUNTER),				\
	STAT(vz_gva_exits,	COUNTER),				\
	STAT(vz_ghfc_exits,	COUNTER),				\
	STAT(vz_gpa_exits,	COUNTER),				\
	STAT(vz_resvd_exits,	COUNTER),				\
)
#else
#define KVM_STATS_VZ		()
#endif

#if defined(CONFIG_KVM_MIPS_VZ) && defined(CONFIG_CPU_LOONGSON64)
#define KVM_STATS_LOONGSON (						\
	STAT(vz_cpucfg_exits,	COUNTER),				\
)
#else
#define KVM_STATS_LOONGSON	()
#endif

#define KVM_STATS_STRUCT	kvm_vcpu_stat
#define KVM_STATS_LIST (						\
	STAT(wait_exits,		COUNTER),			\
	STAT(cache_exits,		COUNTER),			\
	STAT(signal_exits,		COUNTER),			\
	STAT(int_exits,			COUNTER),			\
	STAT(cop_unusable_exits,	COUNTER),			\
	STAT(tlbmod_exits,		COUNTER),			\
	STAT(tlbmiss_ld_exits,		COUNTER),			\
	STAT(tlbmiss_st_exits,		COUNTER),			\
	STAT(addrerr_st_exits,		COUNTER),			\
	STAT(addrerr_ld_exits,		COUNTER),			\
	STAT(syscall_exits,		COUNTER),			\
	STAT(resvd_inst_exits,		COUNTER),			\
	STAT(break_inst_exits,		COUNTER),			\
	STAT(trap_inst_exits,		COUNTER),			\
	STAT(msa_fpe_exits,		COUNTER),			\
	STAT(fpe_exits,			COUNTER),			\
	STAT(msa_disabled_exits,	COUNTER),			\
	STAT(flush_dcache_exits,	COUNTER),			\
	STATS(KVM_STATS_VZ)						\
	STATS(KVM_STATS_LOONGSON)					\
)
#include <linux/kvm_stats_table.h>
