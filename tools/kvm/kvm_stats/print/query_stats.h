/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON in the format of QEMU's answers to the QMP commands query-stats and query-stats-schemas.
 *
 * Each answer is one line, {"return": [...]}. There are two differences. The buckets of
 * histograms are always in ascending order; QEMU prints them in descending order. The path
 * of a vCPU in QEMU's object tree is not visible to other processes, so "qom-path" is
 * "/kvm-stats/vcpu[ID]".
 */
#ifndef PRINT_QUERY_STATS_H
#define PRINT_QUERY_STATS_H

#include "model.h"

/* An answer describes one VMM. Prints a message and returns false if more are selected. */
bool query_stats_require_one(const struct monitor *monitor);
/* The same if @filter cannot select just one, whichever VMMs exist. */
bool query_stats_check(const struct filter *filter);

/* The filters of QEMU's query-stats that are not in struct filter. */
struct query_stats_filter {
	char **name;		/* only statistics with exactly these names; all if empty */
	size_t names;
	bool no_kvm;		/* only statistics of providers other than KVM, so none */
};

/* Prints a message and returns false if there is no statistic with one of the names. */
bool query_stats_has_names(const struct monitor *monitor, const struct query_stats_filter *filter);

/* Prints the last sample. */
void query_stats_print(const struct monitor *monitor, const struct query_stats_filter *filter);
void query_stats_print_schemas(const struct monitor *monitor);

/* Prints a message for each statistic that is omitted because QMP cannot describe it. */
void query_stats_warn_unknown(const struct monitor *monitor);

#endif /* PRINT_QUERY_STATS_H */
