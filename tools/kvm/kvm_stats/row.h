/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One statistic of one VM or vCPU, and how it moved between the last two samples.
 *
 *	for (i = 0; i < target->set->stats; i++) {
 *		row_get(&row, target, target->set->stat[i]);
 */
#ifndef ROW_H
#define ROW_H

#include <stdint.h>

#include "monitor.h"

enum growth {
	GROWTH_KNOWN,		/* delta and rate */
	GROWTH_NONE,		/* this type of statistic does not count up */
	GROWTH_UNKNOWN,		/* there is one sample only */
	GROWTH_CLEARED,		/* it fell back: someone has cleared it, or the VM is a new one */
};

struct row {
	const struct target *target;
	const struct kvmstats_stat *stat;	/* name, type, unit: kvmstats_stat_...() */
	unsigned int size;			/* of values */
	const uint64_t *values;			/* until the next sample; NULL: none yet */
	const uint64_t *before;			/* those of the sample before, NULL: none */
	uint64_t value;				/* of a histogram the number of its samples */
	enum growth growth;
	uint64_t delta;				/* 0 unless growth is known */
	double rate;				/* delta per second */
};

void row_get(struct row *row, const struct target *target, const struct kvmstats_stat *stat);

/* The same of value @n alone: bucket @n of a histogram. */
void row_get_element(struct row *row, const struct target *target,
		     const struct kvmstats_stat *stat, unsigned int n);

#endif /* ROW_H */
