// SPDX-License-Identifier: GPL-2.0-only
#include "base/clock.h"
#include "top/vcpu_times.h"
#include "values/row.h"

/* Returns the growth of a time in percent, 0 if it is unknown. */
static double share_of(const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row;

	if (!stat)
		return 0;
	row_get(&row, target, stat);
	return 100 * row.rate / SECOND;
}

static bool has_times(const struct target *target, const struct exit_stats *stats)
{
	struct row row;

	if (target->scope != SCOPE_VCPU || !exit_stats_count(stats, target))
		return false;
	row_get(&row, target, stats->guest);
	return row.growth == GROWTH_KNOWN;
}

static bool is_blocking(const struct target *target, const struct exit_stats *stats)
{
	struct row row;

	if (!stats->blocking)
		return false;
	row_get(&row, target, stats->blocking);
	return row.value;
}

/*
 * KVM adds to a time when it ends, so the times of an interval together can be shorter or longer
 * than the interval. If the vCPU is halted, the rest belongs to this halt. A surplus is time before
 * the interval, and belongs to the one time that contains the start of the interval: the longest.
 */
static void fit_interval(double *percent, bool blocking)
{
	double sum = 0;
	int longest = 0;
	int i;

	for (i = 0; i < TIME_PARTS; i++) {
		sum += percent[i];
		if (percent[i] > percent[longest])
			longest = i;
	}
	if (sum > 100)
		percent[longest] -= sum - 100;
	if (percent[longest] < 0)
		percent[longest] = 0;
	if (sum < 100 && blocking)
		percent[TIME_HALTED] += 100 - sum;
}

bool vcpu_times_add(struct vcpu_times *times, const struct exit_stats *stats,
		    const struct target *target)
{
	double percent[TIME_PARTS] = {
		[TIME_GUEST] = share_of(target, stats->guest),
		[TIME_VMM] = share_of(target, stats->userspace),
		[TIME_HALTED] = share_of(target, stats->halted),
		[TIME_WAITING] = share_of(target, stats->run_delay),
	};
	size_t i;

	if (!has_times(target, stats))
		return false;
	for (i = 0; i < stats->classes; i++)
		percent[TIME_EXITS] += share_of(target, stats->kind[i].ns);
	fit_interval(percent, is_blocking(target, stats));
	for (i = 0; i < TIME_PARTS; i++)
		times->percent[i] += percent[i];
	times->vcpus++;
	return true;
}

void vcpu_times_add_times(struct vcpu_times *times, const struct vcpu_times *other)
{
	size_t i;

	for (i = 0; i < TIME_PARTS; i++)
		times->percent[i] += other->percent[i];
	times->vcpus += other->vcpus;
}

double vcpu_times_mean(const struct vcpu_times *times, enum time_part part)
{
	return times->percent[part] / (double)times->vcpus;
}
