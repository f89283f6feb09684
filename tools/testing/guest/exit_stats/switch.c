// SPDX-License-Identifier: GPL-2.0-only
/* The statistics are switched while a vCPU spins in the guest, is halted, or is in user space. */
#define _GNU_SOURCE
#include <signal.h>

#include "exit_stats/checks.h"
#include "lib/clock.h"
#include "lib/exit_stats.h"

#define MS		300	/* in which the vCPU does not change its state */
#define SETTLE_MS	50	/* until it is in its state */
#define MAX_ATTEMPTS	3
#define SWITCHES	1000

/* What the vCPU does, and the statistic that counts this time. */
struct state {
	const struct loop *loop;
	bool (*run)(struct guest *guest);
	const char *statistic;
	unsigned int percent;	/* of the time, at least */
};

static const struct state *current;
static volatile unsigned int rounds;	/* how often @run of the state was called */
static bool passed;

static bool spin(struct guest *guest)
{
	rounds++;
	return run_guest(guest);
}

/* The signal has ended KVM_RUN, but not the halt. */
static bool halt(struct guest *guest)
{
	struct kvm_mp_state runnable = { .mp_state = KVM_MP_STATE_RUNNABLE };

	rounds++;
	return ioctl(guest->vcpu, KVM_SET_MP_STATE, &runnable) ?
	       fail("KVM_SET_MP_STATE: %s", strerror(errno)) : run_guest(guest);
}

static bool stay_in_user_space(struct guest *guest)
{
	bool ok = run_guest(guest);

	rounds++;
	pause();
	return ok;
}

/* Let the vCPU leave its state, and return to it. */
static void kick(struct runner *runner)
{
	unsigned int before = rounds;

	while (rounds == before && !runner->ended) {
		pthread_kill(runner->thread, SIGUSR1);
		ms_sleep(SETTLE_MS);
	}
	ms_sleep(SETTLE_MS);
}

static void leave_and_return(struct runner *runner)
{
	kick(runner);
	ms_sleep(MS);
	kick(runner);
}

/* The times of the vCPU do not include anything before the statistics are switched on. */
static bool counts(struct runner *runner)
{
	static struct outcome outcome;
	long long ns = ns_now();
	uint64_t sum, by;

	if (!read_stats(runner->guest.vcpu, &outcome.before) || !exit_stats_enable(true))
		return false;
	leave_and_return(runner);
	if (!read_stats(runner->guest.vcpu, &outcome.after) ||
	    !change_of(&outcome, current->statistic, &by))
		return false;
	ns = ns_now() - ns;
	sum = times_ns(&outcome);
	if (sum > (uint64_t)ns + ns / 100)
		return fail("the times add up to %llu of %lld ns", (unsigned long long)sum, ns);
	return by >= MS * 10000ULL * current->percent ||
	       fail("%s grew by %llu in %lld ns", current->statistic, (unsigned long long)by, ns);
}

static bool pauses(struct runner *runner)
{
	static struct outcome outcome;

	if (!exit_stats_enable(false))
		return false;
	ms_sleep(SETTLE_MS);
	if (!read_stats(runner->guest.vcpu, &outcome.before))
		return false;
	leave_and_return(runner);
	return read_stats(runner->guest.vcpu, &outcome.after) && are_unchanged(&outcome);
}

static void switch_twice(struct runner *runner)
{
	static struct stats stats;

	leave_and_return(runner);
	passed = read_stats(runner->guest.vcpu, &stats) && are_zero(&stats) && counts(runner) &&
		 pauses(runner) && counts(runner);
}

static void switch_often(struct runner *runner)
{
	unsigned int i;

	for (i = 0; i < SWITCHES; i++)
		exit_stats_enable(i % 2 == 0);
	passed = counts(runner);
}

/* An emulated CPU on a busy build host can stop for some time, so try several times. */
static bool check(const struct state *state, void (*test)(struct runner *runner))
{
	struct runner runner;
	unsigned int i;
	bool ran = true;

	current = state;
	passed = false;
	for (i = 0; i < MAX_ATTEMPTS && ran && !passed; i++) {
		ran = create_runner(&runner, state->loop, state->run) &&
		      runners_run(&runner, 1, 10, test);
		exit_stats_enable(false);
		runner_destroy(&runner);
	}
	return ran && passed;
}

static bool spins(void)
{
	static const struct state guest = { &spin_loop, spin, "guest_ns", 80 };

	return check(&guest, switch_twice);
}

static bool is_halted(void)
{
	static const struct state halted = { &halt_loop, halt, "halted_ns", 80 };

	return check(&halted, switch_twice);
}

static bool is_in_user_space(void)
{
	static const struct state user = {
		&exit_loop, stay_in_user_space, "userspace_ns", 80
	};

	return check(&user, switch_twice);
}

static bool exits(void)
{
	static const struct state exit = { &exit_loop, spin, KERNEL_EXIT_NS, 1 };

	return check(&exit, switch_often);
}

const struct check switch_checks[] = {
	{ "while a vCPU spins", spins, needs_two_cpus },
	{ "while a vCPU is halted", is_halted, needs_two_cpus },
	{ "while a vCPU is in user space", is_in_user_space, needs_two_cpus },
	{ "1000 times while a vCPU exits", exits, needs_two_cpus },
	{}
};
