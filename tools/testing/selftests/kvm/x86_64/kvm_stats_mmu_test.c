// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of page faults and mappings, with each kind of paging that
 * the host supports.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <linux/compiler.h>
#include <linux/userfaultfd.h>

#include "kvm_stats_mmu.h"
#include "kvm_stats_tap.h"
#include "kvm_stats_guest.h"

#define VCPU_ID		0
#define OTHER_VCPU_ID	1
#define TIMES		13
#define RACE_SECONDS	40	/* both vCPUs must run at the same time */
#define SYS_USERFAULTFD	323	/* tools/ has a different __NR_userfaultfd */
#define MMIO		0xc0000000ul

/*
 * The pages of the window.  set_up() touches page 0 and page DEVICE before each
 * check.
 */
#define FRESH		1	/* adjacent pages, after page 0 */
#define APART		64	/* each of these needs its own page table */
#define DEVICE		128	/* MMIO: there is no memory slot */
#define ALIAS		192	/* all of these are the same physical page */
#define SHARED		256	/* both vCPUs write to these */

#define RACE_PAGES	(APART - FRESH)
#define MEMORY_PAGES	((TIMES + 1) * 512)

static struct stats_param params[] = {
	{ TDP_MMU_PARAM },
};

/*
 * The guest code of the checks with two vCPUs.  Both touch each page at the same
 * time.  Each vCPU also waits at the end until the other one arrives, because the
 * exit of a thread could invalidate a mapping that KVM is about to create.
 */

static uint64_t guest_both;	/* otherwise one vCPU runs alone */
static uint64_t guest_arrivals;

static void guest_meet(uint64_t arrivals)
{
	__atomic_add_fetch(&guest_arrivals, 1, __ATOMIC_SEQ_CST);
	while (READ_ONCE(guest_both) && READ_ONCE(guest_arrivals) < arrivals)
		;
}

static void guest_share(void)
{
	uint64_t i;

	for (;;) {
		for (i = 0; i < guest_num_pages(); i++) {
			guest_meet(2 * i + 2);
			guest_touch_page(i);
		}
		guest_meet(2 * i + 2);
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
	stats_must(stats_use_paging(paging));
	stats_use_guest(target, create_vm(guest_mmu_main), VCPU_ID);
	stats_write_pages(target->machine, 0, 1);
	stats_write_pages(target->machine, DEVICE, 1);
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

/* mmu_shadow_pages does not count page tables of the TDP MMU. */
static int64_t shadow_pages(int64_t num)
{
	return stats_paging == STATS_TDP_MMU ? 0 : num;
}

/* Checks */

static const char *fresh_pages(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

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
	struct stats_snapshot before, after;

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
 * Each page is in its own 2 MiB of physical memory, so nested paging needs a page
 * table for each.  Shadow paging uses the one page table of the window.
 */
static const char *page_tables(struct stats_target *target)
{
	int64_t tables = stats_paging == STATS_SHADOW ? 0 : shadow_pages(TIMES);
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	before = stats_now(guest);
	stats_write_pages(guest, APART, TIMES);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "pf_taken", TIMES },
				   { "pages_4k", TIMES },
				   { "mmu_cache_miss", tables },
				   { "mmu_shadow_pages", tables });
}

/* When a slot is deleted, KVM removes all page tables of the VM but the root. */
static const char *deleted_slot(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	const char *message;

	stats_write_pages(guest, FRESH, TIMES);
	stats_write_pages(guest, APART, TIMES);
	before = stats_now(guest);
	vm_mem_region_delete(guest->vm, MEMORY_SLOT);
	after = stats_now(guest);
	message = stats_check_value(&after, "pages_4k", 0);
	if (!message)
		message = stats_check_value(&after, "mmu_shadow_pages", shadow_pages(1));
	return message ? message :
	       STATS_CHECK_CHANGES(&before, &after,
				   { "mmu_shadow_zapped", stats_sum(&before, "mmu_shadow_pages") });
}

static const char *mmio(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

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

/* KVM has cached that the page is MMIO. */
static const char *mmio_again(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

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

/* With direct maps KVM makes a page writable without mmu_lock: pf_fast. */
static const char *write_protected_pages(struct stats_target *target)
{
	int64_t fast = stats_paging == STATS_DIRECT ? TIMES : 0;
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	if (stats_param_is_on("/sys/module/kvm_intel/parameters/pml"))
		return stats_skip("the CPU logs dirty pages, so KVM does not write-protect them");
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

/* Reading the log of dirty pages write-protects them again. */
static void write_protect_again(struct kvm_vm *vm)
{
	static uint64_t dirty[MEMORY_PAGES / 64];

	kvm_vm_get_dirty_log(vm, MEMORY_SLOT, dirty);
}

/* KVM flushes the TLB of the vCPU when it runs again. */
static const char *write_protected_again(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	int i;

	if (stats_param_is_on("/sys/module/kvm_intel/parameters/pml"))
		return stats_skip("the CPU logs dirty pages, so KVM does not write-protect them");
	vm_mem_region_set_flags(guest->vm, MEMORY_SLOT, KVM_MEM_LOG_DIRTY_PAGES);
	stats_write_pages(guest, FRESH, 1);
	before = stats_now(guest);
	for (i = 0; i < TIMES; i++) {
		write_protect_again(guest->vm);
		stats_write_pages(guest, FRESH, 1);
	}
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "remote_tlb_flush_requests", TIMES },
				   { "remote_tlb_flush", 0 },
				   { "tlb_flush", TIMES });
}

/* Shadow paging maps each virtual address, nested paging the physical page. */
static const char *aliases(struct stats_target *target)
{
	int64_t mappings = stats_paging == STATS_SHADOW ? TIMES : 1;
	uint64_t peak = stats_paging == STATS_TDP_MMU ? 0 : mappings;
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	before = stats_now(guest);
	stats_write_pages(guest, ALIAS, TIMES);
	after = stats_now(guest);
	stats_must(STATS_CHECK_CHANGES(&before, &after,
				       { "pf_taken", mappings },
				       { "pages_4k", mappings }));
	stats_write_pages(guest, FRESH, 1);	/* its list is shorter */
	after = stats_now(guest);
	return stats_check_value(&after, "max_mmu_rmap_size", peak);
}

/* The first access to a shared page waits until provide_page() copies it. */
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

/* Waits until both vCPUs access the same page, and copies it. */
static void provide_page(int uffd)
{
	static char zeroes[PAGE] __aligned(PAGE);
	struct uffdio_copy copy = { .src = (uintptr_t)zeroes, .len = PAGE };
	struct uffd_msg faults[2];
	int i;

	for (i = 0; i < 2; i++)
		TEST_ASSERT(read(uffd, &faults[i], sizeof(faults[i])) == sizeof(faults[i]) &&
			    faults[i].event == UFFD_EVENT_PAGEFAULT,
			    "cannot read a page fault: %s", strerror(errno));
	copy.dst = faults[0].arg.pagefault.address & -PAGE;
	TEST_ASSERT((faults[1].arg.pagefault.address & -PAGE) == copy.dst,
		    "the vCPUs wait for different pages");
	TEST_ASSERT(!ioctl(uffd, UFFDIO_COPY, &copy), "cannot provide a page: %s",
		    strerror(errno));
}

/* Both vCPUs are ready to write to the same pages. */
static void create_two_vcpus(struct kvm_vm *vm, struct stats_guest guests[2])
{
	static const uint32_t ids[] = { VCPU_ID, OTHER_VCPU_ID };
	int i;

	vm_vcpu_add_default(vm, OTHER_VCPU_ID, guest_share);
	for (i = 0; i < 2; i++) {
		guests[i] = stats_guest_of(vm, ids[i]);
		stats_write_pages(&guests[i], 0, 1);
	}
}

static void start_both(const struct stats_guest guests[2],
		       struct stats_vcpu_thread threads[2], const int cpus[2],
		       unsigned int first, unsigned int num)
{
	struct kvm_vm *vm = guests[0].vm;
	int i;

	*stats_in_guest(vm, guest_both) = 1;
	*stats_in_guest(vm, guest_arrivals) = 0;
	stats_set_work(vm, false, first, num);
	for (i = 0; i < 2; i++)
		stats_vcpu_start(&threads[i], &guests[i], cpus[i]);
}

static void join_both(struct stats_vcpu_thread threads[2])
{
	stats_vcpu_join(&threads[0]);
	stats_vcpu_join(&threads[1]);
}

static void touch_shared_pages(const struct stats_guest guests[2], int uffd)
{
	const int cpus[] = { stats_nth_cpu(0), stats_nth_cpu(0) };
	struct stats_vcpu_thread threads[2];
	int i;

	start_both(guests, threads, cpus, SHARED, TIMES);
	for (i = 0; i < TIMES; i++)
		provide_page(uffd);
	join_both(threads);
}

/* Returns the sum of the changes of both vCPUs. */
static int64_t change_of_both(const struct stats_snapshot before[2],
			      const struct stats_snapshot after[2],
			      const char *name)
{
	return stats_changed(&before[0], &after[0], name) +
	       stats_changed(&before[1], &after[1], name);
}

/*
 * The vCPU that takes mmu_lock second finds the page mapped, so its fault is
 * spurious.  The TDP MMU counts this fault as fixed, too.
 */
static const char *check_shared_pages(const struct stats_snapshot before[2],
				      const struct stats_snapshot after[2])
{
	const struct stats_change changes[] = {
		{ "pf_taken", 2 * TIMES },
		{ "pf_fixed", stats_paging == STATS_TDP_MMU ? 2 * TIMES : TIMES },
		{ "pf_spurious", TIMES },
		{ "pf_fast", 0 },
		{ "pf_emulate", 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		int64_t by = change_of_both(before, after, changes[i].name);

		if (by != changes[i].by)
			return stats_fail("'%s' of both vCPUs changed by %ld, expected %ld",
					  changes[i].name, by, changes[i].by);
	}
	return STATS_CHECK_CHANGES(&before[0], &after[0], { "pages_4k", TIMES });
}

static const char *simultaneous_faults(struct stats_target *target)
{
	struct kvm_vm *vm = create_vm(guest_share);
	struct stats_snapshot before[2], after[2];
	struct stats_guest guests[2];
	int i, uffd;

	stats_must(watch_shared_pages(vm, &uffd));
	create_two_vcpus(vm, guests);
	for (i = 0; i < 2; i++)
		before[i] = stats_now(&guests[i]);
	touch_shared_pages(guests, uffd);
	for (i = 0; i < 2; i++)
		after[i] = stats_now(&guests[i]);
	return check_shared_pages(before, after);
}

/* Returns how many faults of the vCPUs were spurious since @before. */
static int64_t write_at_once(const struct stats_guest guests[2],
			     const struct stats_snapshot before[2],
			     struct stats_snapshot after[2])
{
	const int cpus[] = { stats_nth_cpu(0), stats_nth_cpu(1) };
	struct stats_vcpu_thread threads[2];
	int i;

	start_both(guests, threads, cpus, FRESH, RACE_PAGES);
	join_both(threads);
	for (i = 0; i < 2; i++)
		after[i] = stats_now(&guests[i]);
	return change_of_both(before, after, "pf_spurious");
}

/* KVM does not need mmu_lock for any of these faults, if it maps directly. */
static const char *check_writes(const struct stats_snapshot before[2],
				const struct stats_snapshot after[2])
{
	int64_t taken = change_of_both(before, after, "pf_taken");
	int64_t fast = change_of_both(before, after, "pf_fast");
	int64_t expected = stats_paging == STATS_DIRECT ? taken : 0;

	return fast == expected ? NULL :
	       stats_fail("'pf_fast' of both vCPUs changed by %ld, expected %ld of %ld faults",
			  fast, expected, taken);
}

/* Tries until both vCPUs fault on a page that one of them has made writable. */
static const char *race(const struct stats_guest guests[2])
{
	struct stats_snapshot before[2], after[2];
	time_t end = time(NULL) + RACE_SECONDS;
	int i;

	for (i = 0; i < 2; i++)
		before[i] = stats_now(&guests[i]);
	while (!write_at_once(guests, before, after)) {
		if (time(NULL) > end)
			return stats_skip("no page fault was spurious within %d seconds",
					  RACE_SECONDS);
		for (i = 0; i < 2; i++)
			stats_snapshot_free(&after[i]);
		write_protect_again(guests[0].vm);
	}
	return check_writes(before, after);
}

static const char *simultaneous_writes(struct stats_target *target)
{
	struct stats_guest guests[2];
	struct kvm_vm *vm;

	if (stats_nth_cpu(1) < 0)
		return stats_skip("this test needs 2 CPUs, to run both vCPUs at once");
	vm = create_vm(guest_share);
	create_two_vcpus(vm, guests);
	stats_write_pages(&guests[0], FRESH, RACE_PAGES);
	vm_mem_region_set_flags(vm, MEMORY_SLOT, KVM_MEM_LOG_DIRTY_PAGES);
	return race(guests);
}

static const struct stats_check checks[] = {
	STATS_CHECK("fresh_pages", fresh_pages),
	STATS_CHECK("mapped_pages", mapped_pages),
	STATS_CHECK("page_tables", page_tables),
	STATS_CHECK("deleted_slot", deleted_slot),
	STATS_CHECK("mmio", mmio),
	STATS_CHECK("mmio_again", mmio_again),
	STATS_CHECK("write_protected_pages", write_protected_pages),
	STATS_CHECK("write_protected_again", write_protected_again),
	STATS_CHECK("aliases", aliases),
	STATS_CHECK("simultaneous_faults", simultaneous_faults),
	STATS_CHECK("simultaneous_writes", simultaneous_writes),
};

static const struct stats_suite shadow_suite =
	STATS_SUITE("shadow", VCPU_ID, checks, set_up_shadow);
static const struct stats_suite nested_suites[] = {
	STATS_SUITE("direct", VCPU_ID, checks, set_up_direct),
	STATS_SUITE("tdp_mmu", VCPU_ID, checks, set_up_tdp_mmu),
};

int main(void)
{
	stats_tap_begin();
	if (stats_has_nested_paging())
		stats_tap_run(nested_suites, ARRAY_SIZE(nested_suites), params,
			      ARRAY_SIZE(params));
	else
		stats_tap_run(&shadow_suite, 1, NULL, 0);
}
