/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that writes to pages, or runs code in them, as the VMM tells it; and
 * the kind of paging by which KVM maps them.
 *
 * The guest sees physical memory through a window that one page table of its
 * own maps, so that nothing but the pages it is told to touch is touched for the
 * first time.
 */
#ifndef SELFTEST_KVM_STATS_MMU_H
#define SELFTEST_KVM_STATS_MMU_H

#include <linux/compiler.h>

#include "kvm_stats_events.h"
#include "kvm_stats_param.h"
#include "processor.h"

#define PAGE		4096ul
#define LARGE_PAGE	(512 * PAGE)
#define HUGE_PAGE	(512 * LARGE_PAGE)

#define WINDOW		0x40000000ul	/* virtual */
#define WINDOW_PAGES	512
#define MEMORY		0x80000000ul	/* physical, where tests add slots */
#define MEMORY_SLOT	1

#define GUEST_RET	0xc3	/* also what the guest fills pages with */

enum stats_paging {
	STATS_SHADOW,	/* of the guest's page tables */
	STATS_DIRECT,	/* by the MMU that can shadow as well */
	STATS_TDP_MMU,
};

#define TDP_MMU_PARAM	STATS_KVM_PARAM("tdp_mmu")

static enum stats_paging stats_paging;

/* What the guest does next, to @num pages of the window from @first on. */
static struct {
	uint64_t execute;	/* rather than write */
	uint64_t first;
	uint64_t num;
} guest_work;

/* Aligned, or it might lie in two pages of which one is not mapped yet. */
static noinline __aligned(256) void guest_touch_pages(void)
{
	uint64_t i, page;

	for (i = 0; i < READ_ONCE(guest_work.num); i++) {
		page = WINDOW + (guest_work.first + i) * PAGE;
		if (guest_work.execute)
			((void (*)(void))page)();
		else
			WRITE_ONCE(*(uint8_t *)page, GUEST_RET);
	}
}

static inline void guest_mmu_main(void)
{
	for (;;) {
		guest_touch_pages();
		GUEST_SYNC(0);
	}
}

/* The guest sees @num pages from @paddr on in its window from @first on. */
static inline void stats_map_window(struct kvm_vm *vm, unsigned int first,
				    uint64_t paddr, unsigned int num,
				    uint64_t stride)
{
	unsigned int i;

	for (i = 0; i < num; i++)
		virt_pg_map(vm, WINDOW + (first + i) * PAGE,
			    paddr + i * stride, 0);
}

static inline void stats_set_work(struct kvm_vm *vm, bool execute,
				  unsigned int first, unsigned int num)
{
	typeof(guest_work) *work = stats_in_guest(vm, guest_work);

	work->execute = execute;
	work->first = first;
	work->num = num;
}

static inline void stats_write_pages(const struct stats_guest *guest,
				     unsigned int first, unsigned int num)
{
	stats_set_work(guest->vm, false, first, num);
	stats_run_guest(guest);
}

static inline void stats_execute_pages(const struct stats_guest *guest,
				       unsigned int first, unsigned int num)
{
	stats_set_work(guest->vm, true, first, num);
	stats_run_guest(guest);
}

static inline bool stats_is_two_dimensional(void)
{
	return stats_param_is_on("/sys/module/kvm_amd/parameters/npt") ||
	       stats_param_is_on("/sys/module/kvm_intel/parameters/ept");
}

/* For VMs from now on. */
static inline const char *stats_use_paging(enum stats_paging paging)
{
	stats_paging = paging;
	if (paging == STATS_SHADOW)
		return NULL;
	return stats_param_set(TDP_MMU_PARAM,
			       paging == STATS_TDP_MMU ? "1" : "0");
}

#endif /* SELFTEST_KVM_STATS_MMU_H */
