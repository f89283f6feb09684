// SPDX-License-Identifier: GPL-2.0-only
/* The view of kvm_stat: its keys, and its filters of guests and statistics. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages/fds.h"
#include "options/filter.h"
#include "top/screen.h"

/* ---- pages ---- */

/* Tracepoints of the whole machine cannot be split by guest. */
static bool has_members(struct top *top)
{
	const struct monitor *monitor = top->monitor;

	if (page_has_ended(top, top_page(top))) {
		top_message(top, "This guest, VM or vCPU has ended. Press Left to go back.");
		return false;
	}
	if (top_page(top)->scope.one_target) {
		top_message(top, "This is a single VM or vCPU. Press Left to go back.");
		return false;
	}
	if (monitor->vmms && !vmm_key(monitor->vmm[0]) && !(top->sources & ~SOURCES_TRACEPOINTS)) {
		top_message(top, "Tracepoints count all guests together. "
			    "Press 'g' to choose one.");
		return false;
	}
	return true;
}

/* Replaces the page on the screen. */
static int set_page(struct top *top, enum page_kind kind, struct top_scope scope)
{
	struct page *page = top_page(top);

	page_free(page);
	page->kind = kind;
	page->scope = scope;
	return model_update(top);
}

static int toggle_members(struct top *top)
{
	struct page *page = top_page(top);

	if (!has_members(top))
		return 0;
	return set_page(top, page->kind == PAGE_EVENTS ? PAGE_MEMBERS : PAGE_EVENTS, page->scope);
}

int kvm_stat_open(struct top *top, const struct line *line)
{
	struct page *page = top_page(top);

	if (page_has_ended(top, page))
		return 0;
	if (page->kind == PAGE_MEMBERS)
		return model_push(top, line->scope.one_target ? PAGE_EVENTS : PAGE_MEMBERS,
				  &line->scope, line->scope.one_target ? "" : page->stat);
	if (line->group == GROUP_HISTOGRAMS)
		return model_push(top, PAGE_HISTOGRAM, &page->scope, line->stat);
	return has_members(top) ? model_push(top, PAGE_MEMBERS, &page->scope, line->stat) : 0;
}

/* ---- filters ---- */

/* Opens a new monitor, after the filter selects other processes or guests. */
static int restart(struct top *top)
{
	draw_now("Updating the filter...");
	model_close(top);
	while (top->depth)
		model_pop(top);
	top->scope = top->page[0].scope;
	top->sample_now = true;
	return model_open(top) ? 0 : -ECANCELED;
}

static int apply_regex(struct top *top)
{
	draw_now("Updating the filter...");
	monitor_select(top->monitor);
	return model_update(top);
}

static int watch_only(struct top *top, pid_t pid, const char *guest)
{
	if (!filter_set_pid(top->filter, pid) || !filter_set_guest(top->filter, guest))
		return -ENOMEM;
	top->prompt.kind = PROMPT_NONE;
	*top->guest = '\0';
	top->awaiting_guest = false;
	page_free(&top->page[0]);
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

	if (monitor->named.count == 1 && monitor->vmms == 1 && monitor->vmm[0]->guest)
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

void kvm_stat_free_choices(struct top *top)
{
	free(top->choice);
	top->choice = NULL;
	top->choices = 0;
}

/* Opens a monitor that finds all VMMs, or one, and opens no statistics: no vCPU has this ID. */
static struct monitor *find_vmms(struct filter *filter, pid_t pid)
{
	struct monitor_options options = { .filter = filter, .sources = SOURCES_FD };
	struct filter_range no_vcpu = { INT_MAX, INT_MAX };
	struct monitor *monitor = NULL;

	if (pid && !filter_add_pid(filter, pid))
		return NULL;
	return !filter_add_vcpus(filter, no_vcpu) || monitor_open(&monitor, &options) ? NULL :
										       monitor;
}

static int ask_guest(struct top *top)
{
	struct filter filter = { 0 };
	struct monitor *monitor = find_vmms(&filter, 0);
	size_t i, vmms = monitor ? monitor->vmms : 0;

	kvm_stat_free_choices(top);
	prompt_begin(&top->prompt, PROMPT_GUEST, "");
	top->choice = calloc(vmms + 1, sizeof(*top->choice));
	for (i = 0; top->choice && i < vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];
		struct guest_choice *choice = &top->choice[top->choices++];

		choice->pid = vmm->pid;
		choice->named = vmm->guest;
		snprintf(choice->name, sizeof(choice->name), "%s",
			 vmm->guest ? vmm->guest : vmm->comm);
	}
	monitor_close(monitor);
	filter_free(&filter);
	return top->choice ? 0 : -ENOMEM;
}

/* Returns 0, or why process @pid cannot be watched: -errno. */
static int check_pid(pid_t pid)
{
	struct filter filter = { 0 };
	struct monitor *monitor = find_vmms(&filter, pid);
	int err = -ENODEV;

	if (monitor)
		err = monitor->named.process[0].err;
	monitor_close(monitor);
	filter_free(&filter);
	return err;
}

static int apply_pid(struct top *top, const char *text)
{
	struct filter filter = { 0 };
	pid_t pid = filter_option(&filter, 'p', text) ? filter.pid[0] : 0;
	int err = pid ? check_pid(pid) : 0;

	filter_free(&filter);
	if (pid && !err)
		return watch_only(top, pid, NULL);
	if (pid)
		explain_fds(pid, NULL, err);
	top_errors(top->prompt.error, sizeof(top->prompt.error));
	top->prompt.error[strcspn(top->prompt.error, "\n")] = '\0';
	return 0;
}

static int apply_guest(struct top *top)
{
	char text[PROMPT_SIZE];
	size_t i;

	snprintf(text, sizeof(text), "%s", top->prompt.text);
	if (!*text || !strcmp(text, "0"))
		return watch_only(top, 0, NULL);
	for (i = 0; i < top->choices; i++) {
		if (top->choice[i].named && !strcmp(top->choice[i].name, text))
			return watch_only(top, 0, text);
	}
	if (isdigit((unsigned char)*text) && !text[strspn(text, "0123456789")])
		return apply_pid(top, text);
	snprintf(top->prompt.error, sizeof(top->prompt.error), "no guest is named '%.100s'", text);
	return 0;
}

int kvm_stat_answer(struct top *top)
{
	if (top->prompt.kind == PROMPT_GUEST)
		return apply_guest(top);
	if (!filter_set_regex(top->filter, top->prompt.text)) {
		top_errors(top->prompt.error, sizeof(top->prompt.error));
		top->prompt.error[strcspn(top->prompt.error, "\n")] = '\0';
		return 0;
	}
	top->prompt.kind = PROMPT_NONE;
	return apply_regex(top);
}

/* ---- keys ---- */

static int toggle_past(struct top *top)
{
	top->counts_growth = !top->counts_growth;
	top_message(top, top->counts_growth ? "Totals since the start of top or the last reset" :
		    "Totals since VM creation");
	return model_update(top);
}

static int toggle_order(struct top *top)
{
	struct order *order = &top->order[PAGE_EVENTS];

	order->column = order->column == COLUMN_RATE ? COLUMN_VALUE : COLUMN_RATE;
	top->order[PAGE_MEMBERS] = *order;
	top_message(top, "Sorted by %s", order->column == COLUMN_RATE ? "CurAvg/s" : "Total");
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
	case 'i':
		return toggle_past(top);
	case 'o':
		return toggle_order(top);
	case 'r':
		top_message(top, "Totals count from now on");
		return model_reset(top);
	case 'x':
		return toggle_children(top);
	}
	/* As in kvm_stat, any other key reads the statistics now. */
	top->sample_now = true;
	return 0;
}
