// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics of arm64
 */
#include <linux/kvm_host.h>

#define KVM_STATS_STRUCT	kvm_vm_stat
#define KVM_STATS_LIST		()
#include <linux/kvm_stats_table.h>

#define KVM_STATS_STRUCT	kvm_vcpu_stat
#define KVM_STATS_LIST (						\
	STAT(hvc_exit_stat,	COUNTER),				\
	STAT(wfe_exit_stat,	COUNTER),				\
	STAT(wfi_exit_stat,	COUNTER),				\
	STAT(mmio_exit_user,	COUNTER),				\
	STAT(mmio_exit_kernel,	COUNTER),				\
	STAT(signal_exits,	COUNTER),				\
	STAT(exits,		COUNTER),				\
)
#include <linux/kvm_stats_table.h>
