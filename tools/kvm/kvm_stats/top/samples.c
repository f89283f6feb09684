// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "messages/require.h"
#include "messages/sources.h"
#include "top/event_text.h"
#include "top/samples.h"
#include "top/terminal.h"
#include "values/baseline.h"

/* ---- events ---- */

static void handle_event(enum monitor_event event, const struct vmm *vmm, void *arg)
{
	struct top *top = arg;
	char text[TOP_MESSAGE];

	top_message(top, "%s", event_text(text, sizeof(text), top->monitor, event, vmm));
	if (event == MONITOR_ENDED)
		activities_end(&top->activities, vmm);
}

/* ---- statistics of the page ---- */

static bool shows_statistics(struct top *top)
{
	return top_page(top)->kind >= PAGE_STATISTICS;
}

static int update_totals(struct top *top)
{
	const struct page *page = top_page(top);
	int err;

	if (!scope_is_same(&top->scope, &page->scope)) {
		top->scope = page->scope;
		totals_reselect(top->totals);
		stat_lines_forget(&top->stats);
	}
	err = totals_update(top->totals);
	if (err)
		return err;
	if (!stat_lines_remember(&top->stats, top->totals, top->monitor->time_before,
				 top->monitor->time))
		return -ENOMEM;
	return 0;
}

static int update_statistics(struct top *top)
{
	struct view_options options = {
		.children = top->options->sources & SOURCES_TRACEPOINTS,
		.include_past = !top->since_reset,
		.utf8 = top->utf8,
	};
	bool good = stat_lines_make(&top->stats, top->totals, top_filter(top), &top->stat_order,
				    &options);

	return good ? 0 : -ENOMEM;
}

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

static int update_histogram(struct top *top)
{
	const struct total *total = find_histogram(top, top_page(top)->stat);
	const uint64_t *values;

	top->bars_found = total;
	if (!total)
		return 0;
	values = top->since_reset ? total->growth : total->values;
	if (!bars_make(&top->bars, total->stat, values, total->deltas, top->utf8))
		return -ENOMEM;
	return 0;
}

/* ---- times of vCPUs ---- */

/* The last times of what has ended stay, unless they are of another page. */
static int update_times(struct top *top)
{
	const struct top_scope *scope = &top_page(top)->scope;

	if (top_page(top)->kind == PAGE_GUESTS)
		return 0;
	if (top_has_ended(top)) {
		if (!scope_is_same(&top->time_scope, scope))
			top->time_use.times.vcpus = 0;
		return 0;
	}
	top->time_scope = *scope;
	if (!time_use_get(&top->time_use, &top->activities.exit_stats, top->monitor, scope))
		return -ENOMEM;
	return 0;
}

/* ---- the page ---- */

/* Standard error is captured, so the explanation can be read back. */
static void explain_problem(struct top *top, const struct guest_activity *guest)
{
	*top->problem = '\0';
	if (!guest_is_unreadable(guest))
		return;
	explain_sources(guest->vmm);
	terminal_errors(top->problem, sizeof(top->problem));
}

static int update_table(struct top *top)
{
	struct page *page = top_page(top);
	const struct guest_activity *guest = activities_find(&top->activities, page->scope.key);
	const struct table_order *order = &top->order[page->kind];
	bool good;

	if (page->kind == PAGE_GUESTS)
		good = table_guests(&top->table, &top->activities, top_filter(top), order);
	else if (guest)
		good = table_parts(&top->table, guest, top_filter(top), order);
	else
		return 0;
	if (page->selected)
		page->at = table_find(&top->table, &page->selected_scope, page->at);
	if (page->kind == PAGE_PARTS)
		explain_problem(top, guest);
	return good ? 0 : -ENOMEM;
}

static int update_lines(struct top *top)
{
	struct page *page = top_page(top);
	int err = update_statistics(top);
	size_t i;

	for (i = 0; !err && page->selected && i < top->stats.lines; i++) {
		if (!strcmp(top->stats.line[i].view.name, page->selected_name))
			page->at = i;
	}
	return err;
}

static int show_page(struct top *top)
{
	switch (top_page(top)->kind) {
	case PAGE_STATISTICS:
		return update_lines(top);
	case PAGE_HISTOGRAM:
		return update_histogram(top);
	default:
		return update_table(top);
	}
}

int samples_update_page(struct top *top)
{
	int err = update_times(top);

	/* The last values of what has ended stay on the screen. */
	if (err || (shows_statistics(top) && top_has_ended(top)))
		return err;
	if (shows_statistics(top) && !scope_is_same(&top->scope, &top_page(top)->scope))
		err = update_totals(top);
	return err ? err : show_page(top);
}

/* ---- samples ---- */

static int update(struct top *top)
{
	const struct page *page = top_page(top);
	int err;

	if (top->since_reset)
		baselines_update(top->monitor);
	if (!activities_update(&top->activities, top->monitor, page->scope.key))
		return -ENOMEM;
	err = update_times(top);
	if (err || (shows_statistics(top) && top_has_ended(top)))
		return err;
	if (shows_statistics(top))
		err = update_totals(top);
	return err ? err : show_page(top);
}

int samples_read(struct top *top)
{
	int err;

	fd_reserve_fill(&top->reserve, 0);
	err = monitor_sample(top->monitor);
	fd_reserve_release(&top->reserve);
	if (err)
		return err;
	host_update(&top->host);
	return update(top);
}

/* The figures keep their values until the next sample. */
int samples_refresh(struct top *top)
{
	int err;

	fd_reserve_fill(&top->reserve, 0);
	err = monitor_refresh(top->monitor);
	fd_reserve_release(&top->reserve);
	return err ? err : samples_update_page(top);
}

int samples_reset(struct top *top)
{
	int err = 0;

	if (!baselines_start(top->monitor))
		return -ENOMEM;
	top->since_reset = true;
	if (shows_statistics(top) && !top_has_ended(top))
		err = update_totals(top);
	return err ? err : samples_update_page(top);
}

int samples_include_past(struct top *top)
{
	top->since_reset = false;
	return samples_update_page(top);
}

/* ---- start and end ---- */

bool samples_open(struct top *top)
{
	struct monitor_options options = {
		.filter = &top->options->filter,
		.sources = top->options->sources,
		.arg = top,
	};

	fd_reserve_fill(&top->reserve, 0);
	top->monitor = require_monitor(&options);
	fd_reserve_release(&top->reserve);
	if (!top->monitor)
		return false;
	/* Set only now, so that VMMs that already run are not reported as new. */
	top->monitor->options.event = handle_event;
	if (top->monitor->search_error)
		handle_event(MONITOR_SEARCH_FAILED, NULL, top);
	if (!totals_open(&top->totals, top->monitor, scope_selects, &top->scope))
		return true;
	complain("out of memory");
	return false;
}

void samples_close(struct top *top)
{
	totals_close(top->totals);
	monitor_close(top->monitor);
	top->totals = NULL;
	top->monitor = NULL;
}
