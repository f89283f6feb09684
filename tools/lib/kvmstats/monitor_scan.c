// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <errno.h>

#include "monitor_scan.h"
#include "monitor_watches.h"

/* Scans may use 1/SCAN_SHARE of a CPU, and MAX_SCAN_BUDGET in one call. */
#define SCAN_SHARE	200
#define MAX_SCAN_BUDGET	(SECOND / 20)

static void scan(struct kvmstats_monitor *monitor, size_t index, uint64_t now)
{
	struct kvmstats_watch *watch = monitor->watch[index];
	int ret = kvmstats_vmm_refresh(watch->vmm);
	bool changed;

	schedule_scan(watch, now);
	if (ret == -ESRCH || ret == -ENODEV) {
		kvmstats_watches_remove(monitor, index, ret);
		return;
	}
	changed = kvmstats_watches_attach(monitor, watch);
	emit(monitor, changed ? KVMSTATS_EVENT_CHANGED : KVMSTATS_EVENT_SCANNED, watch);
}

static void check_all(struct kvmstats_monitor *monitor, uint64_t now)
{
	size_t i;

	for (i = 0; i < monitor->watches; i++) {
		struct kvmstats_watch *watch = monitor->watch[i];

		if (now < watch->next_check || now >= watch->next_scan)
			continue;
		watch->next_check = now + CHECK_INTERVAL;
		if (kvmstats_vmm_glance(watch->vmm))
			watch->next_scan = now;
	}
}

/* The index of the VMM whose scan has been due for the longest time, or SIZE_MAX. */
static size_t next_due(const struct kvmstats_monitor *monitor, uint64_t now)
{
	size_t next = SIZE_MAX;
	size_t i;

	for (i = 0; i < monitor->watches; i++) {
		const struct kvmstats_watch *watch = monitor->watch[i];

		if (watch->next_scan <= now &&
		    (next == SIZE_MAX ||
		     watch->next_scan < monitor->watch[next]->next_scan))
			next = i;
	}
	return next;
}

static void scan_due(struct kvmstats_monitor *monitor, uint64_t now)
{
	size_t next;

	monitor->scan_budget += (int64_t)((now - monitor->last_refresh) / SCAN_SHARE);
	if (monitor->scan_budget > (int64_t)MAX_SCAN_BUDGET || !monitor->last_refresh)
		monitor->scan_budget = MAX_SCAN_BUDGET;
	monitor->last_refresh = now;
	while (monitor->scan_budget > 0 && (next = next_due(monitor, now)) != SIZE_MAX) {
		uint64_t start = clock_cpu();

		scan(monitor, next, now);
		monitor->scan_budget -= (int64_t)(clock_cpu() - start);
	}
}

void kvmstats_scan(struct kvmstats_monitor *monitor, uint64_t now)
{
	check_all(monitor, now);
	scan_due(monitor, now);
}
