/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages on standard error about the VMMs and statistics that are watched: those that the user
 * selected and that do not exist, and those that start or end.
 */
#ifndef NOTICE_H
#define NOTICE_H

#include "model.h"

/* ---- what the user selected must exist: these print a message if not ---- */

/* Like monitor_open(), but returns NULL if it fails. */
struct monitor *require_monitor(const struct monitor_options *options);

/* Returns false if the selected VMMs do not exist. */
bool require_vmms(const struct monitor *monitor);

/* The same if no VMM has the selected vCPUs. */
bool require_selection(const struct monitor *monitor);

/*
 * The same if none of the selected statistics can be read. If some can be read, it prints nothing
 * about the others: use report_unread().
 */
bool require_statistics(const struct monitor *monitor);

/*
 * Returns false if the regular expression matches no statistic or tracepoint that can be read.
 * Then reports what cannot be read, which may have it.
 */
bool require_matches(const struct monitor *monitor);

/* ---- notices ---- */

/* Prints the number of VMMs and the sources, and from now on each change. */
void notice_start(struct monitor *monitor);

/*
 * A callback for monitor_options.event that only reports when the search for new VMMs fails,
 * and when it works again. @monitor is the struct monitor.
 */
void notice_search(enum kvmstats_event event, const struct vmm *vmm, void *monitor);

/*
 * Prints a line if the filter selects exit statistics, and since the last call they have been
 * switched off or on. The first call prints only that they are off.
 */
void notice_exits(const struct monitor *monitor);

#endif /* NOTICE_H */
