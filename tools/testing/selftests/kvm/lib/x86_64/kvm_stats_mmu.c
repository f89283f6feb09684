// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compiler.h>

#include "kvm_stats_mmu.h"
#include "processor.h"

#define WINDOW		0x40000000ul	/* virtual address */
#define GUEST_RET	0xc3	/* the guest fills pages with this instruction */

enum stats_paging stats_paging;

static struct {
	uint64_t execute;	/* otherwise write */
	uint64_t first;
	uint64_t num;
} guest_work;

uint64_t guest_num_pages(void)
{
	return READ_ONCE(guest_work.num);
}

static inline void touch_page(uint64_t i)
{
	uint64_t page = WINDOW + (guest_work.first + i) * PAGE;

	if (guest_work.execute)
		((void (*)(void))page)();
	else
		WRITE_ONCE(*(uint8_t *)page, GUEST_RET);
}

/*
 * Aligned, because a function that crosses a page boundary may cause a page
 * fault for its second page.
 */
noinline __aligned(256) void guest_touch_page(uint64_t i)
{
	touch_page(i);
}

static noinline __aligned(256) void guest_touch_pages(void)
{
	uint64_t i;

	for (i = 0; i < guest_num_pages(); i++)
		touch_page(i);
}

void guest_mmu_main(void)
{
	for (;;) {
		guest_touch_pages();
		GUEST_SYNC(0);
	}
}

void stats_map_window(struct kvm_vm *vm, unsigned int first, uint64_t paddr,
		      unsigned int num, uint64_t stride)
{
	unsigned int i;

	for (i = 0; i < num; i++)
		virt_pg_map(vm, WINDOW + (first + i) * PAGE,
			    paddr + i * stride, 0);
}

void stats_set_work(struct kvm_vm *vm, bool execute, unsigned int first,
		    unsigned int num)
{
	typeof(guest_work) *work = stats_in_guest(vm, guest_work);

	work->execute = execute;
	work->first = first;
	work->num = num;
}

void stats_write_pages(const struct stats_guest *guest, unsigned int first,
		       unsigned int num)
{
	stats_set_work(guest->vm, false, first, num);
	stats_run_guest(guest);
}

void stats_execute_pages(const struct stats_guest *guest, unsigned int first,
			 unsigned int num)
{
	stats_set_work(guest->vm, true, first, num);
	stats_run_guest(guest);
}

bool stats_has_nested_paging(void)
{
	return stats_param_is_on("/sys/module/kvm_amd/parameters/npt") ||
	       stats_param_is_on("/sys/module/kvm_intel/parameters/ept");
}

const char *stats_use_paging(enum stats_paging paging)
{
	stats_paging = paging;
	if (paging == STATS_SHADOW)
		return NULL;
	return stats_param_set(TDP_MMU_PARAM,
			       paging == STATS_TDP_MMU ? "1" : "0");
}
