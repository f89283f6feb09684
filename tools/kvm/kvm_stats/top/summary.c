// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/array.h"
#include "base/output.h"
#include "top/summary.h"

static void add_vmm(struct summary *summary, const struct vmm *vmm)
{
	size_t i;

	/* The whole machine is not a guest. */
	summary->guests += vmm_key(vmm) != 0;
	summary->vms += vmm->vms;
	summary->vcpus += vmm->vcpus;
	if (!vmm->targets)
		summary->unreadable++;
	else if (vmm_lacks_only_vm(vmm))
		summary->no_vm_values++;
	else
		summary->missing += vmm_has_sums(vmm) ? 0 : vmm->missing;
	for (i = 0; i < vmm->targets; i++)
		summary->origins |= 1u << vmm->target[i]->origin;
}

struct summary summary_of(const struct monitor *monitor)
{
	struct summary summary = { 0 };
	size_t i;

	for (i = 0; i < monitor->vmms; i++)
		add_vmm(&summary, monitor->vmm[i]);
	return summary;
}

int summary_put_problems(char *buf, size_t size, const struct summary *summary,
			 const char *separator)
{
	int len = 0;

	*buf = '\0';
	if (summary->unreadable)
		len = snprintf(buf, size, "%s%zu cannot be read", separator, summary->unreadable);
	if (summary->missing)
		len += snprintf(buf + len, size - (size_t)len, "%s%zu VM%s or vCPU%s missing",
				separator, summary->missing, plural(summary->missing),
				plural(summary->missing));
	if (summary->no_vm_values)
		len += snprintf(buf + len, size - (size_t)len, "%sVM values of %zu guest%s missing",
				separator, summary->no_vm_values, plural(summary->no_vm_values));
	return len;
}

int summary_put_sources(char *buf, size_t size, const struct summary *summary,
			const char *separator)
{
	static const struct {
		unsigned int origins;
		const char *name;
	} sources[] = {
		{ 1u << ORIGIN_NEXT, "statistics fds (next)" },
		{ 1u << ORIGIN_OPEN, "statistics fds (open)" },
		{ 1u << ORIGIN_OPENED | 1u << ORIGIN_TAKEN, "statistics fds" },
		{ 1u << ORIGIN_QMP, "QMP" },
		{ 1u << ORIGIN_DEBUGFS, "debugfs" },
		{ 1u << ORIGIN_TRACEPOINTS, "tracepoints" },
	};
	int len = 0;
	size_t i;

	*buf = '\0';
	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		if (summary->origins & sources[i].origins)
			len += snprintf(buf + len, size - (size_t)len, "%s%s", separator,
					sources[i].name);
	}
	return len;
}
