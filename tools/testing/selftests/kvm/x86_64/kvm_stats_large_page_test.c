// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of large pages: those that KVM maps, and those that it
 * splits because the guest executes code in them.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include "kvm_stats_mmu.h"
#include "kvm_stats_tap.h"

#define VCPU_ID		0
#define LARGE_PAGES	3
#define CODE_PAGES	4

/* The pages of the window. */
#define LARGE		0	/* the first page of each large page */
#define CODE		64	/* pages in the first large page */
#define CODE_OFFSET	(7 * PAGE)
#define CODE_STRIDE	(64 * PAGE)

#define NX_PARAM	STATS_KVM_PARAM("nx_huge_pages")
#define POOL_2M		"/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define POOL_1G		"/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT	26
#endif

static struct stats_param params[] = {
	{ TDP_MMU_PARAM },
	{ NX_PARAM },
	{ POOL_2M },
	{ POOL_1G },
};

static const char *set_up(struct stats_target *target, enum stats_paging paging)
{
	struct kvm_vm *vm;

	stats_must(stats_use_paging(paging));
	stats_must(stats_param_set(NX_PARAM, "off"));
	vm = vm_create_default(VCPU_ID, 0, guest_mmu_main);
	return stats_use_guest(target, vm, VCPU_ID);
}

static const char *set_up_direct(struct stats_target *target)
{
	return set_up(target, STATS_DIRECT);
}

static const char *set_up_tdp_mmu(struct stats_target *target)
{
	return set_up(target, STATS_TDP_MMU);
}

/* The kernel may reserve fewer pages than requested. */
static const char *fill_pool(const char *pool, unsigned int num)
{
	char wanted[16], got[32];

	if (stats_param_read(pool, got) && strtoul(got, NULL, 10) >= num)
		return NULL;
	snprintf(wanted, sizeof(wanted), "%u", num);
	stats_must(stats_param_set(pool, wanted));
	if (stats_param_read(pool, got) && strtoul(got, NULL, 10) >= num)
		return NULL;
	return stats_skip("the host cannot reserve %u pages in %s; reserve them at boot",
			  num, pool);
}

static void set_memory(struct kvm_vm *vm, void *memory, size_t size, uint32_t flags)
{
	struct kvm_userspace_memory_region region = {
		.slot = MEMORY_SLOT,
		.flags = flags,
		.guest_phys_addr = MEMORY,
		.memory_size = size,
		.userspace_addr = (uintptr_t)memory,
	};

	vm_ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region);
}

static void *added_memory;

/*
 * Adds @num pages of @size from @pool to the memory of the guest.  The window
 * maps the first 4 KiB of each.
 */
static const char *add_memory(const struct stats_guest *guest, const char *pool,
			      size_t size, unsigned int num)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB |
		    __builtin_ctzl(size) << MAP_HUGE_SHIFT;
	void *memory;

	stats_must(fill_pool(pool, num));
	memory = mmap(NULL, num * size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (memory == MAP_FAILED)
		return stats_skip("cannot map %u pages of %zu MiB: %s", num, size >> 20,
				  strerror(errno));
	set_memory(guest->vm, memory, num * size, 0);
	added_memory = memory;
	stats_map_window(guest->vm, LARGE, MEMORY, num, size);
	stats_map_window(guest->vm, CODE, MEMORY + CODE_OFFSET, CODE_PAGES,
			 CODE_STRIDE);
	return NULL;
}

static const char *add_large_pages(const struct stats_guest *guest)
{
	return add_memory(guest, POOL_2M, LARGE_PAGE, LARGE_PAGES);
}

/* KVM maps nothing after the slot was deleted. */
static const char *check_empty(const struct stats_guest *guest)
{
	static const char * const names[] = {
		"pages_4k", "pages_2m", "pages_1g", "nx_lpage_splits",
	};
	struct stats_snapshot now = stats_now(guest);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		stats_must(stats_check_value(&now, names[i], 0));
	return NULL;
}

static const char *large_pages(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	stats_must(add_large_pages(guest));
	stats_write_pages(guest, LARGE, 1);
	before = stats_now(guest);
	stats_write_pages(guest, LARGE, LARGE_PAGES);
	stats_write_pages(guest, CODE, CODE_PAGES);
	after = stats_now(guest);
	stats_must(STATS_CHECK_CHANGES(&before, &after,
				       { "pf_taken", LARGE_PAGES - 1 },
				       { "pages_2m", LARGE_PAGES - 1 },
				       { "pages_4k", 0 }, { "pages_1g", 0 }));
	stats_must(stats_check_value(&after, "pages_2m", LARGE_PAGES));
	set_memory(guest->vm, NULL, 0, 0);
	return check_empty(guest);
}

static const char *huge_page(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	stats_must(add_memory(guest, POOL_1G, HUGE_PAGE, 1));
	stats_write_pages(guest, LARGE, 0);
	before = stats_now(guest);
	stats_write_pages(guest, LARGE, 1);
	stats_write_pages(guest, CODE, CODE_PAGES);
	after = stats_now(guest);
	stats_must(STATS_CHECK_CHANGES(&before, &after, { "pages_1g", 1 },
				       { "pages_2m", 0 }));
	set_memory(guest->vm, NULL, 0, 0);
	return check_empty(guest);
}

/* KVM needs mmu_lock to replace a large page by small ones, whose writes it logs. */
static const char *logged_pages(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	if (stats_param_is_on("/sys/module/kvm_intel/parameters/pml"))
		return stats_skip("the CPU logs dirty pages, so KVM does not write-protect them");
	stats_must(add_large_pages(guest));
	stats_write_pages(guest, LARGE, LARGE_PAGES);
	set_memory(guest->vm, added_memory, LARGE_PAGES * LARGE_PAGE, KVM_MEM_LOG_DIRTY_PAGES);
	before = stats_now(guest);
	stats_write_pages(guest, LARGE, LARGE_PAGES);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "pf_taken", LARGE_PAGES },
				   { "pf_fast", 0 },
				   { "pages_2m", -LARGE_PAGES });
}

/*
 * Returns the number of small pages that KVM maps when the guest executes code in
 * the last one of eight: the MMU that can also shadow prefetches the others.
 */
static int64_t pages_of_split(void)
{
	return stats_paging == STATS_DIRECT ? 8 : 1;
}

static const char *nx_split(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	stats_must(stats_param_set(NX_PARAM, "force"));
	stats_must(add_large_pages(guest));
	stats_write_pages(guest, LARGE, LARGE_PAGES);
	stats_write_pages(guest, CODE, CODE_PAGES);

	before = stats_now(guest);
	stats_execute_pages(guest, CODE, CODE_PAGES);
	after = stats_now(guest);
	stats_must(STATS_CHECK_CHANGES(&before, &after,
				       { "nx_lpage_splits", 1 },
				       { "pages_2m", -1 },
				       { "pages_4k",
					CODE_PAGES * pages_of_split() },
				       { "pf_taken", CODE_PAGES }));
	set_memory(guest->vm, NULL, 0, 0);
	return check_empty(guest);
}

static const struct stats_check checks[] = {
	STATS_CHECK("pages_2m", large_pages),
	STATS_CHECK("pages_1g", huge_page),
	STATS_CHECK("logged_pages", logged_pages),
	STATS_CHECK("nx_split", nx_split),
};

static const struct stats_suite suites[] = {
	STATS_SUITE("direct", -1, checks, set_up_direct),
	STATS_SUITE("tdp_mmu", -1, checks, set_up_tdp_mmu),
};

int main(void)
{
	stats_tap_begin();
	if (!stats_has_nested_paging())
		ksft_exit_skip("KVM uses shadow paging, and the guest has only small pages\n");
	stats_tap_run(suites, ARRAY_SIZE(suites), params, ARRAY_SIZE(params));
}
