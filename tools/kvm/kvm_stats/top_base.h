/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From where the column "Total" counts: what the statistics were when top began, or when
 * they were reset.  What a VM or vCPU that appears later has counted is all of later.
 */
#ifndef TOP_BASE_H
#define TOP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor.h"
#include "total.h"

struct base {
	const struct target *target;
	uint64_t *values;		/* by their offset in the sample */
	size_t size;
	uint64_t time;			/* of the last sample that was seen */
};

struct bases {
	struct base *base;		/* by the address of the target */
	size_t bases;
	bool begun;
	uint64_t generation;		/* of the monitor, when this was made */
};

/*
 * After each monitor_sample(), and whenever the monitor has other targets: false if there is
 * no memory.
 */
bool bases_update(struct bases *bases, const struct monitor *monitor);

/* From now on. */
void bases_reset(struct bases *bases);

/* What @target has counted of value @n of @stat since then, or all it has if @past. */
uint64_t base_growth(const struct bases *bases, const struct target *target,
		     const struct kvmstats_stat *stat, unsigned int n, bool past);

/*
 * The same of a line of totals, for each of its values: @values has room for total->size.
 * @takes is the one of the totals.
 */
void base_total(const struct bases *bases, const struct total *total, bool past,
		bool (*takes)(const struct target *target, void *arg), void *arg,
		uint64_t *values);

void bases_free(struct bases *bases);

#endif /* TOP_BASE_H */
