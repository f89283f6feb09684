/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One statistic of one VM or vCPU, and its growth between the last two samples.
 *
 *	for (i = 0; i < target->set->stats; i++) {
 *		row_get(&row, target, target->set->stat[i]);
 */
#ifndef VALUES_ROW_H
#define VALUES_ROW_H

#include <stdint.h>

#include "monitor/monitor.h"

enum growth {
	GROWTH_KNOWN,		/* delta and rate are valid */
	GROWTH_NONE,		/* the statistic does not count up */
	GROWTH_UNKNOWN,		/* there is only one sample */
	GROWTH_CLEARED,		/* the value decreased: it was reset, or the VM is another one */
};

struct row {
	const struct target *target;
	const struct kvmstats_stat *stat;	/* name, type, unit: kvmstats_stat_...() */
	unsigned int size;			/* number of values */
	const uint64_t *values;			/* valid until the next sample; NULL: no sample */
	const uint64_t *before;			/* values of the previous sample; NULL: no sample */
	uint64_t value;				/* histogram: the sum of its buckets */
	enum growth growth;
	uint64_t delta;				/* 0 unless GROWTH_KNOWN */
	double rate;				/* delta per second */
};

void row_get(struct row *row, const struct target *target, const struct kvmstats_stat *stat);

/* The same for value @n only, for example one bucket of a histogram. */
void row_get_element(struct row *row, const struct target *target,
		     const struct kvmstats_stat *stat, unsigned int n);

#endif /* VALUES_ROW_H */
