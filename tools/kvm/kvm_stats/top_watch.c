// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "require.h"
#include "top_watch.h"

/* ---- who appears and ends ---- */

static void tell_sight(struct top *top)
{
	char buf[128];

	if (top->monitor->search_error)
		top_message(top, "VMMs that appear cannot be found: %s",
			    kvmstats_strerror(top->monitor->search_error, buf, sizeof(buf)));
	else
		top_message(top, "VMMs that appear are found again");
}

static void tell(enum monitor_event event, const struct vmm *vmm, void *arg)
{
	static const char * const what[] = {
		[MONITOR_APPEARED] = "has appeared",
		[MONITOR_CHANGED] = "has changed",
		[MONITOR_ENDED] = "has ended, or let go of its VM",
	};

	if (!vmm) {
		tell_sight(arg);
		return;
	}
	top_message(arg, "%s (%d) %s: %zu VM%s, %zu vCPU%s", vmm->guest ? vmm->guest : vmm->comm,
		    (int)vmm->pid, what[event], vmm->vms, vmm->vms == 1 ? "" : "s", vmm->vcpus,
		    vmm->vcpus == 1 ? "" : "s");
}

/* By its name it can be known again if another process runs it later, as kvm_stat does. */
static void remember_guest(struct top *top)
{
	const struct monitor *monitor = top->monitor;

	if (monitor->named_count == 1 && monitor->vmms == 1 && monitor->vmm[0]->guest)
		snprintf(top->guest, sizeof(top->guest), "%s", monitor->vmm[0]->guest);
}

/* ---- what is shown ---- */

static const struct total *find_histogram(const struct top *top, const char *name)
{
	size_t i;

	for (i = 0; i < top->totals->totals; i++) {
		const struct total *total = top->totals->total[i];

		if (total->present && kvmstats_stat_is_hist(total->stat) &&
		    !strcmp(total->name, name))
			return total;
	}
	return NULL;
}

static int look_at_bars(struct top *top)
{
	const struct total *total = find_histogram(top, top_place(top)->stat);
	uint64_t *values;
	bool good;

	top->bars_found = total;
	if (!total)
		return 0;
	values = malloc(total->size * sizeof(*values));
	if (!values)
		return -ENOMEM;
	base_total(&top->bases, total, top->past, scope_takes, &top->scope, values);
	good = bars_make(&top->bars, total->stat, values, total->deltas, top->utf8);
	free(values);
	return good ? 0 : -ENOMEM;
}

static int look_at_table(struct top *top)
{
	const struct top_place *place = top_place(top);
	struct view_options options = {
		.by_total = top->by_total,
		.parts = top->parts,
		.past = top->past,
		.utf8 = top->utf8,
		.stat = *place->stat ? place->stat : NULL,
	};
	bool good;

	if (place->mode == TOP_MEMBERS)
		good = view_members(&top->view, top->monitor, &top->bases, &place->scope,
				    &options);
	else
		good = view_statistics(&top->view, top->totals, &top->bases, &place->scope,
				       &options);
	return good ? 0 : -ENOMEM;
}

static bool is_gone(const struct top *top)
{
	if (scope_has_targets(&top->scope, top->monitor))
		return false;
	if (top->scope.one_vmm)
		return top->scope.one_target || !scope_vmm(&top->scope, top->monitor);
	return top->returning || monitor_has_ended(top->monitor);
}

/* What the cursor is on stays under it, wherever it goes. */
static void follow_line(struct top *top, const struct view_line *was)
{
	struct top_place *place = top_place(top);
	size_t i;

	for (i = 0; place->cursor && i < top->view.lines; i++) {
		const struct view_line *line = &top->view.line[i];

		if (!strcmp(line->name, was->name) && !strcmp(line->stat, was->stat) &&
		    line->origin == was->origin)
			place->at = i;
	}
}

static int look(struct top *top)
{
	struct top_place *place = top_place(top);
	struct view_line was = { 0 };
	int err;

	top->gone = is_gone(top);
	if (top->gone)
		return 0;
	if (place->mode == TOP_BARS)
		return look_at_bars(top);
	if (place->at < top->view.lines)
		was = top->view.line[place->at];
	err = look_at_table(top);
	if (!err && *was.name)
		follow_line(top, &was);
	return err;
}

int watch_look(struct top *top)
{
	int err = 0;

	if (!scope_is_same(&top->scope, &top_place(top)->scope)) {
		top->scope = top_place(top)->scope;
		totals_reselect(top->totals);
		err = totals_update(top->totals);
	}
	return err ? err : look(top);
}

/* ---- samples ---- */

static int update(struct top *top)
{
	int err = totals_update(top->totals);

	if (!err && !bases_update(&top->bases, top->monitor))
		err = -ENOMEM;
	return err ? err : look(top);
}

/* 1: what is watched now is a guest by its name. */
static int wait_for_return(struct top *top)
{
	struct filter *filter = &top->options->filter;

	if (!*top->guest || !monitor_has_ended(top->monitor))
		return 0;
	if (!filter_set_pid(filter, 0) || !filter_set_guest(filter, top->guest))
		return -ENOMEM;
	if (top->depth)
		view_clear(&top->view);
	*top->guest = '\0';
	top->returning = true;
	return watch_restart(top) ?: 1;
}

int watch_sample(struct top *top)
{
	int err = monitor_sample(top->monitor);

	if (err)
		return err;
	remember_guest(top);
	if (monitor_targets(top->monitor))
		top->returning = false;
	err = wait_for_return(top);
	return err ? err < 0 ? err : 0 : update(top);
}

int watch_ended(struct top *top)
{
	int err = monitor_refresh(top->monitor);

	return err ? err : update(top);
}

int watch_select(struct top *top)
{
	monitor_select(top->monitor);
	return update(top);
}

/* ---- begin and end ---- */

bool watch_open(struct top *top)
{
	struct monitor_options options = {
		.filter = &top->options->filter,
		.sources = top->options->sources,
		.arg = top,
	};

	top->monitor = require_monitor(&options);
	if (!top->monitor)
		return false;
	/* Not of those that are there already. */
	top->monitor->options.event = tell;
	if (top->monitor->search_error)
		tell_sight(top);
	if (!totals_open(&top->totals, top->monitor, scope_takes, &top->scope))
		return true;
	complain("out of memory");
	return false;
}

void watch_close(struct top *top)
{
	totals_close(top->totals);
	monitor_close(top->monitor);
	bases_free(&top->bases);
	top->totals = NULL;
	top->monitor = NULL;
}

int watch_restart(struct top *top)
{
	enum top_mode mode = top->place[0].mode;

	watch_close(top);
	top->depth = 0;
	top->place[0] = (struct top_place){ .mode = mode };
	top->scope = top->place[0].scope;
	if (!watch_open(top))
		return -ECANCELED;
	top->soon = true;
	return watch_sample(top);
}
