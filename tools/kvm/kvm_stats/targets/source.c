// SPDX-License-Identifier: GPL-2.0-only
#include "targets/source.h"

static const struct {
	const char *name;
	const char *text;
} origins[] = {
	[ORIGIN_OPENED] = { "opened", "statistics fds opened by kvm-stats" },
	[ORIGIN_TAKEN] = { "taken", "statistics fds that the VMM keeps open" },
	[ORIGIN_NEXT] = { "next", "statistics fds of whole VMs (KVM_STATS_NEXT)" },
	[ORIGIN_OPEN] = { "open", "statistics fds of whole VMs (KVM_STATS_OPEN)" },
	[ORIGIN_QMP] = { "qmp", "QMP (query-stats of QEMU)" },
	[ORIGIN_DEBUGFS] = { "debugfs", "debugfs (sums over the vCPUs of each VM)" },
	[ORIGIN_TRACEPOINTS] = { "tracepoints", "KVM tracepoints" },
};

const char *origin_name(enum origin origin)
{
	return origins[origin].name;
}

const char *origin_text(enum origin origin)
{
	return origins[origin].text;
}
