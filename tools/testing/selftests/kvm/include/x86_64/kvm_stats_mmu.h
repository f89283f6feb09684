/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that writes to pages, or executes code in them, as the VMM requests;
 * and the kind of paging with which KVM maps them.
 *
 * The guest accesses physical memory through a window of virtual addresses.  One
 * page table of the guest maps the whole window, so an access faults in nothing
 * but the requested pages.
 */
#ifndef SELFTEST_KVM_STATS_MMU_H
#define SELFTEST_KVM_STATS_MMU_H

#include "kvm_stats_guest.h"
#include "kvm_stats_run.h"

#define PAGE		4096ul
#define LARGE_PAGE	(512 * PAGE)
#define HUGE_PAGE	(512 * LARGE_PAGE)

#define MEMORY		0x80000000ul	/* physical address of added slots */
#define MEMORY_SLOT	1

enum stats_paging {
	STATS_SHADOW,	/* KVM shadows the page tables of the guest */
	STATS_DIRECT,	/* nested paging, with the MMU that can also shadow */
	STATS_TDP_MMU,
};

#define TDP_MMU_PARAM	STATS_KVM_PARAM("tdp_mmu")

/* The paging that stats_use_paging() has selected. */
extern enum stats_paging stats_paging;

/* Selects the paging of VMs that are created from now on. */
const char *stats_use_paging(enum stats_paging paging);

/* Does the host use nested paging (NPT or EPT)? */
bool stats_has_nested_paging(void);

/* Maps @num pages, from @paddr in steps of @stride, at page @first of the window. */
void stats_map_window(struct kvm_vm *vm, unsigned int first, uint64_t paddr,
		      unsigned int num, uint64_t stride);

/* Requests what the guest does next: write to, or execute, pages of the window. */
void stats_set_work(struct kvm_vm *vm, bool execute, unsigned int first,
		    unsigned int num);

/* The same, and runs the guest until it has done so. */
void stats_write_pages(const struct stats_guest *guest, unsigned int first,
		       unsigned int num);
void stats_execute_pages(const struct stats_guest *guest, unsigned int first,
			 unsigned int num);

/* For the guest: the number of requested pages, and the work on one of them. */
uint64_t guest_num_pages(void);
void guest_touch_page(uint64_t i);

/* For the guest: does the requested work, makes a ucall, and starts over. */
void guest_mmu_main(void);

#endif /* SELFTEST_KVM_STATS_MMU_H */
