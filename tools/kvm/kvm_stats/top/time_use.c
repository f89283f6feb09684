// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "top/time_use.h"
#include "values/row.h"

/* ---- one vCPU ---- */

static double percent_of(double ns_per_second)
{
	return 100 * ns_per_second / SECOND;
}

/* Returns the growth of a time in percent, 0 if it is unknown. */
static double share_of(const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row;

	if (!stat)
		return 0;
	row_get(&row, target, stat);
	return percent_of(row.rate);
}

static bool has_times(const struct target *target, const struct exit_stats *stats)
{
	struct row row;

	if (target->scope != SCOPE_VCPU || !stats->guest || !stats->kinds || !stats->kind[0].ns)
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

static struct exit_class *class_of(struct time_use *use, const char *name)
{
	struct exit_class *class;
	size_t i;

	for (i = 0; i < use->classes; i++) {
		if (!strcmp(use->class[i].name, name))
			return &use->class[i];
	}
	if (i == EXIT_KINDS)
		return NULL;
	class = &use->class[use->classes++];
	*class = (struct exit_class){ 0 };
	snprintf(class->name, sizeof(class->name), "%s", name);
	return class;
}

/* Adds the exits of a class, if there have been any since the vCPU was created. */
static double add_class(struct time_use *use, const struct target *target,
			const struct exit_kind_stats *kind)
{
	struct exit_class *class;
	struct row count, ns;

	row_get(&count, target, kind->count);
	row_get(&ns, target, kind->ns);
	class = count.value || ns.value ? class_of(use, kind->name) : NULL;
	if (!class)
		return 0;
	class->rate += count.rate;
	class->ns += ns.rate;
	return percent_of(ns.rate);
}

static void add_vcpu(struct time_use *use, const struct target *target,
		     const struct exit_stats *stats)
{
	double percent[TIME_PARTS] = {
		[TIME_GUEST] = share_of(target, stats->guest),
		[TIME_VMM] = share_of(target, stats->userspace),
		[TIME_HALTED] = share_of(target, stats->halted),
		[TIME_WAITING] = share_of(target, stats->run_delay),
	};
	size_t i;

	for (i = 0; i < stats->kinds; i++)
		percent[TIME_EXITS] += add_class(use, target, &stats->kind[i]);
	fit_interval(percent, is_blocking(target, stats));
	for (i = 0; i < TIME_PARTS; i++)
		use->percent[i] += percent[i];
	use->vcpus++;
}

/* ---- all ---- */

static int by_time(const void *x, const void *y)
{
	const struct exit_class *a = x, *b = y;
	int order = (a->ns < b->ns) - (a->ns > b->ns);

	if (!order)
		order = (a->rate < b->rate) - (a->rate > b->rate);
	return order ? order : strcmp(a->name, b->name);
}

/* Divides the sums by the number of vCPUs. */
static void finish(struct time_use *use)
{
	double vcpus = (double)use->vcpus;
	size_t i;

	for (i = 0; i < TIME_PARTS; i++)
		use->percent[i] /= vcpus;
	for (i = 0; i < use->classes; i++)
		use->class[i].percent = percent_of(use->class[i].ns) / vcpus;
	qsort(use->class, use->classes, sizeof(*use->class), by_time);
}

static bool add_vmm(struct time_use *use, struct exit_stats_list *list, const struct vmm *vmm,
		    const struct top_scope *scope)
{
	struct top_scope copy = *scope;
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		const struct target *target = vmm->target[i];
		const struct exit_stats *stats;

		if (!scope_selects(target, &copy))
			continue;
		stats = exit_stats_of(list, target->set);
		if (!stats)
			return false;
		if (has_times(target, stats))
			add_vcpu(use, target, stats);
	}
	return true;
}

bool time_use_get(struct time_use *use, struct exit_stats_list *list,
		  const struct monitor *monitor, const struct top_scope *scope)
{
	size_t i;

	*use = (struct time_use){ 0 };
	for (i = 0; i < monitor->vmms; i++) {
		if (scope_selects_vmm(scope, monitor->vmm[i]) &&
		    !add_vmm(use, list, monitor->vmm[i], scope))
			return false;
	}
	if (use->vcpus)
		finish(use);
	return true;
}
