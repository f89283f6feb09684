// SPDX-License-Identifier: GPL-2.0-only
/* Samples the statistics, and updates the lines of the page on the screen. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "messages/require.h"
#include "messages/sources.h"
#include "top/screen.h"
#include "values/baseline.h"

#define MESSAGE_TIME	(6 * SECOND)

/* ---- scopes ---- */

struct top_scope scope_of_vmm(const struct vmm *vmm)
{
	struct top_scope scope = { .one_vmm = true, .key = vmm_key(vmm), .pid = vmm->pid };

	if (vmm->guest)
		snprintf(scope.guest, sizeof(scope.guest), "%s", vmm->guest);
	return scope;
}

struct top_scope scope_of_target(const struct target *target)
{
	struct top_scope scope = scope_of_vmm(target->vmm);

	scope.one_target = true;
	scope.origin = target->origin;
	snprintf(scope.label, sizeof(scope.label), "%s", target->label);
	return scope;
}

bool scope_selects(const struct target *target, void *arg)
{
	const struct top_scope *scope = arg;

	if (scope->one_vmm && scope->key != vmm_key(target->vmm))
		return false;
	return !scope->one_target || (target->origin == scope->origin &&
				      !strcmp(target->label, scope->label));
}

static bool is_same_scope(const struct top_scope *a, const struct top_scope *b)
{
	return a->one_vmm == b->one_vmm && a->one_target == b->one_target && a->key == b->key &&
	       a->origin == b->origin && !strcmp(a->label, b->label);
}

const struct vmm *scope_vmm(const struct top_scope *scope, const struct monitor *monitor)
{
	size_t i;

	for (i = 0; scope->one_vmm && i < monitor->vmms; i++) {
		if (vmm_key(monitor->vmm[i]) == scope->key)
			return monitor->vmm[i];
	}
	return NULL;
}

bool scope_has_targets(const struct top_scope *scope, const struct monitor *monitor)
{
	size_t i, j;

	for (i = 0; i < monitor->vmms; i++) {
		for (j = 0; j < monitor->vmm[i]->targets; j++) {
			if (scope_selects(monitor->vmm[i]->target[j], (void *)scope))
				return true;
		}
	}
	return false;
}

/* ---- events ---- */

void top_message(struct top *top, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(top->message, sizeof(top->message), format, args);
	va_end(args);
	top->message_until = clock_now() + MESSAGE_TIME;
}

/* The lines of all pages forget what is about to be freed. NULL: all VMMs. */
static void forget(struct top *top, const struct vmm *vmm)
{
	size_t depth, i;

	for (depth = 0; depth < MAX_PAGES; depth++) {
		for (i = 0; i < top->page[depth].all; i++) {
			struct line *line = top->page[depth].line[i];

			if (vmm && line->vmm != vmm)
				continue;
			line->key = NULL;
			line->vmm = NULL;
			line->target = NULL;
		}
	}
}

static void report_search(struct top *top)
{
	int err = top->monitor->search_error;
	char buf[128];

	if (err)
		top_message(top, "Cannot search for new VMMs: %s",
			    kvmstats_strerror(err, buf, sizeof(buf)));
	else
		top_message(top, "Can search for new VMMs again");
}

static void handle_event(enum monitor_event event, const struct vmm *vmm, void *arg)
{
	static const char * const what[] = {
		[MONITOR_APPEARED] = "has appeared",
		[MONITOR_CHANGED] = "has changed",
		[MONITOR_ENDED] = "has ended or closed its VM",
	};
	struct top *top = arg;
	char pid[16] = "";

	if (!vmm) {
		report_search(top);
		return;
	}
	if (vmm->pid)
		snprintf(pid, sizeof(pid), " (%d)", (int)vmm->pid);
	top_message(top, "%s%s %s: %zu VM%s, %zu vCPU%s", vmm->guest ? vmm->guest : vmm->comm, pid,
		    what[event], vmm->vms, plural(vmm->vms), vmm->vcpus, plural(vmm->vcpus));
	if (event == MONITOR_ENDED)
		forget(top, vmm);
}

/* ---- the page ---- */

bool page_has_ended(const struct top *top, const struct page *page)
{
	if (page->scope.one_vmm && !scope_vmm(&page->scope, top->monitor))
		return true;
	if (scope_has_targets(&page->scope, top->monitor))
		return false;
	return page->scope.one_target || (!page->scope.one_vmm && top->kvm_stat &&
		(top->awaiting_guest || monitor_has_ended(top->monitor)));
}

/* Standard error is captured, so the explanation can be read back. */
static void explain_problem(struct top *top, struct page *page)
{
	const struct monitor *monitor = top->monitor;
	const struct vmm *vmm = scope_vmm(&page->scope, monitor);
	size_t len;

	*page->problem = '\0';
	if (!vmm && monitor->vmms)
		vmm = monitor->vmm[0];
	if (!vmm || page->kind == PAGE_GUESTS || scope_has_targets(&page->scope, monitor))
		return;
	explain_sources(vmm);
	top_errors(page->problem, sizeof(page->problem));
	len = strlen(page->problem);
	if (!page->scope.one_vmm && monitor->vmms > 1)
		snprintf(page->problem + len, sizeof(page->problem) - len,
			 "The statistics of %zu more VMM%s cannot be read.", monitor->vmms - 1,
			 plural(monitor->vmms - 1));
}

static int update_totals(struct top *top, const struct page *page)
{
	if (page->kind == PAGE_GUESTS || page->kind == PAGE_PARTS || page->kind == PAGE_MEMBERS)
		return 0;
	if (!is_same_scope(&top->scope, &page->scope)) {
		top->scope = page->scope;
		totals_reselect(top->totals);
	}
	return totals_update(top->totals);
}

static bool update_lines(struct top *top, struct page *page)
{
	switch (page->kind) {
	case PAGE_GUESTS:
		return stats_update_guests(top, page);
	case PAGE_PARTS:
		return stats_update_parts(top, page) && stats_update_times(top, page);
	case PAGE_HISTOGRAM:
		return stats_update_histogram(top, page);
	case PAGE_MEMBERS:
		return stats_update_members(top, page);
	case PAGE_STATISTICS:
		return stats_update_statistics(top, page) && stats_update_times(top, page);
	default:
		return stats_update_statistics(top, page);
	}
}

int model_update(struct top *top)
{
	struct page *page = top_page(top);
	const struct order *order = &top->order[page->kind];
	const struct filter_text *names = &top->names[page->kind];

	top->exits_state = monitor_exits(top->monitor);
	/* The last values of what has ended stay on the screen. */
	if (!page_has_ended(top, page)) {
		int err = update_totals(top, page);

		if (err)
			return err;
		explain_problem(top, page);
		page_begin(page);
		if (!update_lines(top, page))
			return -ENOMEM;
	}
	return page_finish(page, *names->text ? &names->regex : NULL, order->column,
			   order->reversed) ? 0 : -ENOMEM;
}

int model_push(struct top *top, enum page_kind kind, const struct top_scope *scope,
	       const char *stat)
{
	struct page *page = &top->page[top->depth + 1];

	if (top->depth + 1 == MAX_PAGES)
		return 0;
	page_free(page);
	page->kind = kind;
	page->scope = *scope;
	snprintf(page->stat, sizeof(page->stat), "%s", stat);
	top->depth++;
	return model_update(top);
}

void model_pop(struct top *top)
{
	page_free(top_page(top));
	top->depth--;
}

/* ---- samples ---- */

static bool update_baselines(struct top *top)
{
	if (top->has_baselines)
		baselines_update(top->monitor);
	else if (top->kvm_stat)
		return top->has_baselines = baselines_start(top->monitor);
	return true;
}

int model_sample(struct top *top)
{
	int err;

	fd_reserve_fill(&top->reserve, 0);
	err = monitor_sample(top->monitor);
	fd_reserve_release(&top->reserve);
	if (!err && top->kvm_stat)
		err = kvm_stat_await_guest(top);
	if (err)
		return err;
	if (!top->kvm_stat)
		host_update(&top->host);
	return update_baselines(top) ? model_update(top) : -ENOMEM;
}

int model_refresh(struct top *top)
{
	int err;

	fd_reserve_fill(&top->reserve, 0);
	err = monitor_refresh(top->monitor);
	fd_reserve_release(&top->reserve);
	return err ? err : model_update(top);
}

int model_reset(struct top *top)
{
	top->counts_growth = true;
	top->has_baselines = baselines_start(top->monitor);
	return top->has_baselines ? model_update(top) : -ENOMEM;
}

/* ---- start and end ---- */

bool model_open(struct top *top)
{
	struct monitor_options options = {
		.filter = top->filter,
		.sources = top->sources,
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
		report_search(top);
	if (!totals_open(&top->totals, top->monitor, scope_selects, &top->scope))
		return true;
	complain("out of memory");
	return false;
}

void model_close(struct top *top)
{
	forget(top, NULL);
	stats_free(top);
	totals_close(top->totals);
	monitor_close(top->monitor);
	top->has_baselines = false;
	top->totals = NULL;
	top->monitor = NULL;
}

void model_free(struct top *top)
{
	size_t i;

	model_close(top);
	for (i = 0; i < MAX_PAGES; i++)
		page_free(&top->page[i]);
	for (i = 0; i < PAGE_KINDS; i++) {
		if (*top->names[i].text)
			regfree(&top->names[i].regex);
	}
	kvm_stat_free_choices(top);
}
