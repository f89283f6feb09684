// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test that the statistics count each exit of a vCPU once, independent of what
 * KVM does to handle it.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <linux/compiler.h>

#include "kvm_stats_processor.h"
#include "kvm_stats_guest.h"
#include "kvm_stats_tap.h"
#include "processor.h"

#define VCPU_ID		0
#define TIMES		13
#define SPINS		500000
#define FILTERED_MSR	0xc0010200u	/* the guest does not access it */

/* The guest */

static uint64_t guest_reads;
static uint64_t guest_spins;

static void guest_main(void)
{
	uint64_t i;

	for (;;) {
		/*
		 * Without PAUSE, because pause-loop exiting would add exits.  With
		 * interrupts enabled, because Bochs delivers the host's interrupts
		 * only then.
		 */
		asm volatile("sti");
		for (i = 0; i < READ_ONCE(guest_spins); i++)
			asm volatile("" ::: "memory");
		asm volatile("cli");
		for (i = 0; i < READ_ONCE(guest_reads); i++)
			rdmsr(MSR_IA32_APICBASE);
		GUEST_SYNC(0);
	}
}

/* The VMM */

static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm = vm_create_default(VCPU_ID, 0, guest_main);

	*stats_in_guest(vm, guest_reads) = 1;
	stats_use_guest(target, vm, VCPU_ID);
	stats_run_guest(target->machine);
	return NULL;
}

/* Installs a filter of many ranges.  None has the MSR that the guest reads. */
static void set_filter(const struct stats_guest *guest)
{
	static uint8_t bitmap[8];
	struct kvm_msr_filter filter = { .flags = KVM_MSR_FILTER_DEFAULT_ALLOW };
	int i;

	for (i = 0; i < KVM_MSR_FILTER_MAX_RANGES; i++)
		filter.ranges[i] = (struct kvm_msr_filter_range) {
			.flags = KVM_MSR_FILTER_READ,
			.base = FILTERED_MSR + i,
			.nmsrs = 1,
			.bitmap = bitmap,
		};
	vm_ioctl(guest->vm, KVM_X86_SET_MSR_FILTER, &filter);
}

static void run(const struct stats_guest *guest)
{
	stats_run_guest(guest);
}

static void run_with_new_filter(const struct stats_guest *guest)
{
	set_filter(guest);
	stats_run_guest(guest);
}

/* The guest exits @reads times to read the MSR, and once for the ucall. */
static const char *check_reads(const struct stats_guest *guest,
			       void (*run)(const struct stats_guest *guest),
			       int64_t reads, bool interrupted)
{
	*stats_in_guest(guest->vm, guest_reads) = reads;
	return stats_check_exits(guest, run, reads + 1, reads + 1, interrupted);
}

static const char *msr_reads(struct stats_target *target)
{
	return check_reads(target->machine, run, TIMES, false);
}

static const char *msr_reads_with_filter(struct stats_target *target)
{
	set_filter(target->machine);
	stats_run_guest(target->machine);
	return check_reads(target->machine, run, TIMES, false);
}

/* KVM applies a new filter to the vCPU before the next entry. */
static const char *new_filter(struct stats_target *target)
{
	return check_reads(target->machine, run_with_new_filter, 0, false);
}

/*
 * The guest runs long enough to be interrupted in some runs, but not so long that
 * perf's NMIs interrupt each of them.
 */
static const char *interrupts(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;

	*stats_in_guest(guest->vm, guest_spins) = SPINS;
	return check_reads(guest, run, TIMES, true);
}

static const struct stats_check checks[] = {
	STATS_CHECK("interrupts", interrupts),
	STATS_CHECK("msr_reads", msr_reads),
	STATS_CHECK("msr_reads_with_filter", msr_reads_with_filter),
	STATS_CHECK("new_filter", new_filter),
};

static const struct stats_suite suite =
	STATS_SUITE("exits", VCPU_ID, checks, set_up);

int main(void)
{
	stats_tap_main(&suite, NULL, 0);
}
