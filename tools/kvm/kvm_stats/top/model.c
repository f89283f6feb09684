// SPDX-License-Identifier: GPL-2.0-only
/* Samples the statistics, and updates the lines of the page on the screen. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notice.h"
#include "sums.h"
#include "top/screen.h"
#include "util.h"

#define MESSAGE_TIME	(6 * SECOND)

/* ---- scopes ---- */

struct top_scope scope_of_target(const struct target *target)
{
	struct top_scope scope = { .vmm = target->vmm->id, .origin = target->origin };

	memcpy(scope.label, target->label, sizeof(scope.label));
	return scope;
}

bool scope_selects(const struct target *target, void *arg)
{
	const struct top_scope *scope = arg;

	if (scope->vmm && scope->vmm != target->vmm->id)
		return false;
	return !*scope->label || (target->origin == scope->origin &&
				  !strcmp(target->label, scope->label));
}

static bool is_same_scope(const struct top_scope *a, const struct top_scope *b)
{
	return a->vmm == b->vmm && a->origin == b->origin && !strcmp(a->label, b->label);
}

bool scope_has_targets(const struct top_scope *scope, const struct monitor *monitor)
{
	const struct target *target;

	for_each_target(target, monitor) {
		if (scope_selects(target, (void *)scope))
			return true;
	}
	return false;
}

struct vmm *scope_vmm(const struct top_scope *scope, const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (monitor->vmm[i]->id == scope->vmm)
			return monitor->vmm[i];
	}
	return NULL;
}

/* ---- lines ---- */

void line_clear_numbers(struct line *line)
{
	size_t id;

	for (id = 0; id < COLUMNS; id++)
		line->number[id] = -1;
}

struct line *page_find(const struct page *page, const struct top_scope *scope, const char *stat)
{
	size_t i;

	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];

		if (is_same_scope(&line->scope, scope) && !strcmp(line->stat, stat))
			return line;
	}
	return NULL;
}

struct line *page_line(struct page *page, const struct top_scope *scope, const char *stat)
{
	struct line **more, *line = page_find(page, scope, stat);

	if (line) {
		line->seen = true;
		return line;
	}
	more = array_grow(page->line, page->all, &page->capacity, sizeof(*more));
	line = calloc(1, sizeof(*line));
	require_memory(more && line);
	page->line = more;
	page->line[page->all++] = line;
	line->scope = *scope;
	snprintf(line->stat, sizeof(line->stat), "%s", stat);
	line->meaning = "";
	line->seen = true;
	line_clear_numbers(line);
	return line;
}

void page_begin(struct page *page)
{
	size_t i;

	for (i = 0; i < page->all; i++)
		page->line[i]->seen = false;
}

static void remove_unseen(struct page *page)
{
	size_t i, kept = 0;

	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];

		if (line->seen) {
			page->line[kept++] = line;
			continue;
		}
		if (page->selected == line)
			page->selected = NULL;
		process_free(&line->process);
		free(line);
	}
	page->all = kept;
}

void page_finish(struct page *page, const char *filter, struct order order)
{
	bool filters = filter && *filter;
	regex_t regex;
	size_t i;

	remove_unseen(page);
	filters = filters && !regcomp(&regex, filter, NAME_FILTER);
	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];

		line->hidden = filters && (line->sum || regexec(&regex, line->name, 0, NULL, 0));
	}
	if (filters)
		regfree(&regex);
	page->lines = 0;
	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];

		line->hidden |= line->child && (!line->parent || line->parent->hidden);
		page->lines += !line->hidden;
	}
	if (page->all)
		qsort_r(page->line, page->all, sizeof(*page->line), line_compare, &order);
	for (i = 0; page->selected && i < page->lines; i++) {
		if (page->line[i] == page->selected)
			page->at = i;
	}
}

void page_free(struct page *page)
{
	page_begin(page);
	remove_unseen(page);
	free(page->line);
	*page = (struct page){ .kind = page->kind };
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

const char *guest_name(const struct vmm *vmm, char *buf, size_t size)
{
	size_t len;

	sanitize(vmm->guest ? vmm->guest : vmm->comm, buf, size);
	len = strlen(buf);
	snprintf(buf + len, size - len, "%s", vmm_name_mark(vmm));
	return buf;
}

const char *guest_choice(const struct vmm *vmm, char *buf, size_t size)
{
	char name[NAME_SIZE - 16], pid[16] = "-";

	guest_name(vmm, name, sizeof(name));
	if (vmm->pid)
		snprintf(pid, sizeof(pid), "%d", (int)vmm->pid);
	snprintf(buf, size, vmm->guest ? "%7s %s" : "%7s (%s)", pid, name);
	return buf;
}

const char *put_title(char *buf, size_t size, const struct vmm *vmm)
{
	size_t len = strlen(sanitize(vmm->guest ? vmm->guest : "", buf, size));

	if (vmm->pid)
		snprintf(buf + len, size - len, len ? " (PID %d)" : "PID %d", (int)vmm->pid);
	return buf;
}

static void handle_event(enum kvmstats_event event, const struct vmm *vmm, void *arg)
{
	static const char * const what[] = {
		[KVMSTATS_EVENT_APPEARED] = "has appeared",
		[KVMSTATS_EVENT_CHANGED] = "has changed",
		[KVMSTATS_EVENT_ENDED] = "has ended or closed its VM",
	};
	struct top *top = arg;
	char name[NAME_SIZE];

	if (event == KVMSTATS_EVENT_SEARCH_WORKS) {
		top_message(top, "Can search for new VMMs again");
	} else if (event == KVMSTATS_EVENT_SEARCH_FAILED) {
		top_message(top, "Cannot search for new VMMs: %s",
			    error_text(top->monitor->search_error));
	} else {
		top_message(top, "%s %s: %zu VM%s, %zu vCPU%s",
			    put_title(name, sizeof(name), vmm), what[event], vmm->vms,
			    plural(vmm->vms), vmm->vcpus, plural(vmm->vcpus));
	}
}

/* ---- the page ---- */

bool page_has_ended(const struct top *top, const struct page *page)
{
	if (page->scope.vmm && !scope_vmm(&page->scope, top->monitor))
		return true;
	if (scope_has_targets(&page->scope, top->monitor))
		return false;
	return *page->scope.label || (!page->scope.vmm && top->kvm_stat &&
		(top->awaiting_guest || monitor_has_ended(top->monitor)));
}

void model_sum_up(struct top *top, const struct top_scope *scope)
{
	if (!is_same_scope(&top->scope, scope))
		totals_reselect(top->totals);
	top->scope = *scope;
	require_memory(!totals_update(top->totals));
}

static void update_lines(struct top *top, struct page *page)
{
	page_begin(page);
	if (page->kind >= PAGE_STATISTICS)
		model_sum_up(top, &page->scope);
	if (page->kind == PAGE_HISTOGRAM) {
		stats_update_histogram(top, page);
		return;
	}
	if (page->kind == PAGE_STATISTICS)
		stats_update(top, page);
	else
		guests_update(top, page);
	if (top->kvm_stat)
		stats_set_shares(top, page);
	else if (page->kind != PAGE_GUESTS)
		guests_update_times(top, page);
}

void model_update(struct top *top)
{
	struct page *page = top_page(top);

	top->exits_state = monitor_exits(top->monitor);
	/* The last values of what has ended stay on the screen. */
	if (!page_has_ended(top, page))
		update_lines(top, page);
	page_finish(page, top->names[page->kind], top->order[page->kind]);
}

void model_push(struct top *top, enum page_kind kind, const struct top_scope *scope,
		const char *stat)
{
	struct page *page = &top->page[top->depth + 1];
	const struct vmm *vmm = scope_vmm(scope, top->monitor);

	page_free(page);
	page->kind = kind;
	page->scope = *scope;
	snprintf(page->stat, sizeof(page->stat), "%s", stat);
	if (vmm)
		put_title(page->title, sizeof(page->title), vmm);
	else
		memcpy(page->title, page[-1].title, sizeof(page->title));
	top->depth++;
	model_update(top);
}

void model_pop(struct top *top)
{
	page_free(top_page(top));
	top->depth--;
}

/* ---- samples ---- */

/* Ends top if the monitor has failed. */
static void require_success(int err)
{
	if (err)
		top_fail(err);
}

void model_sample(struct top *top)
{
	require_success(monitor_sample(top->monitor));
	if (top->kvm_stat && kvm_stat_await_guest(top))
		require_success(monitor_sample(top->monitor));
	if (!top->kvm_stat)
		host_update(&top->host);
	if (top->kvm_stat && !top->monitor->time_before)
		require_memory(baselines_start(top->monitor));
	else
		baselines_update(top->monitor);
	model_update(top);
}

void model_refresh(struct top *top)
{
	require_success(monitor_refresh(top->monitor));
	model_update(top);
}

void model_reset(struct top *top)
{
	top->counts_growth = true;
	require_memory(baselines_start(top->monitor));
	model_update(top);
}

/* ---- start and end ---- */

bool model_open(struct top *top)
{
	struct monitor_options options = {
		.filter = top->filter,
		.sources = top->sources,
		.spares_fds = true,
		.arg = top,
	};

	top->monitor = require_monitor(&options);
	if (!top->monitor)
		return false;
	/* Set only now, so that VMMs that already run are not reported as new. */
	top->monitor->options.event = handle_event;
	if (top->monitor->search_error)
		handle_event(KVMSTATS_EVENT_SEARCH_FAILED, NULL, top);
	top->totals = totals_open(top->monitor, scope_selects, &top->scope);
	require_memory(top->totals);
	return true;
}

void model_close(struct top *top)
{
	guests_free(top);
	totals_close(top->totals);
	monitor_close(top->monitor);
	top->totals = NULL;
	top->monitor = NULL;
}

void model_free(struct top *top)
{
	size_t i;

	model_close(top);
	monitor_close(top->choices);
	for (i = 0; i < MAX_PAGES; i++)
		page_free(&top->page[i]);
}
