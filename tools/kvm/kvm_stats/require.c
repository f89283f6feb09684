// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "explain.h"
#include "output.h"
#include "require.h"

static const char *plural(size_t n, const char *end)
{
	return n == 1 ? "" : end;
}

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

static bool have_named(const struct monitor *monitor)
{
	bool good = true;
	size_t i;

	for (i = 0; i < monitor->named_count; i++) {
		if (!monitor->named[i].err)
			continue;
		explain(monitor->named[i].pid, NULL, monitor->named[i].err);
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

static bool have_guests(const struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	bool good = true;
	size_t i;

	for (i = 0; i < filter->guests; i++) {
		if (has_guest(monitor, filter->guest[i]))
			continue;
		complain("no guest is named '%s'; 'kvm-stats list' shows the names",
			 filter->guest[i]);
		good = false;
	}
	return good;
}

static void explain_denied(const struct monitor *monitor)
{
	if (monitor->denied)
		complain("%zu process%s not looked into: that takes CAP_SYS_PTRACE and "
			 "CAP_DAC_READ_SEARCH (root)", monitor->denied,
			 plural(monitor->denied, "es"));
}

static bool have_vmms(const struct monitor *monitor)
{
	if (monitor->vmms)
		return true;
	complain("no process with a KVM VM found");
	explain_denied(monitor);
	return false;
}

/* A vCPU that is asked for has to be in one of the VMMs. */
static bool have_vcpus(const struct monitor *monitor)
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
		complain("process %d has no vCPU %d; it has %zu vCPU%s", (int)vmm->pid, missing,
			 vmm->vcpus, plural(vmm->vcpus, "s"));
	return false;
}

/* Of VMMs that lack numbers for one and the same reason, one is enough. */
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

static void tell_missing(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (vmm->missing && vmm->targets && vmm->target[0]->origin == ORIGIN_DEBUGFS)
			complain("process %d: no statistics fd can be had; debugfs has sums only",
				 (int)vmm->pid);
		else if (vmm->missing && vmm->targets)
			complain("process %d: no statistics fd can be had of %s%s", (int)vmm->pid,
				 vmm->missing_label, vmm->missing > 1 ? " and others" : "");
		if (vmm->targets && vmm->debugfs_error)
			explain_debugfs(vmm);
	}
}

bool require_vmms(const struct monitor *monitor)
{
	return have_named(monitor) && have_guests(monitor) && have_vmms(monitor);
}

void report_missing(const struct monitor *monitor)
{
	explain_missing(monitor);
	tell_missing(monitor);
	explain_denied(monitor);
	explain_search_error(monitor);
}

bool require_statistics(const struct monitor *monitor)
{
	if (!require_vmms(monitor) || !have_vcpus(monitor))
		return false;
	if (!monitor_targets(monitor)) {
		explain_missing(monitor);
		return false;
	}
	tell_missing(monitor);
	explain_search_error(monitor);
	return true;
}

bool require_matches(const struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	size_t i;

	for (i = 0; i < monitor->sets.sets; i++) {
		if (monitor->sets.set[i]->stats)
			return true;
	}
	if (!filter->has_regex)
		return true;
	complain("no statistic's name matches '%s'; 'kvm-stats schema' shows all",
		 filter->pattern);
	return false;
}

bool require_no_arguments(int argc, char **argv)
{
	if (optind >= argc)
		return true;
	complain("%s takes options only, found '%s'", argv[0], argv[optind]);
	return false;
}
