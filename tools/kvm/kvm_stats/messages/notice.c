// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "util.h"
#include "messages/missing.h"
#include "messages/name.h"
#include "messages/notice.h"
#include "messages/search.h"
#include "proc.h"
#include "targets/exit_class.h"

static unsigned int origins_of(const struct vmm *vmm)
{
	unsigned int origins = 0;
	size_t i;

	for (i = 0; i < vmm->targets; i++)
		origins |= 1u << vmm->target[i]->origin;
	return origins;
}

static const char *origins_text(unsigned int origins, char *buf, size_t size)
{
	size_t used = 0;
	int origin;

	snprintf(buf, size, "none");
	for (origin = ORIGIN_OPENED; origin <= ORIGIN_TRACEPOINTS && used < size; origin++) {
		if (origins & 1u << origin)
			used += snprintf(buf + used, size - used, "%s%s", used ? " and " : "",
					 origin_text(origin));
	}
	return buf;
}

void notice_search(enum monitor_event event, const struct vmm *vmm, void *monitor)
{
	(void)vmm;
	if (event == MONITOR_SEARCH_FAILED)
		explain_search_error(monitor);
	else if (event == MONITOR_SEARCH_WORKS)
		complain("can search for new VMMs again");
}

static void print_event(enum monitor_event event, const struct vmm *vmm, void *arg)
{
	char name[VMM_NAME_SIZE], from[256];

	if (!vmm) {
		notice_search(event, vmm, arg);
		return;
	}
	vmm_name(vmm, name, sizeof(name));
	if (event == MONITOR_ENDED) {
		complain("%s has ended or closed its VM", name);
		return;
	}
	complain("%s %s: %zu VM%s, %zu vCPU%s; source: %s", name,
		 event == MONITOR_APPEARED ? "has appeared" : "has changed", vmm->vms,
		 plural(vmm->vms), vmm->vcpus, plural(vmm->vcpus),
		 origins_text(origins_of(vmm), from, sizeof(from)));
}

/* Does not count VMMs that cannot be read as watched. */
static void print_start(const struct monitor *monitor)
{
	size_t unreadable = missing_vmms(monitor);
	char from[256], others[64] = "";
	unsigned int origins = 0;
	size_t vmms = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		origins |= origins_of(monitor->vmm[i]);
		vmms += !!monitor->vmm[i]->kvm;
	}
	if (unreadable)
		snprintf(others, sizeof(others), "; %zu VMM%s cannot be read", unreadable,
			 plural(unreadable));
	vmms -= unreadable;
	complain("watching %zu VMM%s; source: %s%s", vmms, plural(vmms),
		 origins_text(origins, from, sizeof(from)), others);
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

static bool selects_exits(const struct stat_sets *sets)
{
	size_t i, j;

	for (i = 0; i < sets->sets; i++) {
		const struct stat_set *set = sets->set[i];

		for (j = 0; set->has_exits && j < set->stats; j++) {
			if (is_exit_stat(set->schema, set->stat[j]))
				return true;
		}
	}
	return false;
}

void notice_exits(enum exits_state *known, const struct monitor *monitor)
{
	enum exits_state before = *known;

	*known = monitor_exits(monitor);
	if (*known == before || !selects_exits(&monitor->context.sets))
		return;
	if (*known == EXITS_OFF)
		complain("exit statistics are off. To switch them on, run 'echo 1 >"
			 EXIT_STATS_PARAMETER "' as root.");
	else if (before == EXITS_OFF)
		complain("exit statistics are on");
}

void notice_cleared(const struct totals *totals)
{
	const char *name = NULL;
	size_t count = 0;
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		if (totals->total[i]->cleared && !count++)
			name = totals->total[i]->name;
	}
	if (count == 1)
		complain("%s was reset; growth in this interval is not included", name);
	else if (count)
		complain("%s and %zu more were reset; growth in this interval is not included",
			 name, count - 1);
}
