// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults and mappings of a guest, as the statistics of its vCPU and of its
 * VM count them, by each kind of paging that the host has.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <linux/userfaultfd.h>

#include "kvm_stats_mmu.h"
#include "kvm_stats_thread.h"

#define VCPU_ID		0
#define OTHER_VCPU_ID	1
#define TIMES		13
#define SYS_USERFAULTFD	323	/* <asm/unistd_64.h> of tools/ has another call's */
#define MMIO		0xc0000000ul

/*
 * What the window shows from which page on.  The first page of all and of MMIO
 * is touched before a check starts.
 */
#define FRESH		1	/* pages next to the first one */
#define APART		64	/* pages of which each needs a page table */
#define DEVICE		128	/* of which nothing is there */
#define ALIAS		192	/* the same page again and again */
#define SHARED		256	/* pages that both vCPUs write to */

#define MEMORY_PAGES	((TIMES + 1) * 512)

static struct stats_param params[] = {
	{ TDP_MMU_PARAM },
};

/*
 * The guest of two vCPUs, which do the same.  Neither goes on before the other
 * one is done: the end of a thread might disturb KVM in mapping a page.
 */

static uint64_t guest_arrivals;
static uint64_t guest_arrivals_wanted;

static void guest_share(void)
{
	for (;;) {
		guest_touch_pages();
		__atomic_add_fetch(&guest_arrivals, 1, __ATOMIC_SEQ_CST);
		while (READ_ONCE(guest_arrivals) < READ_ONCE(guest_arrivals_wanted))
			;
		GUEST_SYNC(0);
	}
}

/* The VMM */

static struct kvm_vm *create_vm(void *guest_code)
{
	struct kvm_vm *vm = vm_create_default(VCPU_ID, 0, guest_code);

	vm_userspace_mem_region_add(vm, VM_MEM_SRC_ANONYMOUS, MEMORY,
				    MEMORY_SLOT, MEMORY_PAGES, 0);
	stats_map_window(vm, 0, MEMORY, APART, PAGE);
	stats_map_window(vm, APART, MEMORY + LARGE_PAGE, TIMES, LARGE_PAGE);
	stats_map_window(vm, DEVICE, MMIO, TIMES + 1, PAGE);
	stats_map_window(vm, ALIAS, MEMORY + ALIAS * PAGE, TIMES, 0);
	stats_map_window(vm, SHARED, MEMORY + SHARED * PAGE, TIMES, PAGE);
	return vm;
}

static const char *set_up(struct stats_target *target, enum stats_paging paging)
{
	static struct stats_guest guest;
	const char *message;

	message = stats_use_paging(paging);
	if (message)
		return message;
	guest = stats_guest_of(create_vm(guest_mmu_main), VCPU_ID);
	target->machine = &guest;
	stats_write_pages(&guest, 0, 1);
	stats_write_pages(&guest, DEVICE, 1);
	return NULL;
}

static const char *set_up_shadow(struct stats_target *target)
{
	return set_up(target, STATS_SHADOW);
}

static const char *set_up_direct(struct stats_target *target)
{
	return set_up(target, STATS_DIRECT);
}

static const char *set_up_tdp_mmu(struct stats_target *target)
{
	return set_up(target, STATS_TDP_MMU);
}

/* The shadow MMU, which maps directly as well, has page tables to count. */
static int64_t shadow_pages(int64_t num)
{
	return stats_paging == STATS_TDP_MMU ? 0 : num;
}

/* Checks */

static const char *fresh_pages(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_moment before, after;

	before = stats_now(guest);
	stats_write_pages(guest, FRESH, TIMES);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "pf_taken", TIMES },
				   { "pf_fixed", TIMES },
				   { "pf_emulate", 0 },
				   { "pf_spurious", 0 },
				   { "pf_fast", 0 },
				   { "pf_mmio_spte_created", 0 },
				   { "pf_guest", 0 },
				   { "pages_4k", TIMES },
				   { "pages_2m", 0 },
				   { "pages_1g", 0 },
				   { "mmu_shadow_pages", 0 });
}

static const char *mapped_pages(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_moment before, after;

	stats_write_pages(guest, FRESH, TIMES);
	before = stats_now(guest);
	stats_write_pages(guest, FRESH, TIMES);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "pf_taken", 0 },
				   { "pf_fixed", 0 },
				   { "pages_4k", 0 });
}

/*
 * Each page is the first one of its 2 MiB, in physical memory.  When KVM shadows
 * the guest's page tables, then it is the one of the window that counts.
 */
static const char *page_tables(struct stats_target *target)
{
	int64_t tables = stats_paging == STATS_SHADOW ? 0 : shadow_pages(TIMES);
	const struct stats_guest *guest = target->machine;
	struct stats_moment before, after;

	before = stats_now(guest);
	stats_write_pages(guest, APART, TIMES);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "pf_taken", TIMES },
				   { "pages_4k", TIMES },
				   { "mmu_shadow_pages", tables });
}

/* With a slot, all mappings of its VM go, and all tables but that at the root. */
static const char *deleted_slot(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_moment now;
	const char *message;

	stats_write_pages(guest, FRESH, TIMES);
	stats_write_pages(guest, APART, TIMES);
	vm_mem_region_delete(guest->vm, MEMORY_SLOT);
	now = stats_now(guest);
	message = stats_check_value(&now, "pages_4k", 0);
	return message ? message : stats_check_value(&now, "mmu_shadow_pages",
						     shadow_pages(1));
}

static const char *mmio(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_moment before, after;

	before = stats_now(guest);
	stats_write_pages(guest, DEVICE + 1, TIMES);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "mmio_exits", TIMES },
				   { "pf_taken", TIMES },
				   { "pf_emulate", TIMES },
				   { "pf_mmio_spte_created", TIMES },
				   { "pf_fixed", TIMES },
				   { "pf_spurious", 0 },
				   { "pf_fast", 0 },
				   { "pages_4k", 0 });
}

/* KVM finds what it has noted of the page. */
static const char *mmio_again(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_moment before, after;

	stats_write_pages(guest, DEVICE, TIMES + 1);
	before = stats_now(guest);
	stats_write_pages(guest, DEVICE + 1, TIMES);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "mmio_exits", TIMES },
				   { "pf_taken", 0 },
				   { "pf_emulate", 0 },
				   { "pf_mmio_spte_created", 0 });
}

/* KVM need not take a lock to make a page writable, if it maps directly. */
static const char *write_protected_pages(struct stats_target *target)
{
	int64_t fast = stats_paging == STATS_DIRECT ? TIMES : 0;
	const struct stats_guest *guest = target->machine;
	struct stats_moment before, after;

	if (stats_param_is_on("/sys/module/kvm_intel/parameters/pml"))
		return stats_skip("the CPU logs dirty pages, so that nothing is write-protected");
	stats_write_pages(guest, FRESH, TIMES);
	vm_mem_region_set_flags(guest->vm, MEMORY_SLOT, KVM_MEM_LOG_DIRTY_PAGES);
	before = stats_now(guest);
	stats_write_pages(guest, FRESH, TIMES);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "pf_taken", TIMES },
				   { "pf_fast", fast },
				   { "pf_fixed", TIMES - fast },
				   { "pf_emulate", 0 },
				   { "pf_spurious", 0 },
				   { "pages_4k", 0 });
}

/* One mapping for each page of guest memory, or for each of its addresses. */
static const char *aliases(struct stats_target *target)
{
	int64_t mappings = stats_paging == STATS_SHADOW ? TIMES : 1;
	uint64_t peak = stats_paging == STATS_TDP_MMU ? 0 : mappings;
	const struct stats_guest *guest = target->machine;
	struct stats_moment before, after;
	const char *message;

	before = stats_now(guest);
	stats_write_pages(guest, ALIAS, TIMES);
	after = stats_now(guest);
	message = STATS_CHECK_CHANGES(&before, &after,
				      { "pf_taken", mappings },
				      { "pages_4k", mappings });
	return message ? message :
	       stats_check_value(&after, "max_mmu_rmap_size", peak);
}

/* Who touches the shared pages for the first time has to wait for this process. */
static const char *watch_shared_pages(struct kvm_vm *vm, int *uffd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register watch = {
		.range.start = (uintptr_t)addr_gpa2hva(vm, MEMORY + SHARED * PAGE),
		.range.len = TIMES * PAGE,
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	*uffd = syscall(SYS_USERFAULTFD, O_CLOEXEC);
	if (*uffd < 0)
		return stats_skip("userfaultfd: %s", strerror(errno));
	TEST_ASSERT(!ioctl(*uffd, UFFDIO_API, &api) &&
		    !ioctl(*uffd, UFFDIO_REGISTER, &watch),
		    "cannot watch the guest's memory: %s", strerror(errno));
	return NULL;
}

/* Provides a page once both vCPUs wait for it. */
static void provide_page(int uffd)
{
	static char zeroes[PAGE] __aligned(PAGE);
	struct uffdio_copy copy = { .src = (uintptr_t)zeroes, .len = PAGE };
	struct uffd_msg faults[2];
	int i;

	for (i = 0; i < 2; i++)
		TEST_ASSERT(read(uffd, &faults[i], sizeof(faults[i])) == sizeof(faults[i]) &&
			    faults[i].event == UFFD_EVENT_PAGEFAULT,
			    "no page fault: %s", strerror(errno));
	copy.dst = faults[0].arg.pagefault.address & -PAGE;
	TEST_ASSERT((faults[1].arg.pagefault.address & -PAGE) == copy.dst,
		    "the vCPUs wait for different pages");
	TEST_ASSERT(!ioctl(uffd, UFFDIO_COPY, &copy), "cannot provide a page: %s",
		    strerror(errno));
}

static void touch_shared_pages(const struct stats_guest guests[2], int uffd)
{
	struct kvm_vm *vm = guests[0].vm;
	struct stats_vcpu_thread threads[2];
	int i;

	*stats_in_guest(vm, guest_arrivals_wanted) =
		*stats_in_guest(vm, guest_arrivals) + 2;
	stats_set_work(vm, false, SHARED, TIMES);
	for (i = 0; i < 2; i++)
		stats_vcpu_start(&threads[i], &guests[i], stats_nth_cpu(0));
	for (i = 0; i < TIMES; i++)
		provide_page(uffd);
	for (i = 0; i < 2; i++)
		stats_vcpu_join(&threads[i]);
}

/* By either vCPU. */
static int64_t moved_by_both(const struct stats_moment before[2],
			     const struct stats_moment after[2],
			     const char *name)
{
	return stats_moved(&before[0], &after[0], name) +
	       stats_moved(&before[1], &after[1], name);
}

/*
 * The second vCPU finds that the first one has mapped the page while it waited
 * for it itself.  The TDP MMU counts that as fixed as well.
 */
static const char *check_shared_pages(const struct stats_moment before[2],
				      const struct stats_moment after[2])
{
	const struct stats_change changes[] = {
		{ "pf_taken", 2 * TIMES },
		{ "pf_fixed", stats_paging == STATS_TDP_MMU ? 2 * TIMES : TIMES },
		{ "pf_spurious", TIMES },
		{ "pf_fast", 0 },
		{ "pf_emulate", 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		int64_t by = moved_by_both(before, after, changes[i].name);

		if (by != changes[i].by)
			return stats_fail("'%s' of both vCPUs moved by %ld, expected %ld",
					  changes[i].name, by, changes[i].by);
	}
	return STATS_CHECK_CHANGES(&before[0], &after[0], { "pages_4k", TIMES });
}

static const char *simultaneous_faults(struct stats_target *target)
{
	static const uint32_t ids[] = { VCPU_ID, OTHER_VCPU_ID };
	struct kvm_vm *vm = create_vm(guest_share);
	struct stats_moment before[2], after[2];
	struct stats_guest guests[2];
	const char *message;
	int i, uffd;

	vm_vcpu_add_default(vm, OTHER_VCPU_ID, guest_share);
	message = watch_shared_pages(vm, &uffd);
	if (message)
		return message;
	for (i = 0; i < 2; i++) {
		guests[i] = stats_guest_of(vm, ids[i]);
		stats_write_pages(&guests[i], 0, 1);
	}
	for (i = 0; i < 2; i++)
		before[i] = stats_now(&guests[i]);
	touch_shared_pages(guests, uffd);
	for (i = 0; i < 2; i++)
		after[i] = stats_now(&guests[i]);
	return check_shared_pages(before, after);
}

static const struct stats_check checks[] = {
	STATS_CHECK("fresh_pages", fresh_pages),
	STATS_CHECK("mapped_pages", mapped_pages),
	STATS_CHECK("page_tables", page_tables),
	STATS_CHECK("deleted_slot", deleted_slot),
	STATS_CHECK("mmio", mmio),
	STATS_CHECK("mmio_again", mmio_again),
	STATS_CHECK("write_protected_pages", write_protected_pages),
	STATS_CHECK("aliases", aliases),
	STATS_CHECK("simultaneous_faults", simultaneous_faults),
};

#define SUITE(kind)							\
	{ .name = #kind, .vcpu_id = VCPU_ID, .checks = checks,		\
	  .num = ARRAY_SIZE(checks), .setup = set_up_##kind }

static const struct stats_suite shadow_suite = SUITE(shadow);
static const struct stats_suite suites[] = {
	SUITE(direct),
	SUITE(tdp_mmu),
};

int main(void)
{
	stats_tap_begin();
	stats_params_save(params, ARRAY_SIZE(params));
	if (stats_is_two_dimensional())
		stats_tap_run(suites, ARRAY_SIZE(suites));
	else
		stats_tap_run(&shadow_suite, 1);
	stats_params_restore(params, ARRAY_SIZE(params));
	stats_tap_end();
}
