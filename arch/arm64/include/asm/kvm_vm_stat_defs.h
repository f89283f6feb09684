/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a VM on arm64; see linux/kvm_types.h.  This file has no
 * include guard, because it is included twice.
 */
#include <linux/kvm_vm_stat_defs.h>
