// SPDX-License-Identifier: GPL-2.0-only
/* The view of kvm_stat: its keys, and its filters of guests and statistics. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/screen.h"

/* ---- pages ---- */

static void toggle_targets(struct top *top)
{
	struct page *page = top_page(top);

	if (*page->scope.label || page->kind == PAGE_HISTOGRAM || page_has_ended(top, page)) {
		top_message(top, "This page has no guests, VMs or vCPUs. Press Left to go back.");
		return;
	}
	if (page->kind != PAGE_STATISTICS)
		page->kind = PAGE_STATISTICS;
	else
		page->kind = page->scope.vmm ? PAGE_TARGETS : PAGE_GUESTS;
	page->at = 0;
	page->selected = NULL;
	model_update(top);
}

/* ---- filters ---- */

/* Opens a new monitor, which follows other processes or guests. */
static void restart(struct top *top, pid_t pid, const char *guest)
{
	require_memory(filter_set_pid(top->filter, pid) && filter_set_guest(top->filter, guest));
	*top->guest = '\0';
	model_close(top);
	while (top->depth)
		model_pop(top);
	top->deadline = 0;
	if (!model_open(top))
		top_fail(0);
}

static void watch_only(struct top *top, pid_t pid, const char *guest)
{
	restart(top, pid, guest);
	page_free(&top->page[0]);
	top->page[0].kind = PAGE_STATISTICS;
	top->awaiting_guest = false;
}

static void apply_regex(struct top *top)
{
	monitor_select(top->monitor);
	model_update(top);
}

static void clear_filters(struct top *top)
{
	filter_set_regex(top->filter, NULL);
	if (filter_names_vmms(top->filter))
		watch_only(top, 0, NULL);
	else
		apply_regex(top);
}

bool kvm_stat_await_guest(struct top *top)
{
	const struct monitor *monitor = top->monitor;

	if (monitor->options.filter->pids == 1 && monitor->vmms == 1 && monitor->vmm[0]->guest)
		snprintf(top->guest, sizeof(top->guest), "%s", monitor->vmm[0]->guest);
	if (monitor_has_targets(monitor))
		top->awaiting_guest = false;
	/* Like kvm_stat, recognize the guest by its name if another process runs it later. */
	if (!*top->guest || !monitor_has_ended(monitor))
		return false;
	restart(top, 0, top->guest);
	top->awaiting_guest = true;
	return true;
}

/* ---- the prompt for a guest ---- */

/* Opens a monitor that finds all VMMs, and opens no statistics: no vCPU has this ID. */
static void ask_guest(struct top *top)
{
	static struct filter_range no_vcpu = { INT_MAX, INT_MAX };
	static const struct filter all_vmms = { .vcpu = &no_vcpu, .vcpus = 1 };
	struct monitor_options options = { .filter = &all_vmms, .sources = SOURCES_FD };

	monitor_close(top->choices);
	if (monitor_open(&top->choices, &options))
		top->choices = NULL;
	prompt_begin(&top->prompt, PROMPT_GUEST, "");
}

static bool apply_guest(struct top *top)
{
	const char *text = top->prompt.text;
	bool is_pid = *text && !text[strspn(text, "0123456789")];
	size_t i;

	if (!*text || !strcmp(text, "0")) {
		watch_only(top, 0, NULL);
		return true;
	}
	for (i = 0; top->choices && i < top->choices->vmms; i++) {
		const struct vmm *vmm = top->choices->vmm[i];
		bool named = vmm->guest && !strcmp(vmm->guest, text);

		if (!named && (!is_pid || vmm->pid != strtol(text, NULL, 10)))
			continue;
		watch_only(top, named ? 0 : vmm->pid, named ? vmm->guest : NULL);
		return true;
	}
	snprintf(top->prompt.error, sizeof(top->prompt.error), is_pid ?
		 "PID %.100s is not a VMM that kvm-stats can read" :
		 "no guest is named '%.100s'", text);
	return false;
}

bool kvm_stat_apply(struct top *top)
{
	if (top->prompt.kind == PROMPT_GUEST)
		return apply_guest(top);
	if (!filter_set_regex(top->filter, top->prompt.text))
		return false;
	apply_regex(top);
	return true;
}

/* ---- keys ---- */

static void toggle_order(struct top *top)
{
	bool by_rate = top->order[PAGE_STATISTICS].column == COLUMN_RATE;
	size_t kind;

	for (kind = PAGE_GUESTS; kind <= PAGE_STATISTICS; kind++)
		top->order[kind].column = by_rate ? COLUMN_VALUE : COLUMN_RATE;
	top_message(top, "Sorted by %s", by_rate ? "Total" : "CurAvg/s");
	model_update(top);
}

void kvm_stat_key(struct top *top, int key)
{
	switch (key) {
	case 'b':
		toggle_targets(top);
		break;
	case 'c':
		clear_filters(top);
		break;
	case 'f':
		prompt_begin(&top->prompt, PROMPT_REGEX,
			     top->filter->has_regex ? top->filter->pattern : "");
		break;
	case 'g':
	case 'p':
		ask_guest(top);
		break;
	case 'o':
		toggle_order(top);
		break;
	case 'x':
		top->children = !top->children;
		if (!(top->sources & SOURCES_TRACEPOINTS))
			top_message(top, "Only tracepoints have exit reasons. Start top with -t.");
		model_update(top);
		break;
	default:
		/* As in kvm_stat, any other key reads the statistics now. */
		top->deadline = 0;
	}
}
