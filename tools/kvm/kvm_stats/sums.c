// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"

/* ---- rows ---- */

/* Adds up the values from @n to @end. The growth is known if it is for all of them. */
static void add_values(struct row *row, const struct target *target,
		       const struct kvmstats_stat *stat, unsigned int n, unsigned int end)
{
	uint64_t from = target->before ? kvmstats_sample_time(target->before) : 0;
	uint64_t to = target->now ? kvmstats_sample_time(target->now) : 0;

	*row = (struct row){
		.target = target,
		.stat = stat,
		.size = kvmstats_stat_size(stat),
		.values = target->now ? kvmstats_sample_values(target->now, stat) : NULL,
		.known = from && to > from,
	};
	for (; row->values && n < end; n++) {
		uint64_t delta = 0;
		int err = target->before ?
			  kvmstats_delta(target->before, target->now, stat, n, &delta) : -ENODATA;

		row->value += row->values[n];
		row->known &= !err;
		row->cleared |= err == -ESTALE;
		row->delta += delta;
	}
	if (row->known)
		row->rate = (double)row->delta * 1e9 / (double)(to - from);
	else
		row->delta = 0;
}

void row_get(struct row *row, const struct target *target, const struct kvmstats_stat *stat)
{
	add_values(row, target, stat, 0,
		   kvmstats_stat_is_hist(stat) ? kvmstats_stat_size(stat) : 1);
}

void row_get_element(struct row *row, const struct target *target,
		     const struct kvmstats_stat *stat, unsigned int n)
{
	add_values(row, target, stat, n, n + 1);
}

/* ---- baselines ---- */

static bool start_baseline(struct target *target)
{
	const uint64_t *now = stat_set_values(target->set, target->now);
	size_t size = target->set->values * sizeof(*now);

	if (!now)
		return true;
	if (!target->baseline)
		target->baseline = malloc(size);
	if (!target->baseline)
		return false;
	memcpy(target->baseline, now, size);
	return true;
}

/* Statistics that do not count up may decrease, but their baseline is never used. */
static void drop_cleared(struct target *target)
{
	const uint64_t *now = stat_set_values(target->set, target->now);
	const uint64_t *before = stat_set_values(target->set, target->before);
	size_t i;

	for (i = 0; now && before && target->baseline && i < target->set->values; i++) {
		if (now[i] < before[i])
			target->baseline[i] = 0;
	}
}

bool baselines_start(const struct monitor *monitor)
{
	struct target *target;

	for_each_target(target, monitor) {
		if (!start_baseline(target))
			return false;
	}
	return true;
}

void baselines_update(const struct monitor *monitor)
{
	struct target *target;

	for_each_target(target, monitor)
		drop_cleared(target);
}

/* ---- totals ---- */

/* The totals of the statistics in a set: one for each of set->stat */
struct set_totals {
	const struct stat_set *set;
	struct total **total;
};

static struct total *new_total(const struct kvmstats_stat *stat)
{
	unsigned int size = kvmstats_stat_size(stat);
	struct total *total = calloc(1, sizeof(*total) + 3 * size * sizeof(*total->values));

	if (!total)
		return NULL;
	total->name = kvmstats_stat_name(stat);
	total->stat = stat;
	total->counts_up = stat_counts_up(stat);
	total->size = size;
	total->values = (uint64_t *)(total + 1);
	total->deltas = total->values + size;
	total->growth = total->deltas + size;
	return total;
}

static struct total *find_total(struct totals *totals, const struct kvmstats_stat *stat)
{
	struct total **more, *total;
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		total = totals->total[i];
		if (stat_is_like(total->stat, stat))
			return total;
	}
	more = realloc(totals->total, (totals->totals + 1) * sizeof(*more));
	if (!more)
		return NULL;
	totals->total = more;
	more[totals->totals] = new_total(stat);
	return more[totals->totals] ? more[totals->totals++] : NULL;
}

/* Returns the totals of the set, or NULL if memory is exhausted. */
static struct total **totals_of(struct totals *totals, const struct stat_set *set)
{
	struct set_totals *more;
	size_t i;

	for (i = 0; i < totals->sets; i++) {
		if (totals->set[i].set == set)
			return totals->set[i].total;
	}
	more = realloc(totals->set, (totals->sets + 1) * sizeof(*more));
	if (!more)
		return NULL;
	totals->set = more;
	more += totals->sets;
	*more = (struct set_totals){ set, calloc(set->stats + 1, sizeof(*more->total)) };
	for (i = 0; more->total && i < set->stats; i++) {
		more->total[i] = find_total(totals, set->stat[i]);
		if (!more->total[i]) {
			free(more->total);
			return NULL;
		}
	}
	totals->sets += !!more->total;
	return more->total;
}

/* @before and @baseline can be NULL. A value that has decreased was cleared. */
static void add_to_total(struct total *total, const uint64_t *now, const uint64_t *before,
			 const uint64_t *baseline)
{
	bool is_peak = kvmstats_stat_type(total->stat) == KVMSTATS_TYPE_PEAK;
	unsigned int n;

	for (n = 0; n < total->size; n++) {
		if (!is_peak)
			total->values[n] += now[n];
		else if (now[n] > total->values[n])
			total->values[n] = now[n];
		if (!total->counts_up)
			continue;
		/* In a recording, the sample can be one before the baseline. */
		total->growth[n] += grown(baseline ? baseline[n] : 0, now[n]);
		if (before && now[n] >= before[n])
			total->deltas[n] += now[n] - before[n];
		else if (before)
			total->cleared = true;
	}
}

static int add_target(struct totals *totals, const struct target *target)
{
	const uint64_t *now = stat_set_values(target->set, target->now);
	const uint64_t *before = stat_set_values(target->set, target->before);
	struct total **total = totals_of(totals, target->set);
	size_t i;

	for (i = 0; total && i < target->set->stats; i++) {
		size_t at = stat_index(target->set->stat[i]);

		total[i]->present = true;
		if (now)
			add_to_total(total[i], now + at, before ? before + at : NULL,
				     target->baseline ? target->baseline + at : NULL);
	}
	return total ? 0 : -ENOMEM;
}

static void clear_total(struct total *total)
{
	total->present = false;
	total->cleared = false;
	total->value = 0;
	total->delta = 0;
	memset(total->values, 0, 3 * total->size * sizeof(*total->values));
}

/* Sets the sums over the values. @interval is in ns; 0: there is no previous sample. */
static void finish(struct total *total, uint64_t interval)
{
	unsigned int n;

	for (n = 0; n < total->size; n++) {
		total->value += total->values[n];
		total->delta += total->deltas[n];
	}
	total->rate = interval ? (double)total->delta * 1e9 / (double)interval : 0;
}

int totals_update(struct totals *totals, const struct monitor *monitor,
		  bool (*selects)(const struct target *target, void *arg), void *arg)
{
	uint64_t interval = monitor->time_before ? monitor->time - monitor->time_before : 0;
	const struct target *target;
	int err = 0;
	size_t i;

	for (i = 0; i < totals->totals; i++)
		clear_total(totals->total[i]);
	for_each_target(target, monitor) {
		if (!err && (!selects || selects(target, arg)))
			err = add_target(totals, target);
	}
	for (i = 0; i < totals->totals; i++)
		finish(totals->total[i], interval);
	return err;
}

void totals_free(struct totals *totals)
{
	while (totals->totals)
		free(totals->total[--totals->totals]);
	free(totals->total);
	while (totals->sets)
		free(totals->set[--totals->sets].total);
	free(totals->set);
	*totals = (struct totals){ 0 };
}
