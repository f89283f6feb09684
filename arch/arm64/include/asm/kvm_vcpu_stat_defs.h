/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a vCPU on arm64; see linux/kvm_types.h.  This file has no
 * include guard, because it is included twice.
 */
#include <linux/kvm_vcpu_stat_defs.h>

KVM_STAT(hvc_exit_stat, COUNTER)
KVM_STAT(wfe_exit_stat, COUNTER)
KVM_STAT(wfi_exit_stat, COUNTER)
KVM_STAT(mmio_exit_user, COUNTER)
KVM_STAT(mmio_exit_kernel, COUNTER)
KVM_STAT(signal_exits, COUNTER)
KVM_STAT(exits, COUNTER)

#ifdef CONFIG_KVM_EXIT_STATS
#include <linux/kvm_exit_stat_defs.h>
#endif
