/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a VM that all architectures have; see linux/kvm_types.h.
 * There is no include guard, because the list is included twice.
 */
KVM_STAT_ATOMIC(remote_tlb_flush, COUNTER)
KVM_STAT_ATOMIC(remote_tlb_flush_requests, COUNTER)
