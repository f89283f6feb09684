// SPDX-License-Identifier: GPL-2.0-only
#include "monitor/state.h"
#include "proc.h"

size_t monitor_targets(const struct monitor *monitor)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++)
		count += monitor->vmm[i]->targets;
	return count;
}

enum exits_state monitor_exits(const struct monitor *monitor)
{
	const struct stat_sets *sets = &monitor->context.sets;
	size_t i;

	for (i = 0; i < sets->sets; i++) {
		if (sets->set[i]->has_exits)
			return host_exit_stats_are_off() ? EXITS_OFF : EXITS_ON;
	}
	return EXITS_MISSING;
}

void monitor_emit(const struct monitor *monitor, enum monitor_event event,
		  const struct vmm *vmm)
{
	if (monitor->options.event)
		monitor->options.event(event, vmm, monitor->options.arg);
}
