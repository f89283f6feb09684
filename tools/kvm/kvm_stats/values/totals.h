/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of each statistic over all watched VMs and vCPUs, one for each name and origin.
 *
 * totals_update() only allocates memory when monitor->generation has changed. Totals keep their
 * order; new ones are appended.
 */
#ifndef VALUES_TOTALS_H
#define VALUES_TOTALS_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/monitor.h"
#include "values/total.h"

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

#endif /* VALUES_TOTALS_H */
