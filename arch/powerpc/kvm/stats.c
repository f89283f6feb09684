// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics of powerpc
 */
#include <linux/kvm_host.h>

#define KVM_STATS_STRUCT	kvm_vm_stat
#define KVM_STATS_LIST (						\
	STAT(num_2M_pages,	INSTANT),				\
	STAT(num_1G_pages,	INSTANT),				\
)
#include <linux/kvm_stats_table.h>

#ifdef CONFIG_PPC_BOOK3S
#define KVM_STATS_BOOK3S (						\
	STAT(pf_storage,	COUNTER),				\
	STAT(pf_instruc,	COUNTER),				\
	STAT(sp_storage,	COUNTER),				\
	STAT(sp_instruc,	COUNTER),				\
	STAT(queue_intr,	COUNTER),				\
	STAT(ld_slow,		COUNTER),				\
	STAT(st_slow,		COUNTER),				\
)
#else
#define KVM_STATS_BOOK3S	()
#endif

#define KVM_STATS_STRUCT	kvm_vcpu_stat
#define KVM_STATS_LIST (						\
	STAT(sum_exits,			COUNTER),			\
	STAT(mmio_exits,		COUNTER),			\
	STAT(signal_exits,		COUNTER),			\
	STAT(light_exits,		COUNTER),			\
	STAT(itlb_real_miss_exits,	COUNTER),			\
	STAT(itlb_virt_miss_exits,	COUNTER),			\
	STAT(dtlb_real_miss_exits,	COUNTER),			\
	STAT(dtlb_virt_miss_exits,	COUNTER),			\
	STAT(syscall_exits,		COUNTER),			\
	STAT(isi_exits,			COUNTER),			\
	STAT(dsi_exits,			COUNTER),			\
	STAT(emulated_inst_exits,	COUNTER),			\
	STAT(dec_exits,			COUNTER),			\
	STAT(ext_intr_exits,		COUNTER),			\
	STAT(halt_successful_wait,	COUNTER),			\
	STAT(dbell_exits,		COUNTER),			\
	STAT(gdbell_exits,		COUNTER),			\
	STAT(ld,			COUNTER),			\
	STAT(st,			COUNTER),			\
	STATS(KVM_STATS_BOOK3S)						\
	STAT(pthru_all,			COUNTER),			\
	STAT(pthru_host,		COUNTER),			\
	STAT(pthru_bad_aff,		COUNTER),			\
)
#include <linux/kvm_stats_table.h>
