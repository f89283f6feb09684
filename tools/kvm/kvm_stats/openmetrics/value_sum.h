/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OPENMETRICS_VALUE_SUM_H
#define OPENMETRICS_VALUE_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "targets/target.h"

/* A buffer for the sums of the values of one statistic. */
struct value_sum {
	uint64_t *values;
	size_t capacity;
};

/*
 * Adds up each value of @stat, which is in @set, over the targets that have this statistic, also
 * in another set. For a peak, takes the maximum. Returns the sums, which are valid until the next
 * call, or NULL if no target has values or memory is exhausted. A sum that exceeds 64 bits starts
 * again at 0, like a counter that was reset.
 */
const uint64_t *value_sum(struct value_sum *sum, const struct target *const *target,
			  size_t targets, const struct stat_set *set,
			  const struct kvmstats_stat *stat);
void value_sum_free(struct value_sum *sum);

#endif /* OPENMETRICS_VALUE_SUM_H */
