// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "classic/members.h"
#include "classic/watch.h"
#include "messages/require.h"
#include "top/event_text.h"
#include "values/baseline.h"

/* ---- VMMs that appear and end ---- */

static void report_event(enum monitor_event event, const struct vmm *vmm, void *arg)
{
	struct classic *classic = arg;
	char text[CLASSIC_MESSAGE];

	classic_message(classic, "%s",
			event_text(text, sizeof(text), classic->monitor, event, vmm));
}

/* Like kvm_stat, recognize the guest by its name if another process runs it later. */
static void remember_guest(struct classic *classic)
{
	const struct monitor *monitor = classic->monitor;

	if (monitor->named.count == 1 && monitor->vmms == 1 && monitor->vmm[0]->guest)
		snprintf(classic->guest, sizeof(classic->guest), "%s", monitor->vmm[0]->guest);
}

/* ---- the view ---- */

static const struct total *find_histogram(const struct classic *classic, const char *name)
{
	size_t i;

	for (i = 0; i < classic->totals->totals; i++) {
		const struct total *total = classic->totals->total[i];

		if (total->present && kvmstats_stat_is_hist(total->stat) &&
		    !strcmp(total->name, name))
			return total;
	}
	return NULL;
}

static int update_bars(struct classic *classic)
{
	const struct total *total = find_histogram(classic, classic_page(classic)->stat);
	const uint64_t *values;

	classic->bars_found = total;
	if (!total)
		return 0;
	values = classic->include_past ? total->values : total->growth;
	if (!bars_make(&classic->bars, total->stat, values, total->deltas, classic->utf8))
		return -ENOMEM;
	return 0;
}

static int update_table(struct classic *classic)
{
	const struct classic_page *page = classic_page(classic);
	struct view_options options = {
		.by_total = classic->by_total,
		.children = classic->children,
		.include_past = classic->include_past,
		.utf8 = classic->utf8,
		.stat = *page->stat ? page->stat : NULL,
	};
	bool good;

	if (page->mode == CLASSIC_MEMBERS)
		good = view_members(&classic->view, classic->monitor, &page->scope, &options);
	else
		good = view_statistics(&classic->view, classic->totals, &options);
	return good ? 0 : -ENOMEM;
}

static bool has_ended(const struct classic *classic)
{
	if (scope_has_targets(&classic->scope, classic->monitor))
		return false;
	if (classic->scope.one_vmm)
		return classic->scope.one_target || !scope_vmm(&classic->scope, classic->monitor);
	return classic->awaiting_guest || monitor_has_ended(classic->monitor);
}

/* Moves the cursor along if its line has moved. */
static void keep_cursor_on_line(struct classic *classic, const struct view_line *previous)
{
	struct classic_page *page = classic_page(classic);
	size_t i;

	for (i = 0; page->cursor && i < classic->view.lines; i++) {
		const struct view_line *line = &classic->view.line[i];

		if (!strcmp(line->name, previous->name) && !strcmp(line->stat, previous->stat) &&
		    line->origin == previous->origin)
			page->at = i;
	}
}

static int update_view(struct classic *classic)
{
	struct classic_page *page = classic_page(classic);
	struct view_line previous = { 0 };
	int err;

	classic->ended = has_ended(classic);
	if (classic->ended)
		return 0;
	if (page->mode == CLASSIC_BARS)
		return update_bars(classic);
	if (page->at < classic->view.lines)
		previous = classic->view.line[page->at];
	err = update_table(classic);
	if (!err && *previous.name)
		keep_cursor_on_line(classic, &previous);
	return err;
}

int watch_update_view(struct classic *classic)
{
	int err = 0;

	if (!scope_is_same(&classic->scope, &classic_page(classic)->scope)) {
		classic->scope = classic_page(classic)->scope;
		totals_reselect(classic->totals);
		err = totals_update(classic->totals);
	}
	return err ? err : update_view(classic);
}

/* ---- samples ---- */

static int update(struct classic *classic)
{
	int err;

	if (classic->baselines_started)
		baselines_update(classic->monitor);
	else if (!baselines_start(classic->monitor))
		return -ENOMEM;
	classic->baselines_started = true;
	err = totals_update(classic->totals);
	return err ? err : update_view(classic);
}

int watch_reset(struct classic *classic)
{
	classic->baselines_started = false;
	return update(classic);
}

/*
 * If the selected process has ended, waits for its guest by name. Returns 1 if the monitor was
 * opened again for that, 0 if not, or -errno.
 */
static int await_guest(struct classic *classic)
{
	struct filter *filter = &classic->options->filter;

	if (!*classic->guest || !monitor_has_ended(classic->monitor))
		return 0;
	if (!filter_set_pid(filter, 0) || !filter_set_guest(filter, classic->guest))
		return -ENOMEM;
	if (classic->depth)
		view_clear(&classic->view);
	*classic->guest = '\0';
	classic->awaiting_guest = true;
	return watch_restart(classic) ?: 1;
}

int watch_sample(struct classic *classic)
{
	int err = monitor_sample(classic->monitor);

	if (err)
		return err;
	remember_guest(classic);
	if (monitor_targets(classic->monitor))
		classic->awaiting_guest = false;
	err = await_guest(classic);
	return err ? err < 0 ? err : 0 : update(classic);
}

int watch_ended(struct classic *classic)
{
	int err = monitor_refresh(classic->monitor);

	return err ? err : update(classic);
}

int watch_select(struct classic *classic)
{
	monitor_select(classic->monitor);
	return update(classic);
}

/* ---- start and end ---- */

bool watch_open(struct classic *classic)
{
	struct monitor_options options = {
		.filter = &classic->options->filter,
		.sources = classic->options->sources,
		.arg = classic,
	};

	classic->monitor = require_monitor(&options);
	if (!classic->monitor)
		return false;
	/* Set only now, so that VMMs that already run are not reported as new. */
	classic->monitor->options.event = report_event;
	if (classic->monitor->search_error)
		report_event(MONITOR_SEARCH_FAILED, NULL, classic);
	if (!totals_open(&classic->totals, classic->monitor, scope_selects, &classic->scope))
		return true;
	complain("out of memory");
	return false;
}

void watch_close(struct classic *classic)
{
	totals_close(classic->totals);
	monitor_close(classic->monitor);
	classic->baselines_started = false;
	classic->totals = NULL;
	classic->monitor = NULL;
}

int watch_restart(struct classic *classic)
{
	enum classic_mode mode = classic->page[0].mode;

	watch_close(classic);
	classic->depth = 0;
	classic->page[0] = (struct classic_page){ .mode = mode };
	classic->scope = classic->page[0].scope;
	if (!watch_open(classic))
		return -ECANCELED;
	classic->short_interval = true;
	return watch_sample(classic);
}
