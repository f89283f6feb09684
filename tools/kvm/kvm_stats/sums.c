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

/* ---- blocks: sums over the samples of all targets that have the same statistics ---- */

/*
 * A sample is one block of 64-bit values. For thousands of vCPUs it is fastest to add whole
 * blocks without regard to what each value means, and to split only the sums into statistics.
 */
struct block {
	const struct stat_set *set;
	struct total **total;		/* one for each of set->stat */
	const struct kvmstats_stat *first;	/* the one with the first value, or NULL */
	size_t start;			/* index of this value */
	size_t size;			/* number of values from there to the last selected one */
	bool has_peaks;
	/* Arrays of @size entries, in one piece of memory */
	uint64_t *sum;
	uint64_t *delta;
	uint64_t *baseline;		/* sums of the baselines */
	bool *counts_up;
};

static void set_range(struct block *block)
{
	size_t end = 0, i;

	block->start = block->set->stats ? SIZE_MAX : 0;
	for (i = 0; i < block->set->stats; i++) {
		const struct kvmstats_stat *stat = block->set->stat[i];
		size_t index = stat_index(stat);

		block->has_peaks |= kvmstats_stat_type(stat) == KVMSTATS_TYPE_PEAK;
		if (index < block->start) {
			block->start = index;
			block->first = stat;
		}
		if (index + kvmstats_stat_size(stat) > end)
			end = index + kvmstats_stat_size(stat);
	}
	block->size = end - block->start;
}

/* Returns 0 or -ENOMEM. In both cases, free_blocks() frees the memory. */
static int init_block(struct block *block, const struct stat_set *set)
{
	size_t i;

	*block = (struct block){ .set = set };
	set_range(block);
	block->total = calloc(set->stats + 1, sizeof(struct total *));
	block->sum = calloc(block->size + 1, 3 * sizeof(*block->sum) + sizeof(*block->counts_up));
	if (!block->total || !block->sum)
		return -ENOMEM;
	block->delta = block->sum + block->size;
	block->baseline = block->delta + block->size;
	block->counts_up = (bool *)(block->baseline + block->size);
	for (i = 0; i < set->stats; i++)
		memset(block->counts_up + stat_index(set->stat[i]) - block->start,
		       stat_counts_up(set->stat[i]), kvmstats_stat_size(set->stat[i]));
	return 0;
}

static void free_blocks(struct totals *totals)
{
	while (totals->blocks) {
		struct block *block = &totals->block[--totals->blocks];

		free(block->total);
		free(block->sum);
	}
	free(totals->block);
	totals->block = NULL;
}

static bool is_peak(const struct total *total)
{
	return kvmstats_stat_type(total->stat) == KVMSTATS_TYPE_PEAK;
}

static void add_peaks(const struct block *block, const uint64_t *now)
{
	unsigned int n;
	size_t i;

	for (i = 0; i < block->set->stats; i++) {
		const uint64_t *value = now + stat_index(block->set->stat[i]) - block->start;
		struct total *total = block->total[i];

		for (n = 0; is_peak(total) && n < total->size; n++) {
			if (value[n] > total->values[n])
				total->values[n] = value[n];
		}
	}
}

static void remove_cleared(struct block *block, const uint64_t *before, const uint64_t *now)
{
	unsigned int n;
	size_t i;

	for (i = 0; i < block->set->stats; i++) {
		size_t index = stat_index(block->set->stat[i]) - block->start;
		struct total *total = block->total[i];

		for (n = 0; total->counts_up && n < total->size; n++, index++) {
			if (now[index] >= before[index])
				continue;
			block->delta[index] -= now[index] - before[index];
			total->cleared = true;
		}
	}
}

/* Also adds the change of values that do not count up. It may wrap around, and is never used. */
static void add_delta(struct block *block, const uint64_t *before, const uint64_t *now)
{
	unsigned int decreased = 0;
	size_t i;

	/* This loop has no branch, so that the compiler can vectorize it. */
	for (i = 0; i < block->size; i++) {
		block->delta[i] += now[i] - before[i];
		decreased |= (now[i] < before[i]) & block->counts_up[i];
	}
	if (decreased)
		remove_cleared(block, before, now);
}

/* Adds the last sample of @target, and its growth since the previous one. */
static void add_sample(struct block *block, const struct target *target)
{
	const uint64_t *now, *before;
	size_t i;

	if (!block->first)
		return;
	now = target->now ? kvmstats_sample_values(target->now, block->first) : NULL;
	before = target->before ? kvmstats_sample_values(target->before, block->first) : NULL;
	if (!now)
		return;
	for (i = 0; i < block->size; i++)
		block->sum[i] += now[i];
	for (i = 0; target->baseline && i < block->size; i++)
		block->baseline[i] += target->baseline[block->start + i];
	if (block->has_peaks)
		add_peaks(block, now);
	/* Skip idle vCPUs: on a machine with thousands of vCPUs most are idle. */
	if (before && memcmp(before, now, block->size * sizeof(*now)))
		add_delta(block, before, now);
}

/* Adds the sums to the totals. */
static void store(const struct block *block)
{
	unsigned int n;
	size_t i;

	for (i = 0; i < block->set->stats; i++) {
		size_t index = stat_index(block->set->stat[i]) - block->start;
		struct total *total = block->total[i];

		for (n = 0; n < total->size; n++, index++) {
			if (!is_peak(total))
				total->values[n] += block->sum[index];
			if (!total->counts_up)
				continue;
			total->deltas[n] += block->delta[index];
			total->growth[n] += block->sum[index] - block->baseline[index];
		}
	}
}

/* ---- totals ---- */

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

/* Returns the block of targets like this one, or NULL. */
static struct block *find_block(const struct totals *totals, const struct target *target)
{
	size_t i;

	for (i = 0; i < totals->blocks; i++) {
		if (totals->block[i].set == target->set)
			return &totals->block[i];
	}
	return NULL;
}

static bool is_selected(const struct totals *totals, const struct target *target)
{
	return !totals->selects || totals->selects(target, totals->arg);
}

static int add_block(struct totals *totals, const struct target *target)
{
	const struct stat_set *set = target->set;
	struct block *more = realloc(totals->block, (totals->blocks + 1) * sizeof(*more));
	size_t i;
	int err;

	if (!more)
		return -ENOMEM;
	totals->block = more;
	more += totals->blocks++;
	err = init_block(more, set);
	for (i = 0; !err && i < set->stats; i++) {
		more->total[i] = find_total(totals, set->stat[i]);
		if (!more->total[i])
			return -ENOMEM;
		more->total[i]->present = true;
	}
	return err;
}

/* Makes a block for each kind of target. Returns 0 or -ENOMEM. */
static int rebuild(struct totals *totals)
{
	const struct target *target;
	int err = 0;
	size_t i;

	free_blocks(totals);
	totals->generation = 0;
	for (i = 0; i < totals->totals; i++)
		totals->total[i]->present = false;
	for_each_target(target, totals->monitor) {
		if (!err && is_selected(totals, target) && !find_block(totals, target))
			err = add_block(totals, target);
	}
	if (!err)
		totals->generation = totals->monitor->generation;
	return err;
}

static void add_samples(struct totals *totals)
{
	const struct target *target;

	for_each_target(target, totals->monitor) {
		struct block *block = is_selected(totals, target) ? find_block(totals, target) :
								     NULL;

		if (block)
			add_sample(block, target);
	}
}

/* Sets the sums over the values. @interval is in ns; 0: there is no previous sample. */
static void finish(struct total *total, uint64_t interval)
{
	uint64_t last = total->value;
	unsigned int n;

	total->value = 0;
	total->delta = 0;
	for (n = 0; n < total->size; n++) {
		total->value += total->values[n];
		total->delta += total->deltas[n];
	}
	total->rate = interval ? (double)total->delta * 1e9 / (double)interval : 0;
	if (total->counts_up)
		total->change = (int64_t)total->delta;
	else
		total->change = total->has_value ? (int64_t)(total->value - last) : 0;
	total->has_value = true;
}

int totals_update(struct totals *totals)
{
	const struct monitor *monitor = totals->monitor;
	uint64_t interval = monitor->time_before ? monitor->time - monitor->time_before : 0;
	size_t i;
	int err = totals->generation == monitor->generation ? 0 : rebuild(totals);

	if (err)
		return err;
	for (i = 0; i < totals->totals; i++) {
		struct total *total = totals->total[i];

		total->cleared = false;
		memset(total->values, 0, 3 * total->size * sizeof(*total->values));
	}
	for (i = 0; i < totals->blocks; i++)
		memset(totals->block[i].sum, 0, 3 * totals->block[i].size * sizeof(uint64_t));
	add_samples(totals);
	for (i = 0; i < totals->blocks; i++)
		store(&totals->block[i]);
	for (i = 0; i < totals->totals; i++)
		finish(totals->total[i], interval);
	return 0;
}

struct totals *totals_open(const struct monitor *monitor,
			   bool (*selects)(const struct target *target, void *arg), void *arg)
{
	struct totals *totals = calloc(1, sizeof(*totals));

	if (totals)
		*totals = (struct totals){ .monitor = monitor, .selects = selects, .arg = arg };
	return totals;
}

void totals_reselect(struct totals *totals)
{
	totals->generation = 0;
}

void totals_close(struct totals *totals)
{
	if (!totals)
		return;
	while (totals->totals)
		free(totals->total[--totals->totals]);
	free(totals->total);
	free_blocks(totals);
	free(totals);
}
