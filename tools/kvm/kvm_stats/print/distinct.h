/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PRINT_DISTINCT_H
#define PRINT_DISTINCT_H

#include "monitor/monitor.h"

/*
 * Calls @fn for each selected statistic, with one of the targets that have it. Targets of the same
 * scope can have different sets, which usually have many statistics in common: those are passed
 * once.
 */
void each_distinct_stat(const struct monitor *monitor,
			void (*fn)(const struct target *target, const struct kvmstats_stat *stat,
				   void *arg), void *arg);

#endif /* PRINT_DISTINCT_H */
