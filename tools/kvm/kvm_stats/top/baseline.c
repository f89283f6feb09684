// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "top/baseline.h"

static int by_target(const void *a, const void *b)
{
	const struct baseline *x = a, *y = b;

	return (x->target > y->target) - (x->target < y->target);
}

static struct baseline *find(const struct baselines *baselines, const struct target *target)
{
	struct baseline key = { .target = target };

	if (!baselines->baselines)
		return NULL;
	return bsearch(&key, baselines->baseline, baselines->baselines, sizeof(key), by_target);
}

static bool counts_up(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_CUMULATIVE || kvmstats_stat_is_hist(stat);
}

static size_t value_index(const struct kvmstats_stat *stat)
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
		size_t end = value_index(stat) + kvmstats_stat_size(stat);

		if (end > size)
			size = end;
	}
	return size;
}

static void start_now(struct baseline *baseline)
{
	const struct kvmstats_schema *schema = baseline->target->set->schema;
	size_t i;

	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		const uint64_t *now = kvmstats_sample_values(baseline->target->now, stat);

		if (now && counts_up(stat))
			memcpy(baseline->values + value_index(stat), now,
			       kvmstats_stat_size(stat) * sizeof(*now));
	}
}

/* Sets the baseline to 0 for values that were cleared. */
static void reset_cleared(struct baseline *baseline)
{
	const struct stat_set *set = baseline->target->set;
	unsigned int n;
	size_t i;

	for (i = 0; i < set->stats; i++) {
		const struct kvmstats_stat *stat = set->stat[i];
		const uint64_t *now = kvmstats_sample_values(baseline->target->now, stat);
		const uint64_t *before = kvmstats_sample_values(baseline->target->before, stat);

		for (n = 0; now && before && n < kvmstats_stat_size(stat); n++) {
			if (now[n] < before[n])
				baseline->values[value_index(stat) + n] = 0;
		}
	}
}

/* ---- all ---- */

/* A new target can have the address of one that was freed. */
static bool is_same_target(const struct baseline *known, const struct baseline *baseline)
{
	return known->size == baseline->size &&
	       (kvmstats_sample_time(baseline->target->before) ||
		kvmstats_sample_time(baseline->target->now) == known->time);
}

static bool inherit_values(struct baselines *old, struct baseline *baseline)
{
	struct baseline *known = find(old, baseline->target);

	if (!known || !known->values || !is_same_target(known, baseline))
		return false;
	baseline->values = known->values;
	known->values = NULL;
	return true;
}

static bool fill(struct baseline *baseline, struct baselines *old)
{
	baseline->size = size_of(baseline->target->set);
	if (inherit_values(old, baseline))
		return true;
	baseline->values = calloc(baseline->size, sizeof(*baseline->values));
	if (!baseline->values)
		return false;
	if (!old->begun)
		start_now(baseline);
	return true;
}

static bool add_all(struct baselines *baselines, struct baselines *old,
		    const struct monitor *monitor)
{
	size_t i, j;

	for (i = 0; i < monitor->vmms; i++) {
		for (j = 0; j < monitor->vmm[i]->targets; j++) {
			struct baseline *baseline = &baselines->baseline[baselines->baselines++];

			baseline->target = monitor->vmm[i]->target[j];
			if (!fill(baseline, old))
				return false;
		}
	}
	qsort(baselines->baseline, baselines->baselines, sizeof(*baselines->baseline), by_target);
	return true;
}

static bool rebuild(struct baselines *baselines, const struct monitor *monitor)
{
	struct baselines old = *baselines;
	bool good;

	*baselines = (struct baselines){
		.baseline = calloc(monitor_targets(monitor) + 1, sizeof(*baselines->baseline)),
		.begun = true,
		.generation = monitor->generation,
	};
	good = baselines->baseline && add_all(baselines, &old, monitor);
	baselines_free(&old);
	return good;
}

bool baselines_update(struct baselines *baselines, const struct monitor *monitor)
{
	size_t i;

	if ((!baselines->begun || baselines->generation != monitor->generation) &&
	    !rebuild(baselines, monitor))
		return false;
	for (i = 0; i < baselines->baselines; i++) {
		struct baseline *baseline = &baselines->baseline[i];

		reset_cleared(baseline);
		baseline->time = kvmstats_sample_time(baseline->target->now);
	}
	return true;
}

void baselines_reset(struct baselines *baselines)
{
	size_t i;

	for (i = 0; i < baselines->baselines; i++)
		start_now(&baselines->baseline[i]);
}

static uint64_t growth(const struct baseline *baseline, const struct kvmstats_stat *stat,
		       unsigned int n, bool include_past)
{
	const uint64_t *now = kvmstats_sample_values(baseline->target->now, stat);
	uint64_t from = include_past ? 0 : baseline->values[value_index(stat) + n];

	if (!now)
		return 0;
	return now[n] >= from ? now[n] - from : now[n];
}

uint64_t baseline_growth(const struct baselines *baselines, const struct target *target,
			 const struct kvmstats_stat *stat, unsigned int n, bool include_past)
{
	const struct baseline *baseline = find(baselines, target);

	return baseline ? growth(baseline, stat, n, include_past) : 0;
}

/* ---- sums ---- */

static bool has_same_origin(const struct total *total, const struct target *target)
{
	enum origin origin = target->origin == ORIGIN_TAKEN ? ORIGIN_OPENED : target->origin;

	return total->origin == origin;
}

static void add(const struct baseline *baseline, const struct kvmstats_stat *stat,
		const struct total *total, bool include_past, uint64_t *values)
{
	unsigned int n;

	for (n = 0; n < total->size; n++)
		values[n] += growth(baseline, stat, n, include_past);
}

void baseline_total(const struct baselines *baselines, const struct total *total, bool include_past,
		    bool (*selects)(const struct target *target, void *arg), void *arg,
		    uint64_t *values)
{
	const struct kvmstats_stat *stat = NULL;
	const struct stat_set *set = NULL;
	size_t i;

	memset(values, 0, total->size * sizeof(*values));
	for (i = 0; i < baselines->baselines; i++) {
		const struct baseline *baseline = &baselines->baseline[i];

		/* Consecutive targets often share a set, so look the name up once. */
		if (baseline->target->set != set) {
			set = baseline->target->set;
			stat = kvmstats_schema_find(set->schema, total->name);
		}
		if (stat && kvmstats_stat_size(stat) == total->size &&
		    has_same_origin(total, baseline->target) && selects(baseline->target, arg))
			add(baseline, stat, total, include_past, values);
	}
}

void baselines_free(struct baselines *baselines)
{
	size_t i;

	for (i = 0; i < baselines->baselines; i++)
		free(baselines->baseline[i].values);
	free(baselines->baseline);
	*baselines = (struct baselines){ 0 };
}
