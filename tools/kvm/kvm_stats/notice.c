// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>

#include "notice.h"
#include "proc.h"
#include "unread.h"
#include "util.h"

/* ---- notices ---- */

void notice_search(enum kvmstats_event event, const struct vmm *vmm, void *monitor)
{
	(void)vmm;
	if (event == KVMSTATS_EVENT_SEARCH_FAILED)
		explain_search_error(monitor);
	else if (event == KVMSTATS_EVENT_SEARCH_WORKS)
		complain("can search for new VMMs again");
}

static void print_event(enum kvmstats_event event, const struct vmm *vmm, void *arg)
{
	if (!vmm)
		notice_search(event, vmm, arg);
	else if (event == KVMSTATS_EVENT_ENDED)
		complain("%s has ended or closed its VM", vmm_name(vmm));
	else if (vmm->reported.name_error && !vmm->unread.name_error)
		complain("%s: the command line can be read now", vmm_name(vmm));
	else
		complain("%s %s: %s", vmm_name(vmm), event == KVMSTATS_EVENT_APPEARED ?
			 "has appeared" : "has changed", vmm_summary(vmm));
}

/* Does not count VMMs that cannot be read as watched. */
static void print_start(const struct monitor *monitor)
{
	char others[64] = "";
	unsigned int origins = 0;
	size_t unreadable = 0, vmms = 0, i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		bool unread = !vmm->targets && vmm_fails(vmm, monitor->options.filter);

		origins |= vmm_origins(vmm);
		unreadable += vmm->kvm && unread;
		vmms += vmm->kvm && !unread;
	}
	if (unreadable)
		snprintf(others, sizeof(others), "; %zu VMM%s cannot be read", unreadable,
			 plural(unreadable));
	complain("watching %zu VMM%s; source: %s%s", vmms, plural(vmms),
		 origins_text(origins), others);
}

void notice_start(struct monitor *monitor)
{
	if (monitor->vmms) {
		print_start(monitor);
	} else {
		explain_no_kvm_yet(monitor);
		complain("no VM found yet");
	}
	explain_denied(monitor);
	monitor->options.event = print_event;
	monitor->options.arg = monitor;
}

static bool selects_exits(const struct monitor *monitor)
{
	size_t i, j;

	for (i = 0; i < monitor->sets.sets; i++) {
		const struct stat_set *set = monitor->sets.set[i];

		for (j = 0; set->has_exits && j < set->stats; j++) {
			if (is_exit_stat(set->schema, set->stat[j]))
				return true;
		}
	}
	return false;
}

void notice_exits(const struct monitor *monitor)
{
	static enum exits_state exits;
	enum exits_state before = exits;

	exits = monitor_exits(monitor);
	if (exits == before || !selects_exits(monitor))
		return;
	if (exits == EXITS_OFF)
		complain("exit statistics are off. To switch them on, run 'echo 1 >"
			 EXIT_STATS_PARAMETER "' as root.");
	else if (before == EXITS_OFF)
		complain("exit statistics are on");
}

/* ---- what the user selected must exist ---- */

struct monitor *require_monitor(const struct monitor_options *options)
{
	struct monitor *monitor;
	int err = monitor_open(&monitor, options);

	if (!err)
		return monitor;
	if (options->sources & SOURCES_TRACEPOINTS) {
		explain_tracepoints(err);
		return NULL;
	}
	complain("cannot watch VMs: %s", error_text(err));
	if (err == -ENOENT)
		explain_proc();
	return NULL;
}

static bool check_pids(const struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	bool good = true;
	size_t i;

	for (i = 0; i < filter->pids; i++) {
		int err = kvmstats_monitor_pid_error(monitor->library, filter->pid[i]);

		if (!err)
			continue;
		explain_pid(filter->pid[i], err);
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
		complain("%s has no vCPU %d; it has %zu vCPU%s", vmm_name(vmm), missing,
			 vmm->vcpus, plural(vmm->vcpus));
	return false;
}

bool require_vmms(const struct monitor *monitor)
{
	return check_pids(monitor) && !explain_no_kvm(monitor) && check_guests(monitor) &&
	       check_vmms(monitor);
}

bool require_selection(const struct monitor *monitor)
{
	return require_vmms(monitor) && check_vcpus(monitor);
}

static const char *names_command(enum sources sources)
{
	static const char * const commands[] = {
		[SOURCES_AUTO] = "schema",
		[SOURCES_DEBUGFS] = "-d -f help",
		[SOURCES_TRACEPOINTS] = "-t -f help",
		[SOURCES_DEBUGFS | SOURCES_TRACEPOINTS] = "-d -t -f help",
	};

	return commands[sources & (SOURCES_DEBUGFS | SOURCES_TRACEPOINTS)];
}

bool require_matches(const struct monitor *monitor)
{
	enum sources sources = monitor->options.sources;
	bool complete;

	if (!monitor_matches_nothing(monitor))
		return true;
	complete = report_unread(monitor);
	complain("no %s%s matches '%s'. Run 'kvm-stats %s' for the names.",
		 sources == SOURCES_TRACEPOINTS ? "tracepoint" : "statistic",
		 complete ? "" : " that can be read", monitor->options.filter->pattern,
		 names_command(sources));
	return false;
}

bool require_statistics(const struct monitor *monitor)
{
	if (!require_selection(monitor))
		return false;
	if (monitor_has_targets(monitor))
		return true;
	/* Tracepoints that the regular expression does not select are not targets. */
	if (require_matches(monitor))
		report_unread(monitor);
	return false;
}
