/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In the words of QMP: what QEMU answers to query-stats and query-stats-schemas.
 *
 * Whoever parses that parses this.  It is the whole answer, {"return": [...]}, in a line of
 * its own.  Buckets of histograms are in ascending order; QEMU 7.2 has them in descending
 * order.  The path of a vCPU in QEMU's object tree is not known from outside: "qom-path" is
 * "/kvm-stats/vcpu[ID]", which no QEMU has.
 */
#ifndef QUERY_STATS_H
#define QUERY_STATS_H

#include "monitor.h"

/* False after a complaint unless there is one VMM: an answer is of one. */
bool query_stats_require_one(const struct monitor *monitor);

/* The last sample. */
void query_stats_print(const struct monitor *monitor);
void query_stats_print_schemas(const struct monitor *monitor);

/* Complains if there are statistics of which QMP has no words; they are left out. */
void query_stats_warn_unknown(const struct monitor *monitor);

#endif /* QUERY_STATS_H */
