// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the statistics of halts: how often a halted vCPU polls and waits, and for
 * how long.
 *
 * The guest halts a known number of times.  Its own timer wakes it, or this
 * program does: when the thread of the vCPU sleeps, or while it polls.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <linux/compiler.h>

#include "kvm_stats_processor.h"
#include "kvm_stats_guest.h"
#include "kvm_stats_tap.h"
#include "processor.h"

#define VCPU_ID		1
#define HALTS		50
#define POLL_ROUNDS	10
#define WAKE_VECTOR	0x40
#define TIMER_NS	1000000
#define SHORT_POLL_NS	"100000"
#define LONG_POLL_NS	"2000000000"
#define MAX_POLL_NS	4000000000u

static struct stats_param params[] = {
	{ STATS_KVM_PARAM("halt_poll_ns_grow") },
	{ STATS_KVM_PARAM("halt_poll_ns_grow_start") },
};

/* The guest */

static uint64_t guest_halts_wanted;
static uint64_t guest_timer;	/* wakes the vCPU after this many ns; 0: off */
static uint64_t guest_spin;	/* spin after the halts */
static uint64_t guest_halts;
static uint64_t guest_spins;

static void guest_interrupt(struct ex_regs *regs)
{
	guest_apic_write(APIC_EOI, 0);
}

static void guest_halt(void)
{
	if (READ_ONCE(guest_timer))
		guest_apic_write(APIC_TMICT, guest_timer);
	WRITE_ONCE(guest_halts, guest_halts + 1);
	asm volatile("sti; hlt; cli" : : : "memory");
}

static void guest_main(void)
{
	uint64_t i;

	guest_apic_enable();
	guest_apic_write(APIC_TDCR, APIC_TDCR_DIV_1);
	guest_apic_write(APIC_LVTT, WAKE_VECTOR);
	for (;;) {
		for (i = 0; i < READ_ONCE(guest_halts_wanted); i++)
			guest_halt();
		while (READ_ONCE(guest_spin))
			WRITE_ONCE(guest_spins, guest_spins + 1);
		GUEST_DONE();
	}
}

/* The VMM */

static int cpus[2];

static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm = vm_create_default(VCPU_ID, 0, guest_main);

	stats_apic_prepare(vm, VCPU_ID);
	vm_init_descriptor_tables(vm);
	vcpu_init_descriptor_tables(vm, VCPU_ID);
	vm_handle_exception(vm, WAKE_VECTOR, guest_interrupt);
	cpus[0] = stats_nth_cpu(0);
	cpus[1] = stats_nth_cpu(1);
	return stats_use_guest(target, vm, VCPU_ID);
}

static void limit_polling(const struct stats_guest *guest, uint32_t ns)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_HALT_POLL, .args = { ns } };

	vm_enable_cap(guest->vm, &cap);
}

/* The vCPU polls for @ns before it waits, from its second halt on. */
static const char *set_polling(const struct stats_guest *guest, const char *ns)
{
	stats_must(stats_param_set(params[0].path, "1"));
	stats_must(stats_param_set(params[1].path, ns));
	limit_polling(guest, MAX_POLL_NS);
	return NULL;
}

static uint64_t blocking(const struct stats_guest *guest)
{
	struct stats_snapshot now = stats_now(guest);
	uint64_t value = stats_sum(&now, "blocking");

	stats_snapshot_free(&now);
	return value;
}

static void wake(const struct stats_guest *guest)
{
	struct kvm_msi msi = {
		.address_lo = 0xfee00000 | VCPU_ID << 12,
		.data = WAKE_VECTOR,
	};

	TEST_ASSERT(ioctl(vm_get_fd(guest->vm), KVM_SIGNAL_MSI, &msi) == 1,
		    "the interrupt was not delivered");
}

static void await_halt(const struct stats_guest *guest, uint64_t halts)
{
	uint64_t *now = stats_in_guest(guest->vm, guest_halts);

	while (READ_ONCE(*now) < halts)
		usleep(50);
}

/*
 * Returns when the thread has gone to sleep again.  State S alone does not prove
 * that: the thread may be about to check whether it has to sleep.
 */
static void await_sleep(struct stats_vcpu_thread *vcpu)
{
	while (stats_thread_sleep_count(vcpu->tid) == vcpu->sleeps ||
	       !stats_thread_sleeps(vcpu->tid) || !blocking(vcpu->guest))
		usleep(50);
	vcpu->sleeps = stats_thread_sleep_count(vcpu->tid);
}

static void want_halts(const struct stats_guest *guest, uint64_t halts)
{
	WRITE_ONCE(*stats_in_guest(guest->vm, guest_halts_wanted), halts);
}

/* Lets the guest halt, and wakes it each time that its thread sleeps. */
static void halt_and_sleep(const struct stats_guest *guest, uint64_t halts)
{
	uint64_t done = *stats_in_guest(guest->vm, guest_halts);
	struct stats_vcpu_thread vcpu;
	uint64_t i;

	want_halts(guest, halts);
	stats_vcpu_start(&vcpu, guest, cpus[0]);
	for (i = 1; i <= halts; i++) {
		await_halt(guest, done + i);
		await_sleep(&vcpu);
		wake(guest);
	}
	stats_vcpu_join(&vcpu);
}

/* Lets the guest halt, and wakes it a millisecond after each halt. */
static void halt_and_poll(const struct stats_guest *guest, uint64_t halts)
{
	uint64_t done = *stats_in_guest(guest->vm, guest_halts);
	struct stats_vcpu_thread vcpu;
	uint64_t i;

	want_halts(guest, halts);
	stats_vcpu_start(&vcpu, guest, cpus[1]);
	for (i = 1; i <= halts; i++) {
		await_halt(guest, done + i);
		usleep(1000);
		wake(guest);
	}
	stats_vcpu_join(&vcpu);
}

/* Relations that hold for any number of halts */

/*
 * Bucket 0 counts 0 ns, bucket i counts [2^(i - 1), 2^i) ns, the last bucket also
 * what is longer.  So the histogram limits the sum of all times.
 */
static const char *check_time(const struct stats_snapshot *before,
			      const struct stats_snapshot *after,
			      const char *hist, const char *total)
{
	int64_t ns = stats_changed(before, after, total);
	const uint64_t *old, *new;
	int64_t least = 0, most = 0;
	unsigned int i, num;

	old = stats_values(before, hist, &num);
	new = stats_values(after, hist, &num);
	for (i = 1; i < num; i++) {
		int64_t n = new[i] - old[i];

		least += n << (i - 1);
		most += i < num - 1 ? n * ((1LL << i) - 1) : n << 32;
	}
	return least <= ns && ns <= most ? NULL :
	       stats_fail("'%s' increased by %ld, but '%s' implies %ld to %ld",
			  total, ns, hist, least, most);
}

static const char *check_times(const struct stats_snapshot *before,
			       const struct stats_snapshot *after)
{
	stats_must(check_time(before, after, "halt_poll_success_hist",
			      "halt_poll_success_ns"));
	stats_must(check_time(before, after, "halt_poll_fail_hist",
			      "halt_poll_fail_ns"));
	return check_time(before, after, "halt_wait_hist", "halt_wait_ns");
}

/* Each poll succeeds or fails, and one of the histograms counts it. */
static const char *check_polls(const struct stats_snapshot *before,
			       const struct stats_snapshot *after)
{
	int64_t attempted = stats_changed(before, after, "halt_attempted_poll");
	int64_t succeeded = stats_changed(before, after, "halt_poll_success_hist");
	int64_t failed = stats_changed(before, after, "halt_poll_fail_hist");

	if (succeeded + failed != attempted)
		return stats_fail("'%s' changed by %ld and '%s' by %ld, expected %ld polls",
				  "halt_poll_success_hist", succeeded,
				  "halt_poll_fail_hist", failed, attempted);
	return STATS_CHECK_CHANGES(before, after, { "halt_successful_poll", succeeded });
}

static const char *check_halts(const struct stats_snapshot *before,
			       const struct stats_snapshot *after)
{
	int64_t polls = stats_changed(before, after, "halt_poll_success_hist");
	int64_t waits = stats_changed(before, after, "halt_wait_hist");

	stats_must(STATS_CHECK_CHANGES(before, after, { "halt_exits", HALTS }));
	stats_must(check_polls(before, after));
	if (polls + waits > HALTS)
		return stats_fail("'%s' changed by %ld and '%s' by %ld in %d halts",
				  "halt_poll_success_hist", polls,
				  "halt_wait_hist", waits, HALTS);
	return check_times(before, after);
}

/* A wakeup ends each wait.  Now and then KVM also wakes a vCPU to update its clock. */
static const char *check_wakeups(const struct stats_snapshot *before,
				 const struct stats_snapshot *after)
{
	int64_t wakeups = stats_changed(before, after, "halt_wakeup");
	int64_t waits = stats_changed(before, after, "halt_wait_hist");

	return waits <= wakeups && wakeups < waits + HALTS / 2 ? NULL :
	       stats_fail("'halt_wakeup' increased by %ld, but the vCPU waited %ld times",
			  wakeups, waits);
}

/* Checks */

static const char *waits(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	limit_polling(guest, 0);
	before = stats_now(guest);
	halt_and_sleep(guest, HALTS);
	after = stats_now(guest);

	stats_must(STATS_CHECK_CHANGES(&before, &after,
				       { "halt_attempted_poll", 0 },
				       { "halt_successful_poll", 0 },
				       { "halt_poll_success_hist", 0 },
				       { "halt_poll_fail_hist", 0 },
				       { "halt_poll_success_ns", 0 },
				       { "halt_poll_fail_ns", 0 },
				       { "halt_wait_hist", HALTS }));
	stats_must(check_wakeups(&before, &after));
	return check_halts(&before, &after);
}

static const char *failed_polls(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	stats_must(set_polling(guest, SHORT_POLL_NS));
	halt_and_sleep(guest, 1);
	before = stats_now(guest);
	halt_and_sleep(guest, HALTS);
	after = stats_now(guest);

	stats_must(STATS_CHECK_CHANGES(&before, &after,
				       { "halt_attempted_poll", HALTS },
				       { "halt_successful_poll", 0 },
				       { "halt_poll_fail_hist", HALTS },
				       { "halt_wait_hist", HALTS }));
	return check_halts(&before, &after);
}

/* Whether a poll succeeds depends on the load of the host, so this tries again. */
static const char *successful_polls(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	const char *message;
	int i;

	if (cpus[1] < 0)
		return stats_skip("a vCPU polls only if it has a CPU of its own");
	message = set_polling(guest, LONG_POLL_NS);
	if (message)
		return message;
	halt_and_sleep(guest, 1);
	stats_pin(cpus[0]);
	stats_must_end_in(30, "the vCPU halts again after each interrupt");
	for (i = 0; i < POLL_ROUNDS; i++) {
		before = stats_now(guest);
		halt_and_poll(guest, HALTS);
		after = stats_now(guest);
		message = check_halts(&before, &after);
		if (!message)
			message = STATS_CHECK_CHANGES(&before, &after, {
					"halt_wait_hist",
					stats_changed(&before, &after, "halt_poll_fail_hist") });
		if (message || stats_changed(&before, &after, "halt_successful_poll"))
			return message;
	}
	return stats_fail("none of %d polls succeeded within 2 seconds",
			  POLL_ROUNDS * HALTS);
}

/* With the settings of the host, and an interrupt that comes later. */
static const char *timer(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	*stats_in_guest(guest->vm, guest_timer) = TIMER_NS;
	want_halts(guest, HALTS);
	before = stats_now(guest);
	stats_run_guest(guest);
	after = stats_now(guest);
	stats_must(check_wakeups(&before, &after));
	return check_halts(&before, &after);
}

static const char *check_blocking(const struct stats_guest *guest,
				  uint64_t expected, const char *what)
{
	uint64_t value = blocking(guest);

	return value == expected ? NULL :
	       stats_fail("'blocking' is %lu while the vCPU %s, expected %lu",
			  value, what, expected);
}

static const char *blocks(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	uint64_t *spin = stats_in_guest(guest->vm, guest_spin);
	uint64_t *spins = stats_in_guest(guest->vm, guest_spins);
	struct stats_vcpu_thread vcpu;

	stats_must(check_blocking(guest, 0, "has not run"));
	limit_polling(guest, 0);
	*spin = 1;
	want_halts(guest, 1);
	stats_vcpu_start(&vcpu, guest, cpus[0]);
	await_halt(guest, 1);
	while (!stats_thread_sleeps(vcpu.tid))
		usleep(50);
	usleep(2000);
	stats_must(check_blocking(guest, 1, "waits after HLT"));

	wake(guest);
	while (!READ_ONCE(*spins))
		usleep(50);
	stats_must(check_blocking(guest, 0, "spins"));
	WRITE_ONCE(*spin, 0);
	stats_vcpu_join(&vcpu);
	return check_blocking(guest, 0, "does not run");
}

static const struct stats_check checks[] = {
	STATS_CHECK("waits", waits),
	STATS_CHECK("failed_polls", failed_polls),
	STATS_CHECK("successful_polls", successful_polls),
	STATS_CHECK("timer", timer),
	STATS_CHECK("blocking", blocks),
};

static const struct stats_suite suite =
	STATS_SUITE("halt", VCPU_ID, checks, set_up);

int main(void)
{
	stats_tap_main(&suite, params, ARRAY_SIZE(params));
}
