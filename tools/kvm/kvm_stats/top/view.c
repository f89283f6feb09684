// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "top/view.h"
#include "util.h"

#define NOTICE_TIME	(6 * SECOND)
#define SHORT_INTERVAL	(SECOND / 4)

void view_notice(struct view *view, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(view->notice.text, sizeof(view->notice.text), format, args);
	va_end(args);
	view->notice.until = clock_now() + NOTICE_TIME;
}

/* Ends top if @good is false, because memory is exhausted. */
static void check_memory(struct view *view, bool good)
{
	if (good)
		return;
	message_no_memory(&view->failure);
	view->quit = true;
}

/* ---- the page ---- */

static void update_lines(struct view *view, struct page *page)
{
	struct sampler *sampler = &view->sampler;

	page_begin(page);
	if (page->kind >= PAGE_STATISTICS)
		check_memory(view, !totals_update(&sampler->totals, sampler->monitor,
						  scope_selects, &page->scope));
	if (page->kind == PAGE_HISTOGRAM)
		stat_page_update_histogram(page, sampler);
	else if (page->kind == PAGE_STATISTICS)
		stat_page_update(page, sampler);
	else
		guest_page_update(page, &view->page[0], sampler);
	if (page->kind == PAGE_TARGETS || page->kind == PAGE_STATISTICS)
		guest_page_update_times(page, sampler);
	check_memory(view, !page->no_memory);
}

void view_update(struct view *view)
{
	struct page *page = view_page(view);

	/* The last values of what has ended stay on the screen. */
	if (!scope_has_ended(&page->scope, view->sampler.monitor))
		update_lines(view, page);
	page_finish(page, view->names[page->kind], view->order[page->kind]);
}

static void push_page(struct view *view, enum page_kind kind, const struct top_scope *scope,
		      const char *stat)
{
	struct page *page = &view->page[++view->depth];
	const struct vmm *vmm = scope_vmm(scope, view->sampler.monitor);

	page->kind = kind;
	page->scope = *scope;
	snprintf(page->stat, sizeof(page->stat), "%s", stat);
	if (vmm)
		guest_title(page->title, sizeof(page->title), vmm);
	else
		memcpy(page->title, page[-1].title, sizeof(page->title));
	view_update(view);
}

void view_enter(struct view *view)
{
	const struct page *page = view_page(view);
	const struct line *line = page->at < page->lines ? page->line[page->at] : NULL;

	if (!line || page->kind == PAGE_HISTOGRAM)
		return;
	if (page->kind == PAGE_STATISTICS && line->group == GROUP_HISTOGRAMS)
		push_page(view, PAGE_HISTOGRAM, &page->scope, line->stat);
	else if (page->kind == PAGE_STATISTICS)
		view_notice(view, "Only histograms can be opened.");
	else if (page->kind == PAGE_GUESTS && line->scope.vmm)
		push_page(view, PAGE_TARGETS, &line->scope, "");
	else
		push_page(view, PAGE_STATISTICS, &line->scope, "");
}

void view_leave(struct view *view)
{
	if (!view->depth)
		*view->names[PAGE_GUESTS] = '\0';
	else
		page_free(&view->page[view->depth--]);
	view_update(view);
}

/* ---- samples ---- */

/* Verdicts are about so many intervals to twice as many. */
#define VERDICT_INTERVALS	5

void view_sample(struct view *view)
{
	const struct monitor *monitor = view->sampler.monitor;

	view->sampler.evidence.window = VERDICT_INTERVALS * view->interval;
	if (monitor->replay) {
		replay_skip(monitor->replay, view->step - 1);
		/* Recorded samples have another interval. */
		if (monitor->time_before)
			view->sampler.evidence.window = VERDICT_INTERVALS *
				(monitor->time - monitor->time_before);
	}
	if (!sampler_read(&view->sampler, &view->failure))
		view->quit = true;
	view->table.has_values = monitor->has_values;
	/* Rates need two samples. The second one comes soon. */
	view->deadline = clock_now() + (monitor->time_before ? view->interval : SHORT_INTERVAL);
	view_update(view);
}

/* What is known of the sample after that must not count as the one before it. */
void view_back(struct view *view)
{
	struct monitor *monitor = view->sampler.monitor;
	size_t step = view->step, i;

	replay_back(monitor->replay, step + 1);
	for (i = 0; i < monitor->vmms; i++)
		process_free(&monitor->vmm[i]->process);
	evidence_free(&view->sampler.evidence);
	view->step = 1;
	if (!sampler_read(&view->sampler, &view->failure))
		view->quit = true;
	else
		view_sample(view);
	view->step = step;
}

void view_reset(struct view *view)
{
	view->sampler.counts_growth = true;
	check_memory(view, baselines_start(view->sampler.monitor));
	view_update(view);
}

static void handle_event(const struct vmm *vmm, bool started, void *arg)
{
	char name[NAME_SIZE];

	view_notice(arg, "%s %s: %zu VM%s, %zu vCPU%s", guest_title(name, sizeof(name), vmm),
		    started ? "has appeared" : "has ended or closed its VM", vmm->vms,
		    plural(vmm->vms), vmm->vcpus, plural(vmm->vcpus));
}

bool view_open(struct view *view, struct monitor_options options, struct message *why)
{
	struct sampler *sampler = &view->sampler;

	options.processes = PROCESSES_STATES;
	options.event = handle_event;
	options.arg = view;
	/* Every sample, also after the time with which the screen begins */
	options.replay.interval = 1;
	options.replay.goes_on = true;
	view->step = 1;
	sampler->evidence.window = VERDICT_INTERVALS * view->interval;
	if (monitor_open(&sampler->monitor, &options, why) || !sampler_read(sampler, why))
		return false;
	if (!sampler->monitor->time) {
		*why = sampler->monitor->problem;
		return false;
	}
	view->table.has_values = sampler->monitor->has_values;
	view->deadline = clock_now() + SHORT_INTERVAL;
	if (sampler->monitor->replay)
		view_sample(view);
	view->paused = sampler->monitor->replay;
	view_update(view);
	return true;
}

void view_close(struct view *view)
{
	size_t i;

	evidence_free(&view->sampler.evidence);
	totals_free(&view->sampler.totals);
	monitor_close(view->sampler.monitor);
	for (i = 0; i < MAX_PAGES; i++)
		page_free(&view->page[i]);
}
