/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From where the column "Total" counts: what the statistics were when top began, or when
 * they were reset.  What a VM or vCPU that appears later has counted is all of later.
 */
#ifndef TOP_BASELINE_H
#define TOP_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor.h"
#include "total.h"

struct baseline {
	const struct target *target;
	uint64_t *values;		/* by their offset in the sample */
	size_t size;
	uint64_t time;			/* of the last sample that was seen */
};

struct baselines {
	struct baseline *baseline;		/* by the address of the target */
	size_t baselines;
	bool begun;
	uint64_t generation;		/* of the monitor, when this was made */
};

/*
 * After each monitor_sample(), and whenever the monitor has other targets: false if there is
 * no memory.
 */
bool baselines_update(struct baselines *baselines, const struct monitor *monitor);

/* From now on. */
void baselines_reset(struct baselines *baselines);

/* What @target has counted of value @n of @stat since then, or all it has if @past. */
uint64_t baseline_growth(const struct baselines *baselines, const struct target *target,
		     const struct kvmstats_stat *stat, unsigned int n, bool include_past);

/*
 * The same of a line of totals, for each of its values: @values has room for total->size.
 * @selects is the one of the totals.
 */
void baseline_total(const struct baselines *baselines, const struct total *total, bool include_past,
		bool (*selects)(const struct target *target, void *arg), void *arg,
		uint64_t *values);

void baselines_free(struct baselines *baselines);

#endif /* TOP_BASELINE_H */
