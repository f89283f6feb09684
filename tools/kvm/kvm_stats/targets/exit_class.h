/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of classes of exits, which vCPUs have if the kernel has exit statistics.
 *
 * The classes differ between architectures and kernels, so this recognizes them by their names:
 * a class X has the counter exit_X and the time exit_X_ns.
 */
#ifndef TARGETS_EXIT_CLASS_H
#define TARGETS_EXIT_CLASS_H

#include <stdbool.h>
#include <stddef.h>

#include "kvmstats.h"

struct exit_class {
	const char *name;	/* part of the name of the statistic, not terminated */
	size_t length;
	bool is_time;		/* the statistic is the time of the class, not the counter */
	const struct kvmstats_stat *partner;	/* the time of the counter, or the reverse */
};

/* Returns whether @stat, a statistic of @schema, belongs to a class. Sets @class only then. */
bool exit_class_of(const struct kvmstats_schema *schema, const struct kvmstats_stat *stat,
		   struct exit_class *class);

/* Whether @schema has exit statistics. */
bool has_exit_stats(const struct kvmstats_schema *schema);

/* Whether @stat is an exit statistic: of a class, or one that exists only together with them. */
bool is_exit_stat(const struct kvmstats_schema *schema, const struct kvmstats_stat *stat);

#endif /* TARGETS_EXIT_CLASS_H */
