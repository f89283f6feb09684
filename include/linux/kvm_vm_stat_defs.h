/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a VM that all architectures have; see linux/kvm_types.h.
 * This file has no include guard, because it is included twice.
 */
KVM_STAT_ATOMIC(remote_tlb_flush, COUNTER)
KVM_STAT_ATOMIC(remote_tlb_flush_requests, COUNTER)
