// SPDX-License-Identifier: GPL-2.0-only
/* Samples the statistics, and updates the lines of the page on the screen. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notice.h"
#include "sums.h"
#include "top/screen.h"
#include "unread.h"
#include "util.h"

#define MESSAGE_TIME	(6 * SECOND)

/* ---- scopes ---- */

struct top_scope scope_of_vmm(const struct vmm *vmm)
{
	struct top_scope scope = { .one_vmm = true, .key = vmm_key(vmm), .pid = vmm->pid };

	snprintf(scope.guest, sizeof(scope.guest), "%s", vmm->guest ? vmm->guest : "");
	return scope;
}

struct top_scope scope_of_target(const struct target *target)
{
	struct top_scope scope = scope_of_vmm(target->vmm);

	scope.origin = target->origin;
	snprintf(scope.label, sizeof(scope.label), "%s", target->label);
	return scope;
}

bool scope_selects(const struct target *target, void *arg)
{
	const struct top_scope *scope = arg;

	if (scope->one_vmm && scope->key != vmm_key(target->vmm))
		return false;
	return !*scope->label || (target->origin == scope->origin &&
				  !strcmp(target->label, scope->label));
}

static bool is_same_scope(const struct top_scope *a, const struct top_scope *b)
{
	return a->one_vmm == b->one_vmm && a->key == b->key && a->origin == b->origin &&
	       !strcmp(a->label, b->label);
}

const struct target *scope_next(const struct top_scope *scope, const struct monitor *monitor,
				size_t *vmm, size_t *i)
{
	for (; *vmm < monitor->vmms; (*vmm)++, *i = 0) {
		const struct vmm *at = monitor->vmm[*vmm];

		while (*i < at->targets) {
			const struct target *target = at->target[(*i)++];

			if (scope_selects(target, (void *)scope))
				return target;
		}
	}
	return NULL;
}

static bool scope_has_targets(const struct top_scope *scope, const struct monitor *monitor)
{
	size_t vmm = 0, i = 0;

	return scope_next(scope, monitor, &vmm, &i);
}

struct vmm *scope_vmm(const struct top_scope *scope, const struct monitor *monitor)
{
	size_t i;

	for (i = 0; scope->one_vmm && i < monitor->vmms; i++) {
		if (vmm_key(monitor->vmm[i]) == scope->key)
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

struct line *page_line(struct page *page, const struct top_scope *scope, const char *stat)
{
	struct line **more, *line;
	size_t i;

	for (i = 0; i < page->all; i++) {
		line = page->line[i];
		if (!line->ended && is_same_scope(&line->scope, scope) &&
		    !strcmp(line->stat, stat)) {
			line->seen = true;
			return line;
		}
	}
	more = array_grow(page->line, page->all, &page->capacity, sizeof(*more));
	line = more ? calloc(1, sizeof(*line)) : NULL;
	if (more)
		page->line = more;
	if (!line)
		return NULL;
	page->line[page->all++] = line;
	line->scope = *scope;
	snprintf(line->stat, sizeof(line->stat), "%s", stat);
	line->meaning = "";
	line->seen = true;
	line_clear_numbers(line);
	line->process.pid = scope->pid;
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
	return sanitize(vmm->guest ? vmm->guest : vmm->comm, buf, size);
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

/* The lines of all pages forget a VMM that ends. NULL: all VMMs. */
static void forget(struct top *top, const struct vmm *vmm)
{
	size_t depth, i;

	for (depth = 0; depth < MAX_PAGES; depth++) {
		for (i = 0; i < top->page[depth].all; i++) {
			struct line *line = top->page[depth].line[i];

			line->ended |= !vmm || (line->scope.one_vmm &&
						line->scope.key == vmm_key(vmm));
		}
	}
}

static void handle_event(enum kvmstats_event event, const struct vmm *vmm, void *arg)
{
	static const char * const what[] = {
		[KVMSTATS_EVENT_APPEARED] = "has appeared",
		[KVMSTATS_EVENT_CHANGED] = "has changed",
		[KVMSTATS_EVENT_ENDED] = "has ended or closed its VM",
	};
	struct top *top = arg;
	char name[NAME_SIZE], pid[16] = "";

	if (event == KVMSTATS_EVENT_SEARCH_WORKS) {
		top_message(top, "Can search for new VMMs again");
	} else if (event == KVMSTATS_EVENT_SEARCH_FAILED) {
		top_message(top, "Cannot search for new VMMs: %s",
			    kvmstats_strerror(top->monitor->search_error, name, sizeof(name)));
	} else {
		if (vmm->pid)
			snprintf(pid, sizeof(pid), " (%d)", (int)vmm->pid);
		top_message(top, "%s%s %s: %zu VM%s, %zu vCPU%s",
			    guest_name(vmm, name, sizeof(name)), pid, what[event], vmm->vms,
			    plural(vmm->vms), vmm->vcpus, plural(vmm->vcpus));
	}
	if (event == KVMSTATS_EVENT_ENDED)
		forget(top, vmm);
}

/* ---- the page ---- */

bool page_has_ended(const struct top *top, const struct page *page)
{
	if (page->scope.one_vmm && !scope_vmm(&page->scope, top->monitor))
		return true;
	if (scope_has_targets(&page->scope, top->monitor))
		return false;
	return *page->scope.label || (!page->scope.one_vmm && top->kvm_stat &&
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
	if (!vmm || (page->kind == PAGE_GUESTS && !top->kvm_stat) ||
	    scope_has_targets(&page->scope, monitor))
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
	if (page->kind < PAGE_STATISTICS)
		return 0;
	if (!is_same_scope(&top->scope, &page->scope))
		totals_reselect(top->totals);
	top->scope = page->scope;
	return totals_update(top->totals);
}

static bool update_lines(struct top *top, struct page *page)
{
	bool good = page->kind == PAGE_HISTOGRAM ? stats_update_histogram(top, page) :
		    page->kind == PAGE_STATISTICS ? stats_update(top, page) :
		    guests_update(top, page);

	if (page->kind == PAGE_HISTOGRAM || !good)
		return good;
	if (top->kvm_stat)
		stats_set_shares(page);
	return top->kvm_stat || page->kind == PAGE_GUESTS || guests_update_times(top, page);
}

int model_update(struct top *top)
{
	struct page *page = top_page(top);
	unsigned int shown = top->layout.shown;

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
	page_finish(page, top->names[page->kind], top->order[page->kind]);
	top->layout = table_layout(top);
	/* Only columns on the screen are computed, and there are more of them now. */
	return top->layout.shown & ~shown ? model_update(top) : 0;
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

int model_sample(struct top *top)
{
	int err = monitor_sample(top->monitor);

	if (!err && top->kvm_stat)
		err = kvm_stat_await_guest(top);
	if (err)
		return err;
	if (!top->kvm_stat)
		host_update(&top->host);
	if (top->has_baselines)
		baselines_update(top->monitor);
	else if (top->kvm_stat)
		top->has_baselines = baselines_start(top->monitor);
	return top->kvm_stat && !top->has_baselines ? -ENOMEM : model_update(top);
}

int model_refresh(struct top *top)
{
	int err = monitor_refresh(top->monitor);

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
	return top->totals || out_of_memory();
}

void model_close(struct top *top)
{
	forget(top, NULL);
	guests_free(top);
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
	monitor_close(top->choices);
	for (i = 0; i < MAX_PAGES; i++)
		page_free(&top->page[i]);
}
