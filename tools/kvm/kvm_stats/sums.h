/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of statistics: their growth, their sums over VMs and vCPUs, and since when they count. */
#ifndef SUMS_H
#define SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

/* ---- rows: one statistic of one VM or vCPU, and its growth between the last two samples ---- */

struct row {
	const struct target *target;
	const struct kvmstats_stat *stat;	/* name, type, unit: kvmstats_stat_...() */
	unsigned int size;			/* number of values */
	const uint64_t *values;			/* valid until the next sample; NULL: no sample */
	uint64_t value;				/* histogram: the sum of its buckets */
	bool known;				/* it counts up, and there are two samples */
	bool cleared;				/* it decreased: reset, or another VM */
	uint64_t delta;				/* 0 unless @known */
	double rate;				/* delta per second */
};

void row_get(struct row *row, const struct target *target, const struct kvmstats_stat *stat);

/* The same for value @n only, for example one bucket of a histogram. */
void row_get_element(struct row *row, const struct target *target,
		     const struct kvmstats_stat *stat, unsigned int n);

/* ---- baselines: the values that totals count from ---- */

/*
 * These are the values at the start of top or at the last reset. A VM or vCPU that appears later
 * counts from 0. target->baseline has the block of values, or is NULL if all of them are 0.
 *
 * Makes the last sample the baseline. Returns false if there is not enough memory.
 */
bool baselines_start(const struct monitor *monitor);

/*
 * Call it after each later monitor_sample(), before totals_update(): values that were cleared
 * count from 0.
 */
void baselines_update(const struct monitor *monitor);

/* ---- totals: sums of each statistic over all VMs and vCPUs, one for each name ---- */

struct total {
	const char *name;
	const struct kvmstats_stat *stat;	/* for type, unit and buckets */
	bool counts_up;				/* deltas and growth are valid */
	bool present;				/* at least one target has it now */
	bool cleared;				/* a value decreased; deltas do not include it */
	unsigned int size;			/* number of values */
	uint64_t *values;			/* sums; for peaks, maxima */
	uint64_t *deltas;			/* growth since the previous sample */
	uint64_t *growth;			/* growth since the baselines */
	uint64_t value;				/* sum of values */
	uint64_t delta;				/* sum of deltas */
	int64_t change;				/* delta, or how value has changed; 0 at first */
	double rate;				/* delta per second */
	bool has_value;				/* it was updated before; for sums.c only */
};

/* They keep their order, and new ones are appended. */
struct totals {
	struct total **total;
	size_t totals;
	/* For sums.c only: */
	const struct monitor *monitor;
	bool (*selects)(const struct target *target, void *arg);
	void *arg;
	uint64_t generation;		/* monitor->generation of the blocks, 0: not built yet */
	struct block *block;
	size_t blocks;
};

/*
 * @selects says which targets to include; NULL: all. @arg is passed to it. Call
 * totals_reselect() when its answers change. Returns NULL if memory is exhausted.
 */
struct totals *totals_open(const struct monitor *monitor,
			   bool (*selects)(const struct target *target, void *arg), void *arg);
void totals_close(struct totals *totals);
void totals_reselect(struct totals *totals);

/*
 * Call it after each monitor_sample(). Only allocates memory when monitor->generation has changed.
 * Returns 0 or -ENOMEM.
 */
int totals_update(struct totals *totals);

#endif /* SUMS_H */
