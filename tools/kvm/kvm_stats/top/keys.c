// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "top/keys.h"
#include "top/settings.h"
#include "top/watch.h"

#define ESCAPE	27

/* ---- pages ---- */

static int push_page(struct top *top, struct top_page page)
{
	if (top->depth + 1 == TOP_DEPTH)
		return 0;
	top->page[++top->depth] = page;
	return watch_update_view(top);
}

static bool has_ended(const struct top *top, const struct top_page *page)
{
	return page->scope.one_vmm && !scope_vmm(&page->scope, top->monitor);
}

static int pop_page(struct top *top)
{
	struct top_page *page = top_page(top);

	if (top->depth) {
		do {
			top->depth--;
		} while (top->depth && has_ended(top, top_page(top)));
		return watch_update_view(top);
	}
	if (page->mode == TOP_MEMBERS)
		*page = (struct top_page){ .mode = TOP_STATISTICS };
	return watch_update_view(top);
}

/* Tracepoints of the whole machine cannot be split by guest. */
static bool has_members(struct top *top)
{
	const struct monitor *monitor = top->monitor;

	if (top_page(top)->scope.one_target) {
		top_message(top, "This is a single VM or vCPU. Press Left to go back.");
		return false;
	}
	if (monitor->vmms && !monitor->vmm[0]->pid &&
	    !(monitor->options.sources & ~SOURCES_TRACEPOINTS)) {
		top_message(top, "Tracepoints count all guests together. Press 'g' to choose one.");
		return false;
	}
	return true;
}

static int toggle_members(struct top *top)
{
	struct top_page *page = top_page(top);
	bool members = page->mode == TOP_MEMBERS;

	if (top->ended) {
		top_message(top, "This guest, VM or vCPU has ended. Press Left to go back.");
		return 0;
	}
	if (!members && !has_members(top))
		return 0;
	*page = (struct top_page){
		.mode = members ? TOP_STATISTICS : TOP_MEMBERS,
		.scope = page->scope,
	};
	return watch_update_view(top);
}

static int open_member(struct top *top, const struct view_line *line)
{
	struct top_page page = { .scope = line->scope };

	page.mode = line->scope.one_target ? TOP_STATISTICS : TOP_MEMBERS;
	if (!line->scope.one_target)
		memcpy(page.stat, top_page(top)->stat, sizeof(page.stat));
	return push_page(top, page);
}

static int open_statistic(struct top *top, const struct view_line *line)
{
	struct top_page page = { .mode = TOP_MEMBERS, .scope = top_page(top)->scope };

	if (line->kind == VIEW_HISTOGRAMS)
		page.mode = TOP_BARS;
	else if (!has_members(top))
		return 0;
	memcpy(page.stat, line->stat, sizeof(page.stat));
	return push_page(top, page);
}

static int open_line(struct top *top)
{
	struct top_page *page = top_page(top);

	if (page->mode == TOP_BARS || top->ended || page->at >= top->view.lines)
		return 0;
	if (!page->cursor) {
		page->cursor = true;
		return 0;
	}
	if (page->mode == TOP_MEMBERS)
		return open_member(top, &top->view.line[page->at]);
	return open_statistic(top, &top->view.line[page->at]);
}

/* ---- the cursor ---- */

static void move_cursor(struct top *top, long by)
{
	struct top_page *page = top_page(top);
	long lines = (long)(page->mode == TOP_BARS ? top->bars.bars : top->view.lines);
	long at = (long)page->at;

	if (page->cursor || page->mode == TOP_BARS)
		at += by;
	page->cursor = page->mode != TOP_BARS;
	if (at >= lines)
		at = lines - 1;
	page->at = at > 0 ? (size_t)at : 0;
}

static bool is_cursor_key(struct top *top, int key)
{
	long height = top->rows > 1 ? top->rows - 1 : 1;
	long far = 1l << 30;

	switch (key) {
	case KEY_UP:
		move_cursor(top, -1);
		return true;
	case KEY_DOWN:
		move_cursor(top, 1);
		return true;
	case KEY_PPAGE:
		move_cursor(top, -height);
		return true;
	case KEY_NPAGE:
		move_cursor(top, height);
		return true;
	case KEY_HOME:
		move_cursor(top, -far);
		return true;
	case KEY_END:
		move_cursor(top, far);
		return true;
	}
	return false;
}

/* ---- all keys ---- */

static int reset(struct top *top)
{
	top->include_past = false;
	top_message(top, "Totals count from now on");
	return watch_reset(top);
}

static int toggle_include_past(struct top *top)
{
	top->include_past = !top->include_past;
	top_message(top, top->include_past ? "Totals since VM creation" :
		    "Totals since the start of top or the last reset");
	return watch_update_view(top);
}

static int toggle_order(struct top *top)
{
	top->by_total = !top->by_total;
	top_message(top, "Sorted by %s", top->by_total ? "Total" : "CurAvg/s");
	return watch_update_view(top);
}

static int toggle_children(struct top *top)
{
	top->children = !top->children;
	if (!(top->monitor->options.sources & SOURCES_TRACEPOINTS))
		top_message(top, "Only tracepoints have exit reasons. Start top with -t.");
	return watch_update_view(top);
}

static int handle_key(struct top *top, int key)
{
	switch (key) {
	case 'b':
		return toggle_members(top);
	case 'c':
		return settings_clear_filters(top);
	case 'f':
		prompt_begin(&top->prompt, PROMPT_REGEX);
		return 0;
	case 'g':
	case 'p':
		return settings_ask_guest(top);
	case 'h':
	case '?':
		top->help = true;
		return 0;
	case 'i':
		return toggle_include_past(top);
	case 'o':
		return toggle_order(top);
	case 'q':
		top->quit = true;
		return 0;
	case 'r':
		return reset(top);
	case 's':
		prompt_begin(&top->prompt, PROMPT_DELAY);
		return 0;
	case 'x':
		return toggle_children(top);
	case '\r':
	case '\n':
	case KEY_ENTER:
	case KEY_RIGHT:
		return open_line(top);
	case KEY_LEFT:
	case KEY_BACKSPACE:
	case 0x7f:
	case ESCAPE:
		return pop_page(top);
	case KEY_RESIZE:
		return 0;
	}
	if (!is_cursor_key(top, key))
		top->sample_now = true;
	return 0;
}

int keys_read(struct top *top)
{
	int err = 0;
	int key;

	while (!err && !top->quit && (key = getch()) != ERR) {
		if (top->help)
			top->help = false;
		else if (top->prompt.kind)
			err = settings_prompt_key(top, key);
		else
			err = handle_key(top, key);
	}
	return err;
}
