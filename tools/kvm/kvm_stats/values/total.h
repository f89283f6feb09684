/* SPDX-License-Identifier: GPL-2.0-only */
/* The sum of one statistic over several VMs and vCPUs. */
#ifndef VALUES_TOTAL_H
#define VALUES_TOTAL_H

#include <stdbool.h>
#include <stdint.h>

#include "kvmstats.h"
#include "targets/source.h"

struct total {
	const char *name;
	const struct kvmstats_stat *stat;	/* for type, unit and buckets */
	enum origin origin;
	bool counts_up;				/* deltas and growth are valid */
	bool present;				/* at least one target has it now */
	bool cleared;				/* a value decreased; deltas do not include it */
	unsigned int size;			/* number of values */
	uint64_t *values;			/* sums; for peaks, maxima */
	uint64_t *deltas;			/* growth since the previous sample */
	uint64_t *growth;			/* growth since the baselines, see baseline.h */
	uint64_t value;				/* sum of values */
	uint64_t delta;				/* sum of deltas */
	double rate;				/* delta per second */
};

/* Returns NULL if memory is exhausted. @stat must outlive the total. */
struct total *total_new(const struct kvmstats_stat *stat, enum origin origin);
void total_free(struct total *total);

/* Whether values of @stat belong to this total. */
bool total_matches(const struct total *total, const struct kvmstats_stat *stat,
		   enum origin origin);

/* Sets all values to 0, before set_sum_store() adds to them. */
void total_clear(struct total *total);

/* Calculates the sums and the rate. @interval is in ns; 0: there is no previous sample. */
void total_finish(struct total *total, uint64_t interval);

#endif /* VALUES_TOTAL_H */
