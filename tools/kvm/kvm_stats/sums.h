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
	double rate;				/* delta per second */
};

/* Initialize it with zeros. Totals keep their order, and new ones are appended. */
struct totals {
	struct total **total;
	size_t totals;
	struct set_totals *set;		/* for sums.c only */
	size_t sets;
};

/*
 * Adds up the last sample of the targets for which @selects returns true; NULL: of all. @arg is
 * passed to it. Returns 0 or -ENOMEM.
 */
int totals_update(struct totals *totals, const struct monitor *monitor,
		  bool (*selects)(const struct target *target, void *arg), void *arg);
void totals_free(struct totals *totals);

#endif /* SUMS_H */
