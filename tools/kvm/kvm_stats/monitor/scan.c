// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/clock.h"
#include "monitor/attach.h"
#include "monitor/scan.h"
#include "monitor/schedule.h"
#include "monitor/vmms.h"

/* Scans may use 1/SCAN_SHARE of a CPU, and MAX_SCAN_BUDGET in one call. */
#define SCAN_SHARE	200
#define MAX_SCAN_BUDGET	(SECOND / 20)

static void scan(struct monitor *monitor, size_t index, uint64_t now)
{
	struct vmm *vmm = monitor->vmm[index];
	int ret = kvmstats_vmm_refresh(vmm->kvm);

	schedule_scan(vmm, now);
	if (ret == -ESRCH || ret == -ENODEV) {
		monitor_remove_vmm(monitor, index, ret);
		return;
	}
	vmm_count(vmm);
	if (monitor_attach_sources(monitor, vmm))
		monitor_emit(monitor, MONITOR_CHANGED, vmm);
}

static void check_all(struct monitor *monitor, uint64_t now)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		struct vmm *vmm = monitor->vmm[i];

		if (!vmm->kvm || now < vmm->next_check || now >= vmm->next_scan)
			continue;
		vmm->next_check = now + CHECK_INTERVAL;
		if (kvmstats_vmm_glance(vmm->kvm))
			vmm->next_scan = now;
	}
}

/* The index of the VMM whose scan has been due for the longest time, or SIZE_MAX. */
static size_t next_due(const struct monitor *monitor, uint64_t now)
{
	size_t next = SIZE_MAX;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (vmm->kvm && vmm->next_scan <= now &&
		    (next == SIZE_MAX ||
		     vmm->next_scan < monitor->vmm[next]->next_scan))
			next = i;
	}
	return next;
}

static void scan_due(struct monitor *monitor, uint64_t now)
{
	size_t next;

	monitor->scan_budget += (int64_t)((now - monitor->last_refresh) / SCAN_SHARE);
	if (monitor->scan_budget > (int64_t)MAX_SCAN_BUDGET || !monitor->last_refresh)
		monitor->scan_budget = MAX_SCAN_BUDGET;
	monitor->last_refresh = now;
	while (monitor->scan_budget > 0 && (next = next_due(monitor, now)) != SIZE_MAX) {
		uint64_t start = clock_now();

		scan(monitor, next, now);
		monitor->scan_budget -= (int64_t)(clock_now() - start);
	}
}

void monitor_scan(struct monitor *monitor, uint64_t now)
{
	check_all(monitor, now);
	scan_due(monitor, now);
}
