/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a VM on s390; see linux/kvm_types.h.  This file has no
 * include guard, because it is included twice.
 */
#include <linux/kvm_vm_stat_defs.h>

KVM_STAT_ATOMIC(inject_io, COUNTER)
KVM_STAT_ATOMIC(inject_float_mchk, COUNTER)
KVM_STAT_ATOMIC(inject_pfault_done, COUNTER)
KVM_STAT_ATOMIC(inject_service_signal, COUNTER)
KVM_STAT_ATOMIC(inject_virtio, COUNTER)
KVM_STAT_ATOMIC(gmap_shadow_reuse, COUNTER)
KVM_STAT_ATOMIC(gmap_shadow_create, COUNTER)
KVM_STAT_ATOMIC(gmap_shadow_r1_entry, COUNTER)
KVM_STAT_ATOMIC(gmap_shadow_r2_entry, COUNTER)
KVM_STAT_ATOMIC(gmap_shadow_r3_entry, COUNTER)
KVM_STAT_ATOMIC(gmap_shadow_sg_entry, COUNTER)
KVM_STAT_ATOMIC(gmap_shadow_pg_entry, COUNTER)
