// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "messages/require.h"
#include "top/members.h"
#include "top/watch.h"
#include "values/baseline.h"

/* ---- VMMs that appear and end ---- */

static void report_search_state(struct top *top)
{
	char buf[128];

	if (top->monitor->search_error)
		top_message(top, "Cannot search for new VMMs: %s",
			    kvmstats_strerror(top->monitor->search_error, buf, sizeof(buf)));
	else
		top_message(top, "Can search for new VMMs again");
}

static void report_event(enum monitor_event event, const struct vmm *vmm, void *arg)
{
	static const char * const what[] = {
		[MONITOR_APPEARED] = "has appeared",
		[MONITOR_CHANGED] = "has changed",
		[MONITOR_ENDED] = "has ended or closed its VM",
	};

	if (!vmm) {
		report_search_state(arg);
		return;
	}
	top_message(arg, "%s (%d) %s: %zu VM%s, %zu vCPU%s", vmm->guest ? vmm->guest : vmm->comm,
		    (int)vmm->pid, what[event], vmm->vms, plural(vmm->vms), vmm->vcpus,
		    plural(vmm->vcpus));
}

/* Like kvm_stat, recognize the guest by its name if another process runs it later. */
static void remember_guest(struct top *top)
{
	const struct monitor *monitor = top->monitor;

	if (monitor->named.count == 1 && monitor->vmms == 1 && monitor->vmm[0]->guest)
		snprintf(top->guest, sizeof(top->guest), "%s", monitor->vmm[0]->guest);
}

/* ---- the view ---- */

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

static int update_bars(struct top *top)
{
	const struct total *total = find_histogram(top, top_page(top)->stat);
	const uint64_t *values;

	top->bars_found = total;
	if (!total)
		return 0;
	values = top->include_past ? total->values : total->growth;
	return bars_make(&top->bars, total->stat, values, total->deltas, top->utf8) ? 0 : -ENOMEM;
}

static int update_table(struct top *top)
{
	const struct top_page *page = top_page(top);
	struct view_options options = {
		.by_total = top->by_total,
		.children = top->children,
		.include_past = top->include_past,
		.utf8 = top->utf8,
		.stat = *page->stat ? page->stat : NULL,
	};
	bool good;

	if (page->mode == TOP_MEMBERS)
		good = view_members(&top->view, top->monitor, &page->scope, &options);
	else
		good = view_statistics(&top->view, top->totals, &options);
	return good ? 0 : -ENOMEM;
}

static bool has_ended(const struct top *top)
{
	if (scope_has_targets(&top->scope, top->monitor))
		return false;
	if (top->scope.one_vmm)
		return top->scope.one_target || !scope_vmm(&top->scope, top->monitor);
	return top->awaiting_guest || monitor_has_ended(top->monitor);
}

/* Moves the cursor along if its line has moved. */
static void keep_cursor_on_line(struct top *top, const struct view_line *previous)
{
	struct top_page *page = top_page(top);
	size_t i;

	for (i = 0; page->cursor && i < top->view.lines; i++) {
		const struct view_line *line = &top->view.line[i];

		if (!strcmp(line->name, previous->name) && !strcmp(line->stat, previous->stat) &&
		    line->origin == previous->origin)
			page->at = i;
	}
}

static int update_view(struct top *top)
{
	struct top_page *page = top_page(top);
	struct view_line previous = { 0 };
	int err;

	top->ended = has_ended(top);
	if (top->ended)
		return 0;
	if (page->mode == TOP_BARS)
		return update_bars(top);
	if (page->at < top->view.lines)
		previous = top->view.line[page->at];
	err = update_table(top);
	if (!err && *previous.name)
		keep_cursor_on_line(top, &previous);
	return err;
}

int watch_update_view(struct top *top)
{
	int err = 0;

	if (!scope_is_same(&top->scope, &top_page(top)->scope)) {
		top->scope = top_page(top)->scope;
		totals_reselect(top->totals);
		err = totals_update(top->totals);
	}
	return err ? err : update_view(top);
}

/* ---- samples ---- */

static int update(struct top *top)
{
	int err;

	if (top->baselines_started)
		baselines_update(top->monitor);
	else if (!baselines_start(top->monitor))
		return -ENOMEM;
	top->baselines_started = true;
	err = totals_update(top->totals);
	return err ? err : update_view(top);
}

int watch_reset(struct top *top)
{
	top->baselines_started = false;
	return update(top);
}

/*
 * If the selected process has ended, waits for its guest by name. Returns 1 if the monitor was
 * opened again for that, 0 if not, or -errno.
 */
static int await_guest(struct top *top)
{
	struct filter *filter = &top->options->filter;

	if (!*top->guest || !monitor_has_ended(top->monitor))
		return 0;
	if (!filter_set_pid(filter, 0) || !filter_set_guest(filter, top->guest))
		return -ENOMEM;
	if (top->depth)
		view_clear(&top->view);
	*top->guest = '\0';
	top->awaiting_guest = true;
	return watch_restart(top) ?: 1;
}

int watch_sample(struct top *top)
{
	int err = monitor_sample(top->monitor);

	if (err)
		return err;
	remember_guest(top);
	if (monitor_targets(top->monitor))
		top->awaiting_guest = false;
	err = await_guest(top);
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

/* ---- start and end ---- */

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
	/* Set only now, so that VMMs that already run are not reported as new. */
	top->monitor->options.event = report_event;
	if (top->monitor->search_error)
		report_search_state(top);
	if (!totals_open(&top->totals, top->monitor, scope_selects, &top->scope))
		return true;
	complain("out of memory");
	return false;
}

void watch_close(struct top *top)
{
	totals_close(top->totals);
	monitor_close(top->monitor);
	top->baselines_started = false;
	top->totals = NULL;
	top->monitor = NULL;
}

int watch_restart(struct top *top)
{
	enum top_mode mode = top->page[0].mode;

	watch_close(top);
	top->depth = 0;
	top->page[0] = (struct top_page){ .mode = mode };
	top->scope = top->page[0].scope;
	if (!watch_open(top))
		return -ECANCELED;
	top->short_interval = true;
	return watch_sample(top);
}
