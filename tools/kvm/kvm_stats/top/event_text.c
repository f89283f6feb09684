// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/output.h"
#include "top/event_text.h"

static void put_search_state(char *buf, size_t size, const struct monitor *monitor)
{
	char error[128];

	if (monitor->search_error)
		snprintf(buf, size, "Cannot search for new VMMs: %s",
			 kvmstats_strerror(monitor->search_error, error, sizeof(error)));
	else
		snprintf(buf, size, "Can search for new VMMs again");
}

const char *event_text(char *buf, size_t size, const struct monitor *monitor,
		       enum monitor_event event, const struct vmm *vmm)
{
	static const char * const what[] = {
		[MONITOR_APPEARED] = "has appeared",
		[MONITOR_CHANGED] = "has changed",
		[MONITOR_ENDED] = "has ended or closed its VM",
	};
	char pid[16] = "";

	if (vmm && vmm->pid)
		snprintf(pid, sizeof(pid), " (%d)", (int)vmm->pid);
	if (vmm)
		snprintf(buf, size, "%s%s %s: %zu VM%s, %zu vCPU%s",
			 vmm->guest ? vmm->guest : vmm->comm, pid, what[event], vmm->vms,
			 plural(vmm->vms), vmm->vcpus, plural(vmm->vcpus));
	else
		put_search_state(buf, size, monitor);
	return buf;
}
