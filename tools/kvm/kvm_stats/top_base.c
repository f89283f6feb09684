// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "top_base.h"

static int by_target(const void *a, const void *b)
{
	const struct base *x = a, *y = b;

	return (x->target > y->target) - (x->target < y->target);
}

static struct base *find(const struct bases *bases, const struct target *target)
{
	struct base key = { .target = target };

	if (!bases->bases)
		return NULL;
	return bsearch(&key, bases->base, bases->bases, sizeof(key), by_target);
}

static bool counts_up(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_CUMULATIVE || kvmstats_stat_is_hist(stat);
}

static size_t place_of(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_offset(stat) / sizeof(uint64_t);
}

/* ---- one target ---- */

static size_t size_of(const struct stat_set *set)
{
	size_t size = 1;
	size_t i;

	for (i = 0; i < kvmstats_schema_count(set->schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(set->schema, i);
		size_t end = place_of(stat) + kvmstats_stat_size(stat);

		if (end > size)
			size = end;
	}
	return size;
}

static void begin_now(struct base *base)
{
	const struct kvmstats_schema *schema = base->target->set->schema;
	size_t i;

	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		const uint64_t *now = kvmstats_sample_values(base->target->now, stat);

		if (now && counts_up(stat))
			memcpy(base->values + place_of(stat), now,
			       kvmstats_stat_size(stat) * sizeof(*now));
	}
}

/* What has been cleared counts from 0 again. */
static void follow_cleared(struct base *base)
{
	const struct stat_set *set = base->target->set;
	unsigned int n;
	size_t i;

	for (i = 0; i < set->stats; i++) {
		const struct kvmstats_stat *stat = set->stat[i];
		const uint64_t *now = kvmstats_sample_values(base->target->now, stat);
		const uint64_t *before = kvmstats_sample_values(base->target->before, stat);

		for (n = 0; now && before && n < kvmstats_stat_size(stat); n++) {
			if (now[n] < before[n])
				base->values[place_of(stat) + n] = 0;
		}
	}
}

/* ---- all ---- */

/* A target that has only just come may have got the address of one that has gone. */
static bool is_the_same(const struct base *known, const struct base *base)
{
	return known->size == base->size &&
	       (kvmstats_sample_time(base->target->before) ||
		kvmstats_sample_time(base->target->now) == known->time);
}

static bool take_over(struct bases *old, struct base *base)
{
	struct base *known = find(old, base->target);

	if (!known || !known->values || !is_the_same(known, base))
		return false;
	base->values = known->values;
	known->values = NULL;
	return true;
}

static bool fill(struct base *base, struct bases *old)
{
	base->size = size_of(base->target->set);
	if (take_over(old, base))
		return true;
	base->values = calloc(base->size, sizeof(*base->values));
	if (!base->values)
		return false;
	if (!old->begun)
		begin_now(base);
	return true;
}

static bool add_all(struct bases *bases, struct bases *old, const struct monitor *monitor)
{
	size_t i, j;

	for (i = 0; i < monitor->vmms; i++) {
		for (j = 0; j < monitor->vmm[i]->targets; j++) {
			struct base *base = &bases->base[bases->bases++];

			base->target = monitor->vmm[i]->target[j];
			if (!fill(base, old))
				return false;
		}
	}
	qsort(bases->base, bases->bases, sizeof(*bases->base), by_target);
	return true;
}

static bool make(struct bases *bases, const struct monitor *monitor)
{
	struct bases old = *bases;
	bool good;

	*bases = (struct bases){
		.base = calloc(monitor_targets(monitor) + 1, sizeof(*bases->base)),
		.begun = true,
		.generation = monitor->generation,
	};
	good = bases->base && add_all(bases, &old, monitor);
	bases_free(&old);
	return good;
}

bool bases_update(struct bases *bases, const struct monitor *monitor)
{
	size_t i;

	if ((!bases->begun || bases->generation != monitor->generation) && !make(bases, monitor))
		return false;
	for (i = 0; i < bases->bases; i++) {
		follow_cleared(&bases->base[i]);
		bases->base[i].time = kvmstats_sample_time(bases->base[i].target->now);
	}
	return true;
}

void bases_reset(struct bases *bases)
{
	size_t i;

	for (i = 0; i < bases->bases; i++)
		begin_now(&bases->base[i]);
}

static uint64_t growth(const struct base *base, const struct kvmstats_stat *stat, unsigned int n,
		       bool past)
{
	const uint64_t *now = kvmstats_sample_values(base->target->now, stat);
	uint64_t from = past ? 0 : base->values[place_of(stat) + n];

	if (!now)
		return 0;
	return now[n] >= from ? now[n] - from : now[n];
}

uint64_t base_growth(const struct bases *bases, const struct target *target,
		     const struct kvmstats_stat *stat, unsigned int n, bool past)
{
	const struct base *base = find(bases, target);

	return base ? growth(base, stat, n, past) : 0;
}

/* ---- sums ---- */

static bool is_of(const struct total *total, const struct target *target)
{
	enum origin origin = target->origin == ORIGIN_TAKEN ? ORIGIN_OPENED : target->origin;

	return total->origin == origin;
}

static void add(const struct base *base, const struct kvmstats_stat *stat,
		const struct total *total, bool past, uint64_t *values)
{
	unsigned int n;

	for (n = 0; n < total->size; n++)
		values[n] += growth(base, stat, n, past);
}

void base_total(const struct bases *bases, const struct total *total, bool past,
		bool (*takes)(const struct target *target, void *arg), void *arg,
		uint64_t *values)
{
	const struct kvmstats_stat *stat = NULL;
	const struct stat_set *set = NULL;
	size_t i;

	memset(values, 0, total->size * sizeof(*values));
	for (i = 0; i < bases->bases; i++) {
		const struct base *base = &bases->base[i];

		/* Most have the set of the one before. */
		if (base->target->set != set) {
			set = base->target->set;
			stat = kvmstats_schema_find(set->schema, total->name);
		}
		if (stat && kvmstats_stat_size(stat) == total->size &&
		    is_of(total, base->target) && takes(base->target, arg))
			add(base, stat, total, past, values);
	}
}

void bases_free(struct bases *bases)
{
	size_t i;

	for (i = 0; i < bases->bases; i++)
		free(bases->base[i].values);
	free(bases->base);
	*bases = (struct bases){ 0 };
}
