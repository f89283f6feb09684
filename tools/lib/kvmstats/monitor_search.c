// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <errno.h>

#include "monitor_next.h"
#include "monitor_search.h"
#include "monitor_watches.h"

#define SEARCH_INTERVAL	SECOND

/* Returns 0 if the process is watched now, or if the caller does not select it. */
static int try_process(struct kvmstats_monitor *monitor, pid_t pid)
{
	struct kvmstats_vmm *vmm;
	int err;

	if (kvmstats_watches_find(monitor, pid))
		return 0;
	err = kvmstats_vmm_open_with_files(&vmm, pid, &monitor->schemas);
	if (err)
		return err;
	if (!selects_vmm(monitor, vmm)) {
		kvmstats_vmm_close(vmm);
		return 0;
	}
	return kvmstats_watches_add(monitor, vmm);
}

static int try_scanned_process(pid_t pid, void *arg)
{
	return try_process(arg, pid);
}

/* @complete: all VMs of the machine are known, so processes need not be examined. */
static int try_named_processes(struct kvmstats_monitor *monitor, bool complete)
{
	int err = 0;
	size_t i;

	for (i = 0; i < monitor->options.pids; i++) {
		struct named_process *named = &monitor->named[i];

		if (named->err == -ESRCH)
			continue;
		if (kvmstats_watches_find(monitor, named->pid)) {
			named->err = 0;
			continue;
		}
		named->err = try_process(monitor, named->pid);
		if (complete && (named->err == -EACCES || named->err == -EPERM))
			named->err = -ENODEV;
		if (is_resource_shortage(named->err))
			err = named->err;
	}
	return err;
}

static int search(struct kvmstats_monitor *monitor, uint64_t now)
{
	int next = kvmstats_search_next(monitor);
	int err;

	if (monitor->options.pids) {
		err = try_named_processes(monitor, !next);
		return is_resource_shortage(next) ? next : err;
	}
	if (kvmstats_next_works(next)) {
		monitor->denied = 0;
		return next;
	}
	return kvmstats_processes_scan(&monitor->processes, now, try_scanned_process, monitor,
				       &monitor->denied);
}

/* A failed search does not affect the VMMs that are already watched. */
void kvmstats_search(struct kvmstats_monitor *monitor, uint64_t now)
{
	bool failed_before = monitor->search_error;

	if (now < monitor->next_search)
		return;
	monitor->next_search = now + SEARCH_INTERVAL;
	monitor->search_error = search(monitor, now);
	if (failed_before == !!monitor->search_error)
		return;
	emit(monitor, failed_before ? KVMSTATS_EVENT_SEARCH_WORKS : KVMSTATS_EVENT_SEARCH_FAILED,
	     NULL);
}
