// SPDX-License-Identifier: GPL-2.0-only
/* Check the statistics of halts. */
#define _GNU_SOURCE
#include "vcpu_halt/vcpu_halt.h"

#define LOG2_BUCKETS	32

bool halts_count_as_wakeups;

/* Returns the lower bound of bucket @n, or the upper bound of the last one. */
static uint64_t bucket_start(unsigned int n)
{
	return !n ? 0 : n == LOG2_BUCKETS ? UINT64_MAX : 1ULL << (n - 1);
}

/* The number of new samples in a histogram, and bounds for their sum. */
struct samples {
	uint64_t count;
	uint64_t min;
	uint64_t max;		/* UINT64_MAX if the last bucket has samples */
};

static bool count_samples(const struct outcome *outcome, const char *name,
			  struct samples *samples)
{
	const struct kvm_stats_desc *desc = find_desc(&outcome->after, name);
	unsigned int i;

	*samples = (struct samples) {};
	if (!desc)
		return false;
	if (desc->size != LOG2_BUCKETS)
		return fail("%s has %u buckets, expected %d", name, desc->size, LOG2_BUCKETS);
	for (i = 0; i < LOG2_BUCKETS; i++) {
		uint64_t count = value_at(&outcome->after, desc, i) -
				 value_at(&outcome->before, desc, i);

		samples->count += count;
		samples->min += count * bucket_start(i);
		if (count && i == LOG2_BUCKETS - 1)
			samples->max = UINT64_MAX;
		else if (samples->max != UINT64_MAX)
			samples->max += count * (bucket_start(i + 1) - 1);
	}
	return true;
}

/* The histogram @hist has @count new samples that agree with the change of the time @ns. */
static bool histogram_agrees(const struct outcome *outcome, const char *hist, const char *ns,
			     uint64_t count)
{
	struct samples samples;
	uint64_t time;

	if (!count_samples(outcome, hist, &samples) || !change_of(outcome, ns, &time))
		return false;
	if (samples.count != count)
		return fail("%s has %llu new samples, expected %llu", hist,
			    (unsigned long long)samples.count, (unsigned long long)count);
	if (time < samples.min || time > samples.max)
		return fail("the samples of %s are %llu to %llu ns in total, but %s is %llu",
			    hist, (unsigned long long)samples.min,
			    (unsigned long long)samples.max, ns, (unsigned long long)time);
	return true;
}

static bool waits_agree(const struct outcome *outcome)
{
	return histogram_agrees(outcome, "halt_wait_hist", "halt_wait_ns", HALT_TIMES);
}

static bool successful_polls_agree(const struct outcome *outcome)
{
	uint64_t successful;

	return change_of(outcome, "halt_successful_poll", &successful) &&
	       histogram_agrees(outcome, "halt_poll_success_hist", "halt_poll_success_ns",
				successful);
}

static bool failed_polls_agree(const struct outcome *outcome)
{
	uint64_t attempted, successful;

	return change_of(outcome, "halt_attempted_poll", &attempted) &&
	       change_of(outcome, "halt_successful_poll", &successful) &&
	       histogram_agrees(outcome, "halt_poll_fail_hist", "halt_poll_fail_ns",
				attempted - successful);
}

static bool is_not_blocking(const struct outcome *outcome)
{
	uint64_t blocking;

	return value_of(&outcome->after, "blocking", &blocking) &&
	       (!blocking || fail("blocking is %llu, expected 0",
				  (unsigned long long)blocking));
}

static bool signals_are_counted(const struct outcome *outcome)
{
	uint64_t by;

	return change_of(outcome, "signal_exits", &by) &&
	       (by == HALT_TIMES || fail("signal_exits changed by %llu, expected %d",
					 (unsigned long long)by, HALT_TIMES));
}

/*
 * A signal does not count as a wakeup. But KVM itself sometimes wakes the vCPU, for example
 * on x86 to update its clock.
 */
static bool wakeups_agree(const struct outcome *outcome)
{
	uint64_t by;

	if (!change_of(outcome, "halt_wakeup", &by))
		return false;
	if (halts_count_as_wakeups ? by >= HALT_TIMES : by < HALT_TIMES / 2)
		return true;
	return fail("halt_wakeup changed by %llu, expected %s %d", (unsigned long long)by,
		    halts_count_as_wakeups ? "at least" : "less than",
		    halts_count_as_wakeups ? HALT_TIMES : HALT_TIMES / 2);
}

const struct halt_check halt_checks[NUM_HALT_CHECKS] = {
	{ "halt_wait_hist: one sample for each halt, consistent with halt_wait_ns",
	  waits_agree },
	{ "halt_poll_success_hist: one sample for each success, consistent with the time",
	  successful_polls_agree },
	{ "halt_poll_fail_hist: one sample for each failure, consistent with the time",
	  failed_polls_agree },
	{ "blocking is 0 after the halt", is_not_blocking },
	{ "signal_exits: one for each halt that a signal ended", signals_are_counted },
	{ "halt_wakeup: no wakeup for a halt that a signal ended", wakeups_agree },
};
