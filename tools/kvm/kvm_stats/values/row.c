// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "values/row.h"

static void start(struct row *row, const struct target *target, const struct kvmstats_stat *stat)
{
	*row = (struct row){
		.target = target,
		.stat = stat,
		.size = kvmstats_stat_size(stat),
		.values = kvmstats_sample_values(target->now, stat),
		.before = kvmstats_sample_values(target->before, stat),
	};
}

static enum growth growth_of(int err)
{
	switch (err) {
	case 0:
		return GROWTH_KNOWN;
	case -EINVAL:
		return GROWTH_NONE;
	case -ESTALE:
		return GROWTH_CLEARED;
	default:
		return GROWTH_UNKNOWN;
	}
}

/* Adds value @n to the row. The growth of the row is the worst one of its values. */
static void add(struct row *row, unsigned int n)
{
	const struct target *target = row->target;
	enum growth growth;
	uint64_t delta = 0;

	if (row->values)
		row->value += row->values[n];
	growth = growth_of(kvmstats_delta(target->before, target->now, row->stat, n, &delta));
	if (growth > row->growth)
		row->growth = growth;
	row->delta += delta;
}

static void finish(struct row *row)
{
	uint64_t from = kvmstats_sample_time(row->target->before);
	uint64_t to = kvmstats_sample_time(row->target->now);

	if (row->growth == GROWTH_KNOWN && to <= from)
		row->growth = GROWTH_UNKNOWN;
	if (row->growth == GROWTH_KNOWN)
		row->rate = (double)row->delta * 1e9 / (double)(to - from);
	else
		row->delta = 0;
}

void row_get(struct row *row, const struct target *target, const struct kvmstats_stat *stat)
{
	unsigned int n;

	start(row, target, stat);
	for (n = 0; n < row->size && (n < 1 || kvmstats_stat_is_hist(stat)); n++)
		add(row, n);
	finish(row);
}

void row_get_element(struct row *row, const struct target *target,
		     const struct kvmstats_stat *stat, unsigned int n)
{
	start(row, target, stat);
	add(row, n);
	finish(row);
}
