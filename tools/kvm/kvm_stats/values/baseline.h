/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values that totals count from: those at the start of top or at the last reset. A VM or
 * vCPU that appears later counts from 0. target->baseline has the block of values, or is NULL if
 * all of them are 0.
 */
#ifndef VALUES_BASELINE_H
#define VALUES_BASELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/monitor.h"

/* Makes the last sample the baseline. Returns false if there is not enough memory. */
bool baselines_start(const struct monitor *monitor);

/*
 * Call it after each later monitor_sample(), before totals_update(): values that were cleared
 * count from 0.
 */
void baselines_update(const struct monitor *monitor);

/*
 * Returns the growth of value @n of @stat since the baseline, or since the creation of the VM if
 * @include_past is set.
 */
uint64_t baseline_growth(const struct target *target, const struct kvmstats_stat *stat,
			 unsigned int n, bool include_past);

#endif /* VALUES_BASELINE_H */
