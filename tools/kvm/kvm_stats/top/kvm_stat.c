// SPDX-License-Identifier: GPL-2.0-only
/* The view of kvm_stat: its keys, and its filters of guests and statistics. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/screen.h"

/* ---- pages ---- */

/* Tracepoints of the whole machine cannot be split by guest. */
static bool has_members(struct top *top)
{
	const struct monitor *monitor = top->monitor;
	const struct page *page = top_page(top);
	bool machine = monitor->vmms && !vmm_key(monitor->vmm[0]) &&
		       !(top->sources & ~SOURCES_TRACEPOINTS);

	if (!machine && !*page->scope.label && !page_has_ended(top, page))
		return true;
	top_message(top, machine ? "Tracepoints count all guests together. Press 'g' to choose one."
		    : "There are no guests, VMs or vCPUs to show. Press Left to go back.");
	return false;
}

static enum page_kind members_of(const struct top_scope *scope)
{
	return scope->one_vmm ? PAGE_PARTS : PAGE_GUESTS;
}

static int toggle_members(struct top *top)
{
	struct page *page = top_page(top);
	struct top_scope scope = page->scope;

	if (!has_members(top))
		return 0;
	page_free(page);
	page->kind = page->kind == PAGE_STATISTICS ? members_of(&scope) : PAGE_STATISTICS;
	page->scope = scope;
	return model_update(top);
}

int kvm_stat_open(struct top *top, const struct line *line)
{
	struct page *page = top_page(top);

	if (page_has_ended(top, page))
		return 0;
	if (page->kind < PAGE_STATISTICS && *line->scope.label)
		return model_push(top, PAGE_STATISTICS, &line->scope, "");
	if (page->kind < PAGE_STATISTICS)
		return model_push(top, PAGE_PARTS, &line->scope, page->stat);
	if (line->group == GROUP_HISTOGRAMS)
		return model_push(top, PAGE_HISTOGRAM, &page->scope, line->stat);
	if (!has_members(top))
		return 0;
	return model_push(top, members_of(&page->scope), &page->scope, line->stat);
}

/* ---- filters ---- */

/* Closing tracepoints takes seconds. */
static void announce(struct top *top)
{
	top->prompt.kind = PROMPT_NONE;
	top_message(top, "Updating the filter...");
	draw_screen(top);
	top->message_until = 0;
}

/* Opens a new monitor, after the filter selects other processes or guests. */
static int restart(struct top *top)
{
	announce(top);
	model_close(top);
	while (top->depth)
		model_pop(top);
	top->sample_now = true;
	return model_open(top) ? 0 : -ECANCELED;
}

static int apply_regex(struct top *top)
{
	announce(top);
	monitor_select(top->monitor);
	return model_update(top);
}

static int watch_only(struct top *top, pid_t pid, const char *guest)
{
	if (!filter_set_pid(top->filter, pid) || !filter_set_guest(top->filter, guest))
		return -ENOMEM;
	*top->guest = '\0';
	top->awaiting_guest = false;
	page_free(&top->page[0]);
	top->page[0].kind = PAGE_STATISTICS;
	return restart(top);
}

static int clear_filters(struct top *top)
{
	filter_set_regex(top->filter, NULL);
	return filter_names_vmms(top->filter) ? watch_only(top, 0, NULL) : apply_regex(top);
}

int kvm_stat_await_guest(struct top *top)
{
	const struct monitor *monitor = top->monitor;
	int err;

	if (monitor->options.filter->pids == 1 && monitor->vmms == 1 && monitor->vmm[0]->guest)
		snprintf(top->guest, sizeof(top->guest), "%s", monitor->vmm[0]->guest);
	if (monitor_targets(monitor))
		top->awaiting_guest = false;
	/* Like kvm_stat, recognize the guest by its name if another process runs it later. */
	if (!*top->guest || !monitor_has_ended(monitor))
		return 0;
	if (!filter_set_pid(top->filter, 0) || !filter_set_guest(top->filter, top->guest))
		return -ENOMEM;
	*top->guest = '\0';
	top->awaiting_guest = true;
	err = restart(top);
	return err ? err : monitor_sample(top->monitor);
}

/* ---- the prompt for a guest ---- */

/* Opens a monitor that finds all VMMs, and opens no statistics: no vCPU has this ID. */
static int ask_guest(struct top *top)
{
	static struct filter_range no_vcpu = { INT_MAX, INT_MAX };
	static const struct filter all_vmms = { .vcpu = &no_vcpu, .vcpus = 1 };
	struct monitor_options options = { .filter = &all_vmms, .sources = SOURCES_FD };

	monitor_close(top->choices);
	if (monitor_open(&top->choices, &options))
		top->choices = NULL;
	prompt_begin(&top->prompt, PROMPT_GUEST, "");
	return 0;
}

static int apply_guest(struct top *top)
{
	const char *text = top->prompt.text;
	bool is_pid = *text && !text[strspn(text, "0123456789")];
	size_t i;

	if (!*text || !strcmp(text, "0"))
		return watch_only(top, 0, NULL);
	for (i = 0; top->choices && i < top->choices->vmms; i++) {
		const struct vmm *vmm = top->choices->vmm[i];

		if (vmm->guest && !strcmp(vmm->guest, text))
			return watch_only(top, 0, vmm->guest);
		if (is_pid && vmm->pid == strtol(text, NULL, 10))
			return watch_only(top, vmm->pid, NULL);
	}
	snprintf(top->prompt.error, sizeof(top->prompt.error), is_pid ?
		 "PID %.100s is not a VMM that kvm-stats can read" :
		 "no guest is named '%.100s'", text);
	return 0;
}

int kvm_stat_answer(struct top *top)
{
	if (top->prompt.kind == PROMPT_GUEST)
		return apply_guest(top);
	if (!filter_set_regex(top->filter, top->prompt.text)) {
		prompt_reject(&top->prompt);
		return 0;
	}
	return apply_regex(top);
}

/* ---- keys ---- */

static int toggle_order(struct top *top)
{
	bool by_rate = top->order[PAGE_STATISTICS].column == COLUMN_RATE;
	size_t kind;

	for (kind = PAGE_GUESTS; kind <= PAGE_STATISTICS; kind++)
		top->order[kind].column = by_rate ? COLUMN_VALUE : COLUMN_RATE;
	top_message(top, "Sorted by %s", by_rate ? "Total" : "CurAvg/s");
	return model_update(top);
}

static int toggle_children(struct top *top)
{
	top->children = !top->children;
	if (!(top->sources & SOURCES_TRACEPOINTS))
		top_message(top, "Only tracepoints have exit reasons. Start top with -t.");
	return model_update(top);
}

int kvm_stat_key(struct top *top, int key)
{
	switch (key) {
	case 'b':
		return toggle_members(top);
	case 'c':
		return clear_filters(top);
	case 'f':
		prompt_begin(&top->prompt, PROMPT_REGEX,
			     top->filter->has_regex ? top->filter->pattern : "");
		return 0;
	case 'g':
	case 'p':
		return ask_guest(top);
	case 'o':
		return toggle_order(top);
	case 'x':
		return toggle_children(top);
	}
	/* As in kvm_stat, any other key reads the statistics now. */
	top->sample_now = true;
	return 0;
}
