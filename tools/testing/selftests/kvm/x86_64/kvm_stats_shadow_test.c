// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of shadow paging: what KVM counts when a guest changes its
 * page tables, flushes the TLB, or accesses an address that they do not map; and
 * of the page tables that KVM keeps.
 *
 * The guest accesses addresses in TABLES areas of 2 MiB, each of which has a page
 * table of its own.  A window maps these page tables and the page directory with
 * their entries.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <linux/compiler.h>

#include "kvm_stats_mmu.h"
#include "kvm_stats_tap.h"
#include "processor.h"

#define VCPU_ID		0
#define PF_VECTOR	14
#define TIMES		13
#define TABLES		100
#define MIN_TABLES	64	/* the lowest limit that KVM accepts */
#define MAX_TABLES	1024
#define MIN_TABLE	0x180000ul	/* where the selftests put page tables */

#define AREAS		0x80000000ul	/* virtual address */
#define WINDOW		0x40000000ul
#define DIRECTORY	(WINDOW + TABLES * PAGE)
#define UNMAPPED	0xc0000000ul
#define NOT_CANONICAL	0x8000000000000000ul
#define DATA_PAGES	0x8000
#define COLLISIONS	5

/* The guest */

enum guest_op {
	READ, READ_UNMAPPED, WRITE, CLEAR, WRITE_BYTE, WRITE_HALF, INVLPG, LOAD_CR3, DOUBLE_FAULT
};

/* Does something @num times, at addresses that are @stride apart. */
static struct {
	uint64_t op;
	uint64_t address;
	uint64_t stride;
	uint64_t num;
} guest_work;

static void guest_do(uint64_t op, uint64_t address)
{
	uint64_t *entry = (uint64_t *)address;

	switch (op) {
	case READ:
		READ_ONCE(*entry);
		break;
	case READ_UNMAPPED:
		/* Two bytes, which the handler of page faults skips. */
		asm volatile(".byte 0x8a, 0x00" : "+a"(address) : : "memory");
		break;
	case WRITE:
		WRITE_ONCE(*entry, READ_ONCE(*entry));
		break;
	case CLEAR:
		WRITE_ONCE(*entry, 0);
		break;
	case WRITE_BYTE:
		WRITE_ONCE(*(uint8_t *)entry, READ_ONCE(*(uint8_t *)entry));
		break;
	case WRITE_HALF:
		/* KVM's emulator does not have this instruction. */
		asm volatile("movhps (%0), %%xmm0; movhps %%xmm0, (%0)"
			     : : "r"(address) : "xmm0", "memory");
		break;
	case INVLPG:
		asm volatile("invlpg (%0)" : : "r"(address) : "memory");
		break;
	case DOUBLE_FAULT:
		asm volatile("lidt %0" : : "m"((struct desc_ptr){ .size = PAGE - 1,
								   .address = address }));
		READ_ONCE(*entry);
		break;
	case LOAD_CR3:
		asm volatile("mov %%cr3, %0; mov %0, %%cr3" : "=r"(address) : : "memory");
		break;
	}
}

static void guest_skip_read(struct ex_regs *regs)
{
	regs->rip += 2;
}

static noinline __aligned(256) void guest_work_once(void)
{
	uint64_t i;

	for (i = 0; i < READ_ONCE(guest_work.num); i++)
		guest_do(guest_work.op, guest_work.address + i * guest_work.stride);
}

static void guest_main(void)
{
	for (;;) {
		GUEST_SYNC(0);
		guest_work_once();
	}
}

/* The VMM */

/* Returns the physical address that entry @index of a page table has. */
static uint64_t entry_address(struct kvm_vm *vm, uint64_t table, unsigned int index)
{
	const uint64_t *entries = addr_gpa2hva(vm, table);

	return entries[index] & 0x000ffffffffff000ul;
}

static uint64_t directory_of(struct kvm_vm *vm, uint64_t address)
{
	struct kvm_sregs sregs;
	uint64_t table;

	vcpu_sregs_get(vm, VCPU_ID, &sregs);
	table = entry_address(vm, sregs.cr3, address >> 39 & 511);
	return entry_address(vm, table, address >> 30 & 511);
}

static void set_work(const struct stats_guest *guest, enum guest_op op, uint64_t address,
		     uint64_t stride, uint64_t num)
{
	typeof(guest_work) *work = stats_in_guest(guest->vm, guest_work);

	work->op = op;
	work->address = address;
	work->stride = stride;
	work->num = num;
}

static void run_work(const struct stats_guest *guest, enum guest_op op, uint64_t address,
		     uint64_t stride, uint64_t num)
{
	set_work(guest, op, address, stride, num);
	stats_run_guest(guest);
}

/* Accesses the first @num areas, so KVM needs a page table for each of them. */
static void touch_areas(const struct stats_guest *guest, unsigned int num)
{
	run_work(guest, READ, AREAS, LARGE_PAGE, num);
}

static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm = vm_create_default(VCPU_ID, TABLES * 512, guest_main);
	uint64_t directory;
	unsigned int i;

	vm_userspace_mem_region_add(vm, VM_MEM_SRC_ANONYMOUS, MEMORY, MEMORY_SLOT,
				    DATA_PAGES, 0);
	for (i = 0; i < TABLES; i++)
		virt_pg_map(vm, AREAS + i * LARGE_PAGE, MEMORY + i * PAGE, 0);
	directory = directory_of(vm, AREAS);
	for (i = 0; i < TABLES; i++)
		virt_pg_map(vm, WINDOW + i * PAGE, entry_address(vm, directory, i), 0);
	virt_pg_map(vm, DIRECTORY, directory, 0);

	vm_init_descriptor_tables(vm);
	vcpu_init_descriptor_tables(vm, VCPU_ID);
	vm_handle_exception(vm, PF_VECTOR, guest_skip_read);
	stats_use_guest(target, vm, VCPU_ID);
	stats_run_guest(target->machine);
	/* Afterwards, everything is mapped but the areas of the checks. */
	run_work(target->machine, READ, WINDOW, PAGE, TABLES + 1);
	run_work(target->machine, READ, AREAS + (TABLES - 1) * LARGE_PAGE, 0, 1);
	run_work(target->machine, READ_UNMAPPED, UNMAPPED, 0, 1);
	return NULL;
}

static const char *check_work(const struct stats_guest *guest, enum guest_op op,
			      uint64_t address, uint64_t stride, uint64_t num,
			      const struct stats_change *changes, size_t num_changes)
{
	struct stats_snapshot before, after;

	before = stats_now(guest);
	run_work(guest, op, address, stride, num);
	after = stats_now(guest);
	return stats_check_changes(&before, &after, changes, num_changes);
}

/* CHECK_WORK(guest, op, address, stride, num, { "NAME", BY }, ...) */
#define CHECK_WORK(guest, op, address, stride, num, ...)		\
	check_work(guest, op, address, stride, num,			\
		   (const struct stats_change[]) { __VA_ARGS__ },	\
		   ARRAY_SIZE(((const struct stats_change[]) { __VA_ARGS__ })))

/* Checks */

static const char *new_tables(struct stats_target *target)
{
	return CHECK_WORK(target->machine, READ, AREAS, LARGE_PAGE, TIMES,
			  { "mmu_cache_miss", TIMES },
			  { "mmu_shadow_pages", TIMES },
			  { "mmu_shadow_zapped", 0 },
			  { "mmu_pte_write", 0 },
			  { "pf_guest", 0 });
}

static const char *old_tables(struct stats_target *target)
{
	touch_areas(target->machine, TIMES);
	return CHECK_WORK(target->machine, READ, AREAS, LARGE_PAGE, TIMES,
			  { "mmu_cache_miss", 0 },
			  { "mmu_shadow_pages", 0 });
}

static const char *unmapped_addresses(struct stats_target *target)
{
	return CHECK_WORK(target->machine, READ_UNMAPPED, UNMAPPED, 1, TIMES,
			  { "pf_guest", TIMES },
			  { "pf_taken", TIMES },
			  { "pf_spurious", 0 },
			  { "pf_fixed", 0 });
}

/*
 * The CPU cannot deliver the page fault, because the IDT is not mapped, so there is
 * a second one.  It cannot deliver the double fault, either.
 */
static const char *double_fault(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	set_work(guest, DOUBLE_FAULT, UNMAPPED, 0, 1);
	before = stats_now(guest);
	vcpu_run(guest->vm, VCPU_ID);
	after = stats_now(guest);
	if (vcpu_state(guest->vm, VCPU_ID)->exit_reason != KVM_EXIT_SHUTDOWN)
		return stats_fail("the guest has not shut down");
	return STATS_CHECK_CHANGES(&before, &after, { "pf_guest", 3 });
}

/* KVM lets the guest write to page tables of the lowest level until the next flush. */
static const char *unsync_tables(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	const char *message;

	touch_areas(guest, TIMES);
	message = CHECK_WORK(guest, WRITE, WINDOW, PAGE, TIMES,
			     { "mmu_unsync", TIMES },
			     { "mmu_pte_write", 0 });
	if (!message)
		message = CHECK_WORK(guest, WRITE, WINDOW, PAGE, TIMES,
				     { "mmu_unsync", 0 });
	return message ? message :
	       CHECK_WORK(guest, LOAD_CR3, 0, 0, 1,
			  { "mmu_unsync", -TIMES });
}

static const char *zapped_unsync_tables(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	touch_areas(guest, TIMES);
	run_work(guest, WRITE, WINDOW, PAGE, TIMES);
	before = stats_now(guest);
	vm_mem_region_delete(guest->vm, MEMORY_SLOT);
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after, { "mmu_unsync", -TIMES });
}

/* Each write is to another entry, and the guest uses it before the next write. */
static const char *directory_writes(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	int i;

	touch_areas(guest, TIMES);
	before = stats_now(guest);
	for (i = 0; i < TIMES; i++) {
		run_work(guest, WRITE, DIRECTORY + i * sizeof(uint64_t), 0, 1);
		touch_areas(guest, TIMES);
	}
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "mmu_pte_write", TIMES },
				   { "mmu_pde_zapped", TIMES },
				   { "mmu_flooded", 0 },
				   { "mmu_cache_miss", 0 });
}

/* The entry has no successor. */
static const char *cleared_entry(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;

	touch_areas(guest, TIMES);
	return CHECK_WORK(guest, CLEAR, DIRECTORY, 0, 1,
			  { "mmu_pte_write", 1 },
			  { "mmu_pde_zapped", 0 });
}

/* KVM gives up a page directory at the third write in a row. */
static const char *flooded_directory(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;

	touch_areas(guest, TIMES);
	return CHECK_WORK(guest, WRITE, DIRECTORY, sizeof(uint64_t), 3,
			  { "mmu_pte_write", 3 },
			  { "mmu_pde_zapped", 2 },
			  { "mmu_flooded", 1 });
}

/* KVM cannot emulate the write, but the page need not be a page table any longer. */
static const char *unprotected_directory(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;

	touch_areas(guest, TIMES);
	return CHECK_WORK(guest, WRITE_HALF, DIRECTORY, 0, 1,
			  { "insn_emulation", 1 },
			  { "insn_emulation_fail", 0 },
			  { "mmu_pte_write", 0 },
			  { "mmu_flooded", 0 });
}

/* No guest writes to a part of an entry, so this page is not a page directory. */
static const char *partial_write(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;

	touch_areas(guest, TIMES);
	return CHECK_WORK(guest, WRITE_BYTE, DIRECTORY + 1, 0, 1,
			  { "mmu_pte_write", 1 },
			  { "mmu_pde_zapped", 0 },
			  { "mmu_flooded", 1 });
}

static const char *invlpg(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;

	touch_areas(guest, TIMES);
	return CHECK_WORK(guest, INVLPG, AREAS, LARGE_PAGE, TIMES,
			  { "invlpg", TIMES },
			  { "tlb_flush", 0 });
}

/* The instruction does nothing then. */
static const char *invlpg_not_canonical(struct stats_target *target)
{
	return CHECK_WORK(target->machine, INVLPG, NOT_CANONICAL, 0, TIMES,
			  { "invlpg", 0 },
			  { "tlb_flush", 0 });
}

static const char *same_cr3(struct stats_target *target)
{
	return CHECK_WORK(target->machine, LOAD_CR3, 0, 0, TIMES,
			  { "tlb_flush", TIMES },
			  { "invlpg", 0 });
}

static const char *recycled_tables(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	int64_t recycled;

	vm_ioctl(guest->vm, KVM_SET_NR_MMU_PAGES, (void *)MAX_TABLES);
	touch_areas(guest, TABLES);
	before = stats_now(guest);
	vm_ioctl(guest->vm, KVM_SET_NR_MMU_PAGES, (void *)MIN_TABLES);
	after = stats_now(guest);
	recycled = stats_sum(&before, "mmu_shadow_pages") -
		   stats_sum(&after, "mmu_shadow_pages");
	if (recycled <= 0)
		return stats_fail("'mmu_shadow_pages' changed by %ld", -recycled);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "mmu_recycled", recycled },
				   { "mmu_shadow_zapped", recycled });
}

/* The bucket of the hash table in which KVM keeps the shadow of a page table. */
static unsigned int bucket_of(uint64_t page)
{
	return (page / PAGE * 0x61c8864680b583ebul) >> 52;
}

static bool is_free(unsigned int bucket)
{
	uint64_t page = MIN_TABLE;
	unsigned int i;

	for (i = 0; i < 2 * TABLES; i++)
		if (bucket_of(page + i * PAGE) == bucket)
			return false;
	return true;
}

/* Moves the page table of area @index to @page. */
static void move_table(struct kvm_vm *vm, unsigned int index, uint64_t page)
{
	uint64_t *entries = addr_gpa2hva(vm, directory_of(vm, AREAS));
	uint64_t old = entry_address(vm, directory_of(vm, AREAS), index);

	memcpy(addr_gpa2hva(vm, page), addr_gpa2hva(vm, old), PAGE);
	entries[index] += page - old;
}

/* Moves the tables of the first areas, so that all are in one bucket. */
static void let_tables_collide(struct kvm_vm *vm)
{
	uint64_t page = MEMORY + TABLES * PAGE;
	unsigned int bucket, moved = 0;

	while (!is_free(bucket_of(page)))
		page += PAGE;
	bucket = bucket_of(page);
	for (; moved <= COLLISIONS; page += PAGE) {
		TEST_ASSERT(page < MEMORY + DATA_PAGES * PAGE,
			    "the guest's memory has too few pages in one bucket");
		if (bucket_of(page) == bucket)
			move_table(vm, moved++, page);
	}
}

/* The peak stays after a search that finds no other table in its bucket. */
static const char *collisions(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot now;

	let_tables_collide(guest->vm);
	touch_areas(guest, COLLISIONS + 1);
	run_work(guest, READ, AREAS + (COLLISIONS + 1) * LARGE_PAGE, 0, 1);
	now = stats_now(guest);
	return stats_check_value(&now, "max_mmu_page_hash_collisions", COLLISIONS);
}

static const struct stats_check checks[] = {
	STATS_CHECK("new_tables", new_tables),
	STATS_CHECK("old_tables", old_tables),
	STATS_CHECK("unmapped_addresses", unmapped_addresses),
	STATS_CHECK("double_fault", double_fault),
	STATS_CHECK("unsync_tables", unsync_tables),
	STATS_CHECK("zapped_unsync_tables", zapped_unsync_tables),
	STATS_CHECK("directory_writes", directory_writes),
	STATS_CHECK("cleared_entry", cleared_entry),
	STATS_CHECK("flooded_directory", flooded_directory),
	STATS_CHECK("partial_write", partial_write),
	STATS_CHECK("unprotected_directory", unprotected_directory),
	STATS_CHECK("invlpg", invlpg),
	STATS_CHECK("invlpg_not_canonical", invlpg_not_canonical),
	STATS_CHECK("same_cr3", same_cr3),
	STATS_CHECK("recycled_tables", recycled_tables),
	STATS_CHECK("collisions", collisions),
};

static const struct stats_suite suite =
	STATS_SUITE("shadow", VCPU_ID, checks, set_up);

int main(void)
{
	stats_tap_begin();
	if (stats_has_nested_paging())
		ksft_exit_skip("the host uses nested paging\n");
	stats_tap_run(&suite, 1, NULL, 0);
}
