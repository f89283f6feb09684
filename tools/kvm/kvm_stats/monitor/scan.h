/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scans the VMMs that the monitor watches for new and removed VMs and vCPUs.
 *
 * A scan reads all fds of a process. For a VMM with thousands of vCPUs that takes
 * milliseconds, so a VMM is only scanned every five seconds. Each second a cheap check compares
 * its numbers of threads and fds; if they changed, the scan is due at once.
 */
#ifndef MONITOR_SCAN_H
#define MONITOR_SCAN_H

#include "monitor/state.h"

/* Scans the VMMs that are due. @now is in ns of CLOCK_MONOTONIC. */
void monitor_scan(struct monitor *monitor, uint64_t now);

#endif /* MONITOR_SCAN_H */
