// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util.h"
#include "messages/access.h"
#include "messages/fds.h"
#include "messages/name.h"
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
	if (err == -ENOENT)
		explain_proc();
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

static bool has_guest(const struct monitor *monitor, const char *pattern)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (filter_guest_matches(pattern, monitor->vmm[i]->guest))
			return true;
	}
	return false;
}

static bool check_guests(const struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	char name[128];
	bool good = true;
	size_t i;

	for (i = 0; i < filter->guests; i++) {
		if (has_guest(monitor, filter->guest[i]))
			continue;
		/* The search ended early, so it may not have reached the guest. */
		if (monitor->search_error) {
			explain_search_error(monitor);
			return false;
		}
		complain("no guest is named '%s'. Run 'kvm-stats list' for the names.",
			 sanitize(filter->guest[i], name, sizeof(name)));
		good = false;
	}
	if (!good)
		explain_denied(monitor);
	return good;
}

static bool check_vmms(const struct monitor *monitor)
{
	if (monitor->vmms)
		return true;
	complain("found no process with a KVM VM");
	explain_denied(monitor);
	return false;
}

/* At least one VMM must have all the selected vCPUs. */
static bool check_vcpus(const struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	const struct vmm *vmm = monitor->vmm[0];
	char name[VMM_NAME_SIZE];
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
		complain("%s has no vCPU %d; it has %zu vCPU%s", vmm_name(vmm, name, sizeof(name)),
			 missing, vmm->vcpus, plural(vmm->vcpus));
	return false;
}

bool require_vmms(const struct monitor *monitor)
{
	return check_named(monitor) && !explain_no_kvm(monitor) && check_guests(monitor) &&
	       check_vmms(monitor);
}

void report_missing(const struct monitor *monitor)
{
	struct missing missing = { 0 };

	missing_report(&missing, monitor);
	missing_free(&missing);
	explain_denied(monitor);
}

bool require_selection(const struct monitor *monitor)
{
	return require_vmms(monitor) && check_vcpus(monitor);
}

bool require_statistics(const struct monitor *monitor)
{
	struct missing missing = { 0 };

	if (!require_selection(monitor))
		return false;
	if (monitor_targets(monitor))
		return true;
	/* Tracepoints that the regular expression does not select are not targets. */
	if (require_matches(monitor, &missing))
		missing_report(&missing, monitor);
	missing_free(&missing);
	return false;
}

static const char *names_command(enum sources sources)
{
	switch (sources & (SOURCES_DEBUGFS | SOURCES_TRACEPOINTS)) {
	case SOURCES_DEBUGFS:
		return "-d -f help";
	case SOURCES_TRACEPOINTS:
		return "-t -f help";
	case SOURCES_DEBUGFS | SOURCES_TRACEPOINTS:
		return "-d -t -f help";
	default:
		return "schema";
	}
}

bool require_matches(const struct monitor *monitor, struct missing *missing)
{
	enum sources sources = monitor->options.sources;
	bool complete;

	if (!stat_sets_match_nothing(&monitor->context.sets))
		return true;
	complete = missing_report(missing, monitor);
	complain("no %s%s matches '%s'. Run 'kvm-stats %s' for the names.",
		 sources == SOURCES_TRACEPOINTS ? "tracepoint" : "statistic",
		 complete ? "" : " that can be read", monitor->options.filter->pattern,
		 names_command(sources));
	return false;
}
