// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "targets/stat.h"
#include "values/set_sum.h"

/* ---- layout ---- */

static int init_slots(struct set_sum *sum)
{
	size_t i;

	sum->slot = calloc(sum->set->stats + 1, sizeof(*sum->slot));
	if (!sum->slot)
		return -ENOMEM;
	for (i = 0; i < sum->set->stats; i++) {
		const struct kvmstats_stat *stat = sum->set->stat[i];

		sum->slot[i] = (struct stat_slot){
			.index = stat_index(stat),
			.size = kvmstats_stat_size(stat),
			.peak = kvmstats_stat_type(stat) == KVMSTATS_TYPE_PEAK,
			.counts_up = stat_counts_up(stat),
		};
	}
	return 0;
}

static void set_range(struct set_sum *sum)
{
	size_t end = 0;
	size_t i;

	sum->start = sum->set->stats ? SIZE_MAX : 0;
	for (i = 0; i < sum->set->stats; i++) {
		const struct stat_slot *slot = &sum->slot[i];

		sum->has_peaks |= slot->peak;
		if (slot->index < sum->start)
			sum->start = slot->index;
		if (slot->index + slot->size > end)
			end = slot->index + slot->size;
	}
	sum->size = end - sum->start;
}

static int allocate_arrays(struct set_sum *sum)
{
	size_t count = sum->size + 1;
	size_t i, n;

	sum->counts_up = calloc(count, sizeof(*sum->counts_up));
	sum->sum = calloc(count, sizeof(*sum->sum));
	sum->largest = calloc(count, sizeof(*sum->largest));
	sum->delta = calloc(count, sizeof(*sum->delta));
	sum->baseline = calloc(count, sizeof(*sum->baseline));
	sum->cleared = calloc(count, sizeof(*sum->cleared));
	if (!sum->counts_up || !sum->sum || !sum->largest || !sum->delta || !sum->baseline ||
	    !sum->cleared)
		return -ENOMEM;
	for (i = 0; i < sum->set->stats; i++) {
		const struct stat_slot *slot = &sum->slot[i];

		for (n = 0; n < slot->size; n++)
			sum->counts_up[slot->index - sum->start + n] = slot->counts_up;
	}
	return 0;
}

int set_sum_init(struct set_sum *sum, const struct stat_set *set, enum origin origin)
{
	int err;

	*sum = (struct set_sum){ .set = set, .origin = origin };
	err = init_slots(sum);
	if (err)
		return err;
	set_range(sum);
	return allocate_arrays(sum);
}

void set_sum_free(struct set_sum *sum)
{
	free(sum->slot);
	free(sum->counts_up);
	free(sum->sum);
	free(sum->largest);
	free(sum->delta);
	free(sum->baseline);
	free(sum->cleared);
}

/* ---- sums ---- */

void set_sum_clear(struct set_sum *sum)
{
	memset(sum->sum, 0, sum->size * sizeof(*sum->sum));
	memset(sum->largest, 0, sum->size * sizeof(*sum->largest));
	memset(sum->delta, 0, sum->size * sizeof(*sum->delta));
	memset(sum->baseline, 0, sum->size * sizeof(*sum->baseline));
	memset(sum->cleared, 0, sum->size * sizeof(*sum->cleared));
}

static const uint64_t *first_value(const struct kvmstats_sample *sample, const struct set_sum *sum)
{
	const uint64_t *values = stat_set_values(sum->set, sample);

	return values ? values + sum->start : NULL;
}

static void add_peak(struct set_sum *sum, const struct stat_slot *slot, const uint64_t *now)
{
	size_t index = slot->index - sum->start;
	unsigned int n;

	for (n = 0; n < slot->size; n++, index++) {
		if (now[index] > sum->largest[index])
			sum->largest[index] = now[index];
	}
}

static void add_values(struct set_sum *sum, const uint64_t *now)
{
	size_t i;

	for (i = 0; i < sum->size; i++)
		sum->sum[i] += now[i];
	for (i = 0; sum->has_peaks && i < sum->set->stats; i++) {
		if (sum->slot[i].peak)
			add_peak(sum, &sum->slot[i], now);
	}
}

/* Also adds the change of values that do not count up. It may wrap around, and is never used. */
static void add_delta(struct set_sum *sum, const uint64_t *before, const uint64_t *now)
{
	unsigned int decreased = 0;
	size_t i;

	/* This loop has no branch, so that the compiler can vectorize it. */
	for (i = 0; i < sum->size; i++) {
		sum->delta[i] += now[i] - before[i];
		decreased |= (now[i] < before[i]) & sum->counts_up[i];
	}
	if (!decreased)
		return;
	for (i = 0; i < sum->size; i++) {
		if (now[i] >= before[i] || !sum->counts_up[i])
			continue;
		sum->delta[i] -= now[i] - before[i];
		sum->cleared[i] = true;
	}
}

static void add_baseline(struct set_sum *sum, const uint64_t *baseline)
{
	size_t i;

	for (i = 0; i < sum->size; i++)
		sum->baseline[i] += baseline[i];
}

void set_sum_add(struct set_sum *sum, const struct target *target)
{
	const uint64_t *before, *now;

	if (!sum->size)
		return;
	before = first_value(target->before, sum);
	now = first_value(target->now, sum);
	if (!now)
		return;
	add_values(sum, now);
	if (target->baseline)
		add_baseline(sum, target->baseline + sum->start);
	/* Skip idle vCPUs: on a machine with thousands of vCPUs most are idle. */
	if (before && memcmp(before, now, sum->size * sizeof(*now)))
		add_delta(sum, before, now);
}

void set_sum_store(const struct set_sum *sum)
{
	size_t i;
	unsigned int n;

	for (i = 0; i < sum->set->stats; i++) {
		const struct stat_slot *slot = &sum->slot[i];
		size_t index = slot->index - sum->start;
		struct total *total = slot->total;

		for (n = 0; n < slot->size; n++, index++) {
			if (!slot->peak)
				total->values[n] += sum->sum[index];
			else if (sum->largest[index] > total->values[n])
				total->values[n] = sum->largest[index];
			if (slot->counts_up) {
				total->deltas[n] += sum->delta[index];
				total->growth[n] += sum->sum[index] - sum->baseline[index];
			}
			total->cleared |= sum->cleared[index];
		}
	}
}
