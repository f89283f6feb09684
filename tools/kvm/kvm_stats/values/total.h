/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of each statistic over all watched VMs and vCPUs, one for each name and origin.
 *
 * totals_update() only allocates memory when monitor->generation has changed. Totals keep their
 * order; new ones are appended.
 */
#ifndef VALUES_TOTAL_H
#define VALUES_TOTAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/monitor.h"

struct total {
	const char *name;
	const struct kvmstats_stat *stat;	/* for type, unit and buckets */
	enum origin origin;
	bool counts_up;				/* deltas are valid */
	bool present;				/* at least one target has it now */
	bool cleared;				/* a value decreased; deltas do not include it */
	unsigned int size;			/* number of values */
	uint64_t *values;			/* sums; for peaks, maxima */
	uint64_t *deltas;			/* growth since the previous sample */
	uint64_t value;				/* sum of values */
	uint64_t delta;				/* sum of deltas */
	double rate;				/* delta per second */
};

struct totals {
	struct total **total;
	size_t totals;
	struct totals_state *state;
};

/*
 * @selects says which targets to include; NULL: all. @arg is passed to it. Call
 * totals_reselect() when its answers change. Returns 0 or -ENOMEM.
 */
int totals_open(struct totals **totals, const struct monitor *monitor,
		bool (*selects)(const struct target *target, void *arg), void *arg);
void totals_close(struct totals *totals);
void totals_reselect(struct totals *totals);

/* Call it after each monitor_sample(). Returns 0 or -ENOMEM. */
int totals_update(struct totals *totals);

#endif /* VALUES_TOTAL_H */
