/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a VM on MIPS; see linux/kvm_types.h.  There is no include
 * guard, because the list is included twice.
 */
#include <linux/kvm_vm_stat_defs.h>
