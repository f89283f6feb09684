// SPDX-License-Identifier: GPL-2.0-only
/*
 * Searches for new VMMs, and rescans the known ones for new and removed VMs and vCPUs.
 *
 * A scan reads all fds of a process. For a VMM with thousands of vCPUs that takes
 * milliseconds, so a VMM is only scanned every SCAN_INTERVAL. Every CHECK_INTERVAL a cheap
 * check compares its numbers of threads and fds; if they changed, the scan is due at once.
 */
#include <errno.h>

#include "monitor/state.h"
#include "targets/target.h"

#define CHECK_INTERVAL	SECOND
#define SCAN_INTERVAL	(5 * SECOND)
#define SEARCH_INTERVAL	SECOND

/* Scans may use 1/SCAN_SHARE of a CPU, and MAX_SCAN_BUDGET in one call. */
#define SCAN_SHARE	200
#define MAX_SCAN_BUDGET	(SECOND / 20)

void monitor_schedule_scan(struct vmm *vmm, uint64_t now)
{
	vmm->state->next_check = now + CHECK_INTERVAL;
	vmm->state->next_scan = now + SCAN_INTERVAL;
}

/* ---- new VMMs ---- */

/* Returns 0 if the process is watched now, or if the filter excludes its guest. */
static int try_process(struct monitor *monitor, pid_t pid)
{
	struct kvmstats_vmm *kvm;
	int err;

	if (monitor_find_vmm(monitor, pid))
		return 0;
	err = kvmstats_vmm_open(&kvm, pid);
	if (err)
		return err;
	if (!filter_selects_guest(monitor->options.filter, kvmstats_vmm_guest(kvm))) {
		kvmstats_vmm_close(kvm);
		return 0;
	}
	return monitor_add_vmm(monitor, kvm);
}

static int try_scanned_process(pid_t pid, void *arg)
{
	return try_process(arg, pid);
}

static int try_named_processes(struct monitor *monitor)
{
	int err = 0;
	size_t i;

	for (i = 0; i < monitor->named_count; i++) {
		struct named_process *named = &monitor->named[i];

		if (named->ended || monitor_find_vmm(monitor, named->pid))
			continue;
		named->err = try_process(monitor, named->pid);
		named->ended = named->err == -ESRCH;
		if (is_resource_shortage(named->err))
			err = named->err;
	}
	return err;
}

static int search(struct monitor *monitor, uint64_t now)
{
	if (monitor->named_count)
		return try_named_processes(monitor);
	return processes_scan(&monitor->state->processes, now, try_scanned_process, monitor,
			      &monitor->denied);
}

/* A failed search does not affect the VMMs that are already watched. */
static void search_if_due(struct monitor *monitor, uint64_t now)
{
	bool failed_before = monitor->search_error;

	if (now < monitor->state->next_search)
		return;
	monitor->state->next_search = now + SEARCH_INTERVAL;
	monitor->search_error = search(monitor, now);
	if (failed_before != !!monitor->search_error)
		monitor_emit(monitor,
			     failed_before ? MONITOR_SEARCH_WORKS : MONITOR_SEARCH_FAILED, NULL);
}

/* ---- known VMMs ---- */

static void rescan(struct monitor *monitor, size_t index, uint64_t now)
{
	struct vmm *vmm = monitor->vmm[index];
	int ret = kvmstats_vmm_refresh(vmm->kvm);

	monitor_schedule_scan(vmm, now);
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

		if (!vmm->kvm || now < vmm->state->next_check || now >= vmm->state->next_scan)
			continue;
		vmm->state->next_check = now + CHECK_INTERVAL;
		if (kvmstats_vmm_glance(vmm->kvm))
			vmm->state->next_scan = now;
	}
}

/* The index of the VMM whose scan has been due for the longest time, or SIZE_MAX. */
static size_t next_due(const struct monitor *monitor, uint64_t now)
{
	size_t next = SIZE_MAX;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (vmm->kvm && vmm->state->next_scan <= now &&
		    (next == SIZE_MAX ||
		     vmm->state->next_scan < monitor->vmm[next]->state->next_scan))
			next = i;
	}
	return next;
}

static void rescan_due(struct monitor *monitor, uint64_t now)
{
	struct monitor_state *state = monitor->state;
	size_t next;

	state->scan_budget += (int64_t)((now - state->last_refresh) / SCAN_SHARE);
	if (state->scan_budget > (int64_t)MAX_SCAN_BUDGET || !state->last_refresh)
		state->scan_budget = MAX_SCAN_BUDGET;
	state->last_refresh = now;
	while (state->scan_budget > 0 && (next = next_due(monitor, now)) != SIZE_MAX) {
		uint64_t start = monitor_now();

		rescan(monitor, next, now);
		state->scan_budget -= (int64_t)(monitor_now() - start);
	}
}

void monitor_scan(struct monitor *monitor, uint64_t now)
{
	check_all(monitor, now);
	rescan_due(monitor, now);
	search_if_due(monitor, now);
}
