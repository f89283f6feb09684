// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/clock.h"
#include "monitor/search.h"
#include "monitor/vmms.h"

#define SEARCH_INTERVAL	SECOND

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

	for (i = 0; i < monitor->named.count; i++) {
		struct named_process *named = &monitor->named.process[i];

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
	if (monitor->named.count)
		return try_named_processes(monitor);
	return processes_scan(&monitor->processes, now, try_scanned_process, monitor,
			      &monitor->denied);
}

/* A failed search does not affect the VMMs that are already watched. */
void monitor_search(struct monitor *monitor, uint64_t now)
{
	bool failed_before = monitor->search_error;

	if (now < monitor->next_search)
		return;
	monitor->next_search = now + SEARCH_INTERVAL;
	monitor->search_error = search(monitor, now);
	if (failed_before != !!monitor->search_error)
		monitor_emit(monitor,
			     failed_before ? MONITOR_SEARCH_WORKS : MONITOR_SEARCH_FAILED, NULL);
}
