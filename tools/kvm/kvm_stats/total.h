/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums over all VMs and vCPUs that are being watched, a line for each name and origin.
 *
 * Made for thousands of vCPUs: totals_update() allocates only when monitor->generation has
 * changed, and then keeps the order, and gives new names a place behind.
 */
#ifndef TOTAL_H
#define TOTAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor.h"

struct total {
	const char *name;
	const struct kvmstats_stat *stat;	/* type, unit, buckets; of one of those that have it */
	enum origin origin;
	bool counts_up;				/* has deltas */
	bool present;				/* something has it at the moment */
	bool cleared;				/* one of them fell back; it is not in the deltas */
	unsigned int size;
	uint64_t *values;			/* sums; of a peak the largest */
	uint64_t *deltas;			/* growth since the sample before, of those that were there */
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
 * @takes, unless NULL, chooses whose numbers count (one VMM's, one vCPU's); @arg is for it.
 * Call totals_reselect() when it would answer otherwise.
 */
int totals_open(struct totals **totals, const struct monitor *monitor,
		bool (*takes)(const struct target *target, void *arg), void *arg);
void totals_close(struct totals *totals);
void totals_reselect(struct totals *totals);

/* After each monitor_sample(): 0 or -ENOMEM. */
int totals_update(struct totals *totals);

#endif /* TOTAL_H */
