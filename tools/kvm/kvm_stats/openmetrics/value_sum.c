// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/value_sum.h"
#include "targets/stat.h"

static bool reserve(struct value_sum *sum, size_t size)
{
	uint64_t *more;

	if (size <= sum->capacity)
		return true;
	more = reallocarray(sum->values, size, sizeof(*more));
	if (!more)
		return false;
	sum->values = more;
	sum->capacity = size;
	return true;
}

static void add(uint64_t *to, const uint64_t *values, size_t size, bool peak)
{
	size_t n;

	for (n = 0; n < size; n++) {
		if (!peak)
			to[n] += values[n];
		else if (values[n] > to[n])
			to[n] = values[n];
	}
}

/* Returns the values of the statistic of @target that is like @stat, which is in @set, or NULL. */
static const uint64_t *values_of(const struct target *target, const struct stat_set *set,
				 const struct kvmstats_stat *stat)
{
	const struct kvmstats_stat *own = stat;

	if (target->set != set)
		own = kvmstats_schema_find(target->set->schema, kvmstats_stat_name(stat));
	return own && stat_is_like(own, stat) ? kvmstats_sample_values(target->now, own) : NULL;
}

const uint64_t *value_sum(struct value_sum *sum, const struct target *const *target,
			  size_t targets, const struct stat_set *set,
			  const struct kvmstats_stat *stat)
{
	bool peak = kvmstats_stat_type(stat) == KVMSTATS_TYPE_PEAK, found = false;
	size_t size = kvmstats_stat_size(stat);
	size_t i;

	if (targets == 1)
		return values_of(target[0], set, stat);
	if (!reserve(sum, size))
		return NULL;
	memset(sum->values, 0, size * sizeof(*sum->values));
	for (i = 0; i < targets; i++) {
		const uint64_t *values = values_of(target[i], set, stat);

		if (values)
			add(sum->values, values, size, peak);
		found |= !!values;
	}
	return found ? sum->values : NULL;
}

void value_sum_free(struct value_sum *sum)
{
	free(sum->values);
}
