// SPDX-License-Identifier: GPL-2.0-only
#include "source.h"

static const struct {
	const char *name;
	const char *text;
} origins[] = {
	[ORIGIN_OPENED] = { "opened", "statistics fds opened by kvm-stats" },
	[ORIGIN_TAKEN] = { "taken", "statistics fds taken from the VMM" },
	[ORIGIN_DEBUGFS] = { "debugfs", "debugfs, sums over each VM's vCPUs" },
	[ORIGIN_TRACEPOINTS] = { "tracepoints", "tracepoints of KVM" },
};

const char *origin_name(enum origin origin)
{
	return origins[origin].name;
}

const char *origin_text(enum origin origin)
{
	return origins[origin].text;
}
