/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a VM on powerpc; see linux/kvm_types.h.  This file has no
 * include guard, because it is included twice.
 */
#include <linux/kvm_vm_stat_defs.h>

KVM_STAT(num_2M_pages, INSTANT)
KVM_STAT(num_1G_pages, INSTANT)
