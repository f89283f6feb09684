/* SPDX-License-Identifier: GPL-2.0-only */
/* Notices on standard error: the sources of the statistics, and VMMs that start and end. */
#ifndef MESSAGES_NOTICE_H
#define MESSAGES_NOTICE_H

#include "monitor/monitor.h"
#include "values/totals.h"

/* Prints the number of VMMs, and from now on each change. */
void notice_start(struct monitor *monitor);

/*
 * A callback for monitor_options.event that only reports when the search for new VMMs fails,
 * and when it works again. @monitor is the struct monitor.
 */
void notice_search(enum monitor_event event, const struct vmm *vmm, void *monitor);

/*
 * Prints a line if the filter selects exit statistics, and they are off, or on again. @known is the
 * state at the previous call, EXITS_MISSING at first.
 */
void notice_exits(enum exits_state *known, const struct monitor *monitor);

/* Prints one line if statistics were reset since the previous sample. */
void notice_cleared(const struct totals *totals);

#endif /* MESSAGES_NOTICE_H */
