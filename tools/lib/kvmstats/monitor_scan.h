/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * Scans the VMMs that the monitor watches for new and removed VMs and vCPUs.
 *
 * A scan reads all fds of a process. For a VMM with thousands of vCPUs that takes
 * milliseconds, so a VMM is only scanned every five seconds. Each second a cheap check compares
 * its numbers of threads and fds; if they changed, the scan is due at once.
 */
#ifndef KVMSTATS_MONITOR_SCAN_H
#define KVMSTATS_MONITOR_SCAN_H

#include "monitor_state.h"

/* Scans the VMMs that are due. @now is in ns of CLOCK_MONOTONIC. */
void kvmstats_scan(struct kvmstats_monitor *monitor, uint64_t now);

#endif /* KVMSTATS_MONITOR_SCAN_H */
