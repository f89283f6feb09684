/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches VMMs, and reads samples of their VMs and vCPUs.
 *
 *	struct monitor_options options = { .filter = &filter, .sources = SOURCES_AUTO };
 *	struct monitor *monitor;
 *
 *	err = monitor_open(&monitor, &options);
 *	for (;;) {
 *		err = monitor_sample(monitor);
 *		(read monitor->vmm[i]->target[j], see values/row.h and values/totals.h)
 *		err = monitor_wait(monitor, deadline);
 *	}
 *
 * A monitor of the library finds the VMMs and reads their statistics fds. See
 * kvmstats_monitor_refresh() for how soon it finds a change. This monitor adds the other sources
 * to each VMM.
 *
 * The monitor prints nothing. It reports what happens to options.event().
 */
#ifndef MONITOR_MONITOR_H
#define MONITOR_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/state.h"

/*
 * Starts to watch what the filter selects. It is not an error if that does not exist. Returns 0,
 * or -errno if nothing can be watched: no /proc, no memory, or an unusable source.
 */
int monitor_open(struct monitor **monitor, const struct monitor_options *options);
void monitor_close(struct monitor *monitor);

/*
 * Updates the list of VMMs. monitor_sample() does this, too. A failed search for new VMMs is not
 * an error: it is reported as MONITOR_SEARCH_FAILED and repeated one second later. Returns 0 or
 * -errno.
 */
int monitor_refresh(struct monitor *monitor);

/* Reads a new sample of each target, and keeps the previous one. Returns 0 or -errno. */
int monitor_sample(struct monitor *monitor);

/*
 * Waits until @deadline (ns of CLOCK_MONOTONIC), and releases VMMs that end in the meantime.
 * Returns 0, -EINTR after a signal, or -ESRCH if the user selected processes by PID and all of
 * them have ended.
 */
int monitor_wait(struct monitor *monitor, uint64_t deadline);

/*
 * For callers that use poll(). The fd is readable when a VMM has ended. Call monitor_refresh()
 * at once then: open statistics fds keep the memory of the VMs allocated in the kernel.
 */
int monitor_fd(const struct monitor *monitor);

/* Whether the user selected processes by PID, and all of them have ended. */
bool monitor_has_ended(const struct monitor *monitor);

/*
 * Call it after the regular expression of the filter changed. Tracepoints are counted from 0
 * again, in new targets.
 */
void monitor_select(struct monitor *monitor);

#endif /* MONITOR_MONITOR_H */
