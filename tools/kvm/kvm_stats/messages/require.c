// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "messages/fds.h"
#include "messages/require.h"
#include "messages/search.h"
#include "messages/sources.h"

struct monitor *require_monitor(const struct monitor_options *options)
{
	struct monitor *monitor;
	char buf[128];
	int err = monitor_open(&monitor, options);

	if (!err)
		return monitor;
	if (options->sources & SOURCES_TRACEPOINTS) {
		explain_tracepoints(err);
		return NULL;
	}
	complain("cannot watch VMs: %s", kvmstats_strerror(err, buf, sizeof(buf)));
	return NULL;
}

static bool check_named(const struct monitor *monitor)
{
	bool good = true;
	size_t i;

	for (i = 0; i < monitor->named.count; i++) {
		if (!monitor->named.process[i].err)
			continue;
		explain_fds(monitor->named.process[i].pid, NULL, monitor->named.process[i].err);
		good = false;
	}
	return good;
}

static bool has_guest(const struct monitor *monitor, const char *guest)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (monitor->vmm[i]->guest && !strcmp(monitor->vmm[i]->guest, guest))
			return true;
	}
	return false;
}

static bool check_guests(const struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	bool good = true;
	size_t i;

	for (i = 0; i < filter->guests; i++) {
		if (has_guest(monitor, filter->guest[i]))
			continue;
		complain("no guest is named '%s'. Run 'kvm-stats list' for the names.",
			 filter->guest[i]);
		good = false;
	}
	return good;
}

static bool check_vmms(const struct monitor *monitor)
{
	if (monitor->vmms)
		return true;
	complain("found no process with a KVM VM");
	explain_denied(monitor->denied);
	return false;
}

/* At least one VMM must have all the selected vCPUs. */
static bool check_vcpus(const struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	const struct vmm *vmm = monitor->vmm[0];
	int missing = -1;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (!monitor->vmm[i]->kvm)
			return true;
		missing = filter_missing_vcpu(filter, monitor->vmm[i]->kvm);
		if (missing < 0)
			return true;
	}
	if (monitor->vmms > 1)
		complain("no VMM has a vCPU %d", missing);
	else
		complain("PID %d has no vCPU %d; it has %zu vCPU%s", (int)vmm->pid, missing,
			 vmm->vcpus, plural(vmm->vcpus));
	return false;
}

/* Explains consecutive VMMs that fail for the same reason only once. */
static void explain_missing(const struct monitor *monitor)
{
	const struct vmm *last = NULL;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (vmm->targets || (last && last->fd_error == vmm->fd_error &&
				     last->debugfs_error == vmm->debugfs_error))
			continue;
		explain_sources(vmm);
		last = vmm;
	}
}

static void report_partial(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (vmm->missing && vmm->targets && vmm->target[0]->origin == ORIGIN_DEBUGFS)
			complain("PID %d: cannot open statistics fds; using sums in debugfs",
				 (int)vmm->pid);
		else if (vmm->missing && vmm->targets)
			complain("PID %d: cannot open the statistics of %s%s", (int)vmm->pid,
				 vmm->missing_label, vmm->missing > 1 ? " and others" : "");
		if (vmm->targets && vmm->debugfs_error)
			explain_debugfs(vmm);
	}
}

bool require_vmms(const struct monitor *monitor)
{
	return check_named(monitor) && check_guests(monitor) && check_vmms(monitor);
}

void report_missing(const struct monitor *monitor)
{
	explain_missing(monitor);
	report_partial(monitor);
	explain_denied(monitor->denied);
	explain_search_error(monitor);
}

bool require_statistics(const struct monitor *monitor)
{
	if (!require_vmms(monitor) || !check_vcpus(monitor))
		return false;
	if (!monitor_targets(monitor)) {
		explain_missing(monitor);
		return false;
	}
	report_partial(monitor);
	explain_search_error(monitor);
	return true;
}

bool require_matches(const struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	size_t i;

	for (i = 0; i < monitor->context.sets.sets; i++) {
		if (monitor->context.sets.set[i]->stats)
			return true;
	}
	if (!filter->has_regex)
		return true;
	complain("no statistic matches '%s'. Run 'kvm-stats schema' for the names.",
		 filter->pattern);
	return false;
}
