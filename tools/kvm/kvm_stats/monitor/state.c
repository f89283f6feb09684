// SPDX-License-Identifier: GPL-2.0-only
#include "monitor/state.h"

size_t monitor_targets(const struct monitor *monitor)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++)
		count += monitor->vmm[i]->targets;
	return count;
}

void monitor_emit(const struct monitor *monitor, enum monitor_event event,
		  const struct vmm *vmm)
{
	if (monitor->options.event)
		monitor->options.event(event, vmm, monitor->options.arg);
}
