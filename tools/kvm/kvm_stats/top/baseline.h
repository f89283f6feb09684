/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values that the column "Total" subtracts: the statistics at the start of top or at the
 * last reset. The baseline of a VM or vCPU that appears later is 0.
 */
#ifndef TOP_BASELINE_H
#define TOP_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/monitor.h"
#include "values/total.h"

struct baseline {
	const struct target *target;
	uint64_t *values;		/* indexed by the offset in the sample */
	size_t size;
	uint64_t time;			/* of the target's last sample */
};

struct baselines {
	struct baseline *baseline;	/* sorted by the address of the target */
	size_t baselines;
	bool begun;
	uint64_t generation;		/* monitor->generation at the last rebuild */
};

/*
 * Call this after each monitor_sample() and whenever the targets of the monitor have changed.
 * Returns false if there is not enough memory.
 */
bool baselines_update(struct baselines *baselines, const struct monitor *monitor);

/* Makes the current values the baseline. */
void baselines_reset(struct baselines *baselines);

/*
 * Returns the growth of value @n of @stat since the baseline, or since the creation of the VM if
 * @include_past is set.
 */
uint64_t baseline_growth(const struct baselines *baselines, const struct target *target,
			 const struct kvmstats_stat *stat, unsigned int n, bool include_past);

/*
 * Stores the growth of each value of @total in @values, which has total->size elements.
 * @selects and @arg must be those that the totals were opened with.
 */
void baseline_total(const struct baselines *baselines, const struct total *total, bool include_past,
		    bool (*selects)(const struct target *target, void *arg), void *arg,
		    uint64_t *values);

void baselines_free(struct baselines *baselines);

#endif /* TOP_BASELINE_H */
