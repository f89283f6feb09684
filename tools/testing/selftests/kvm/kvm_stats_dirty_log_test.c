// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of remote TLB flushes: each KVM_GET_DIRTY_LOG that finds
 * a dirty page requests one flush.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <linux/compiler.h>

#include "kvm_stats_guest.h"
#include "kvm_stats_tap.h"

#define VCPU_ID		1
#define ROUNDS		10
#define PAGES		8
#define SLOT		1
#define MEMORY		0x40000000ul	/* both guest virtual and physical */
#define PAGE		4096

/* The guest */

static uint64_t guest_pages;	/* number of pages to write to */
static uint64_t guest_repeat;	/* write to them again, until this is 0 */
static uint64_t guest_rounds;	/* how often it has written to all of them */

static void guest_main(void)
{
	uint64_t i;

	for (;;) {
		do {
			for (i = 0; i < READ_ONCE(guest_pages); i++)
				WRITE_ONCE(*(uint64_t *)(MEMORY + i * PAGE), i);
			WRITE_ONCE(guest_rounds, guest_rounds + 1);
		} while (READ_ONCE(guest_repeat));
		GUEST_SYNC(0);
	}
}

/* The VMM */

static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm = vm_create_default(VCPU_ID, 0, guest_main);

	ucall_init(vm, NULL);
	vm_userspace_mem_region_add(vm, VM_MEM_SRC_ANONYMOUS, MEMORY, SLOT,
				    PAGES, KVM_MEM_LOG_DIRTY_PAGES);
	virt_map(vm, MEMORY, MEMORY, PAGES, 0);
	return stats_use_guest(target, vm, VCPU_ID);
}

/* Returns the number of dirty pages. */
static unsigned int get_dirty_log(const struct stats_guest *guest)
{
	uint64_t dirty = 0;

	kvm_vm_get_dirty_log(guest->vm, SLOT, &dirty);
	return __builtin_popcountl(dirty);
}

/* ROUNDS times, lets the guest write to @pages and gets the log. */
static const char *log_dirty_pages(const struct stats_guest *guest,
				   unsigned int pages)
{
	unsigned int i, dirty;

	*stats_in_guest(guest->vm, guest_pages) = pages;
	for (i = 0; i < ROUNDS; i++) {
		stats_run_guest(guest);
		dirty = get_dirty_log(guest);
		if (dirty != pages)
			return stats_fail("%u pages are dirty, expected %u",
					  dirty, pages);
	}
	return NULL;
}

static const char *flush_requests(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	stats_must(log_dirty_pages(guest, PAGES));

	before = stats_now(guest);
	stats_must(log_dirty_pages(guest, target->arg));
	after = stats_now(guest);
	return STATS_CHECK_CHANGES(&before, &after,
				   { "remote_tlb_flush_requests",
				    target->arg ? ROUNDS : 0 });
}

/*
 * The CPUs of arm64 broadcast each flush.  On others a flush interrupts the vCPUs
 * that run.  None runs in flushes().
 */
#ifdef __aarch64__
#define FLUSHES		ROUNDS
#else
#define FLUSHES		0
#endif

static const char *flushes(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	const char *message;

	message = log_dirty_pages(guest, PAGES);
	if (message)
		return message;
	before = stats_now(guest);
	message = log_dirty_pages(guest, PAGES);
	after = stats_now(guest);
	return message ? message :
	       STATS_CHECK_CHANGES(&before, &after,
				   { "remote_tlb_flush_requests", ROUNDS },
				   { "remote_tlb_flush", FLUSHES });
}

/* Afterwards, the guest can write to all pages without an exit. */
static void await_rounds(const struct stats_guest *guest)
{
	uint64_t *rounds = stats_in_guest(guest->vm, guest_rounds);
	uint64_t end = READ_ONCE(*rounds) + 2;

	while (READ_ONCE(*rounds) < end)
		usleep(100);
}

/* A request interrupts a vCPU only while it is in the guest. */
static const char *flushes_of_running_vcpu(struct stats_target *target)
{
	const int cpus[] = { stats_nth_cpu(0), stats_nth_cpu(1) };
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	struct stats_vcpu_thread vcpu;
	int64_t flushes;
	int i;

	if (cpus[1] < 0)
		return stats_skip("this test needs 2 CPUs, one for the vCPU");
	*stats_in_guest(guest->vm, guest_repeat) = 1;
	*stats_in_guest(guest->vm, guest_pages) = PAGES;
	stats_pin(cpus[0]);
	stats_vcpu_start(&vcpu, guest, cpus[1]);
	while (!get_dirty_log(guest))
		usleep(1000);
	before = stats_now(guest);
	for (i = 0; i < ROUNDS; i++) {
		await_rounds(guest);
		get_dirty_log(guest);
	}
	after = stats_now(guest);
	WRITE_ONCE(*stats_in_guest(guest->vm, guest_repeat), 0);
	stats_vcpu_join(&vcpu);

	flushes = stats_changed(&before, &after, "remote_tlb_flush");
	return flushes > ROUNDS / 2 && flushes <= ROUNDS ? NULL :
	       stats_fail("'remote_tlb_flush' changed by %ld, expected %d to %d",
			  flushes, ROUNDS / 2 + 1, ROUNDS);
}

static const struct stats_check checks[] = {
	STATS_CHECK("requests_of_dirty_pages", flush_requests, .arg = PAGES),
	STATS_CHECK("requests_of_one_dirty_page", flush_requests, .arg = 1),
	STATS_CHECK("requests_of_no_dirty_page", flush_requests, .arg = 0),
	STATS_CHECK("flushes", flushes),
	STATS_CHECK("flushes_of_running_vcpu", flushes_of_running_vcpu),
};

static const struct stats_suite suite =
	STATS_SUITE("remote_tlb_flush", -1, checks, set_up);

int main(void)
{
	stats_tap_main(&suite, NULL, 0);
}
