/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums over the samples of all targets that have the same statistics.
 *
 * A sample is one block of 64-bit values. For thousands of vCPUs it is fastest to add whole
 * blocks without regard to what each value means, and to split only the sums into statistics.
 */
#ifndef VALUES_SET_SUM_H
#define VALUES_SET_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "targets/stat_set.h"
#include "targets/target.h"
#include "values/total.h"

/* Where the values of one statistic are in a sample, and the total that they are part of. */
struct stat_slot {
	size_t index;			/* of the first value */
	unsigned int size;		/* number of values */
	bool peak;
	bool counts_up;
	struct total *total;		/* set by the caller of set_sum_init() */
};

struct set_sum {
	const struct stat_set *set;
	enum origin origin;
	struct stat_slot *slot;		/* one for each of set->stat */
	size_t start;			/* index of the first value that the filter selects */
	size_t size;			/* number of values from there to the last selected one */
	bool has_peaks;
	/* Arrays of @size entries: */
	bool *counts_up;
	uint64_t *sum;
	uint64_t *largest;
	uint64_t *delta;
	uint64_t *baseline;		/* sums of the baselines */
	bool *cleared;			/* a value decreased */
};

/* Returns 0 or -ENOMEM. In both cases set_sum_free() is needed. */
int set_sum_init(struct set_sum *sum, const struct stat_set *set, enum origin origin);
void set_sum_free(struct set_sum *sum);

void set_sum_clear(struct set_sum *sum);

/* Adds the last sample of @target, and its growth since the previous one. */
void set_sum_add(struct set_sum *sum, const struct target *target);

/* Adds the sums to the totals of the slots. */
void set_sum_store(const struct set_sum *sum);

#endif /* VALUES_SET_SUM_H */
