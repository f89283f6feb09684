/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a VM on x86; see linux/kvm_types.h.  This file has no
 * include guard, because it is included twice.
 */
#include <linux/kvm_vm_stat_defs.h>

KVM_STAT(mmu_shadow_zapped, COUNTER)
KVM_STAT(mmu_pte_write, COUNTER)
KVM_STAT(mmu_pde_zapped, COUNTER)
KVM_STAT(mmu_flooded, COUNTER)
KVM_STAT(mmu_recycled, COUNTER)
KVM_STAT(mmu_cache_miss, COUNTER)
KVM_STAT(mmu_unsync, INSTANT)
KVM_STAT(mmu_shadow_pages, INSTANT)
KVM_STAT_FIELD(u64 pages[KVM_NR_PAGE_SIZES])
KVM_STAT_DESC(pages_4k, pages[0], INSTANT)
KVM_STAT_DESC(pages_2m, pages[1], INSTANT)
KVM_STAT_DESC(pages_1g, pages[2], INSTANT)
KVM_STAT(nx_lpage_splits, INSTANT)
KVM_STAT(max_mmu_rmap_size, PEAK)
KVM_STAT(max_mmu_page_hash_collisions, PEAK)
