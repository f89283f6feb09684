// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "classic/keys.h"
#include "classic/settings.h"
#include "classic/watch.h"

#define ESCAPE	27

/* ---- pages ---- */

static int push_page(struct classic *classic, struct classic_page page)
{
	if (classic->depth + 1 == CLASSIC_DEPTH)
		return 0;
	classic->page[++classic->depth] = page;
	return watch_update_view(classic);
}

static bool has_ended(const struct classic *classic, const struct classic_page *page)
{
	return page->scope.one_vmm && !scope_vmm(&page->scope, classic->monitor);
}

static int pop_page(struct classic *classic)
{
	struct classic_page *page = classic_page(classic);

	if (classic->depth) {
		do {
			classic->depth--;
		} while (classic->depth && has_ended(classic, classic_page(classic)));
		return watch_update_view(classic);
	}
	if (page->mode == CLASSIC_MEMBERS)
		*page = (struct classic_page){ .mode = CLASSIC_STATISTICS };
	return watch_update_view(classic);
}

/* Tracepoints of the whole machine cannot be split by guest. */
static bool has_members(struct classic *classic)
{
	const struct monitor *monitor = classic->monitor;

	if (classic_page(classic)->scope.one_target) {
		classic_message(classic, "This is a single VM or vCPU. Press Left to go back.");
		return false;
	}
	if (monitor->vmms && !vmm_key(monitor->vmm[0]) &&
	    !(monitor->options.sources & ~SOURCES_TRACEPOINTS)) {
		classic_message(classic, "Tracepoints count all guests together. "
				"Press 'g' to choose one.");
		return false;
	}
	return true;
}

static int toggle_members(struct classic *classic)
{
	struct classic_page *page = classic_page(classic);
	bool members = page->mode == CLASSIC_MEMBERS;

	if (classic->ended) {
		classic_message(classic, "This guest, VM or vCPU has ended. "
				"Press Left to go back.");
		return 0;
	}
	if (!members && !has_members(classic))
		return 0;
	*page = (struct classic_page){
		.mode = members ? CLASSIC_STATISTICS : CLASSIC_MEMBERS,
		.scope = page->scope,
	};
	return watch_update_view(classic);
}

static int open_member(struct classic *classic, const struct view_line *line)
{
	struct classic_page page = { .scope = line->scope };

	page.mode = line->scope.one_target ? CLASSIC_STATISTICS : CLASSIC_MEMBERS;
	if (!line->scope.one_target)
		memcpy(page.stat, classic_page(classic)->stat, sizeof(page.stat));
	return push_page(classic, page);
}

static int open_statistic(struct classic *classic, const struct view_line *line)
{
	struct classic_page page = {
		.mode = CLASSIC_MEMBERS,
		.scope = classic_page(classic)->scope,
	};

	if (line->kind == VIEW_HISTOGRAMS)
		page.mode = CLASSIC_BARS;
	else if (!has_members(classic))
		return 0;
	memcpy(page.stat, line->stat, sizeof(page.stat));
	return push_page(classic, page);
}

static int open_line(struct classic *classic)
{
	struct classic_page *page = classic_page(classic);

	if (page->mode == CLASSIC_BARS || classic->ended || page->at >= classic->view.lines)
		return 0;
	if (!page->cursor) {
		page->cursor = true;
		return 0;
	}
	if (page->mode == CLASSIC_MEMBERS)
		return open_member(classic, &classic->view.line[page->at]);
	return open_statistic(classic, &classic->view.line[page->at]);
}

/* ---- the cursor ---- */

static void move_cursor(struct classic *classic, long by)
{
	struct classic_page *page = classic_page(classic);
	long lines = (long)(page->mode == CLASSIC_BARS ? classic->bars.bars : classic->view.lines);
	long at = (long)page->at;

	if (page->cursor || page->mode == CLASSIC_BARS)
		at += by;
	page->cursor = page->mode != CLASSIC_BARS;
	if (at >= lines)
		at = lines - 1;
	page->at = at > 0 ? (size_t)at : 0;
}

static bool is_cursor_key(struct classic *classic, int key)
{
	long height = classic->rows > 1 ? classic->rows - 1 : 1;
	long far = 1l << 30;

	switch (key) {
	case KEY_UP:
		move_cursor(classic, -1);
		return true;
	case KEY_DOWN:
		move_cursor(classic, 1);
		return true;
	case KEY_PPAGE:
		move_cursor(classic, -height);
		return true;
	case KEY_NPAGE:
		move_cursor(classic, height);
		return true;
	case KEY_HOME:
		move_cursor(classic, -far);
		return true;
	case KEY_END:
		move_cursor(classic, far);
		return true;
	}
	return false;
}

/* ---- all keys ---- */

static int reset(struct classic *classic)
{
	classic->include_past = false;
	classic_message(classic, "Totals count from now on");
	return watch_reset(classic);
}

static int toggle_include_past(struct classic *classic)
{
	classic->include_past = !classic->include_past;
	classic_message(classic, classic->include_past ? "Totals since VM creation" :
		    "Totals since the start of top or the last reset");
	return watch_update_view(classic);
}

static int toggle_order(struct classic *classic)
{
	classic->by_total = !classic->by_total;
	classic_message(classic, "Sorted by %s", classic->by_total ? "Total" : "CurAvg/s");
	return watch_update_view(classic);
}

static int toggle_children(struct classic *classic)
{
	classic->children = !classic->children;
	if (!(classic->monitor->options.sources & SOURCES_TRACEPOINTS))
		classic_message(classic, "Only tracepoints have exit reasons. Start top with -t.");
	return watch_update_view(classic);
}

static int handle_key(struct classic *classic, int key)
{
	switch (key) {
	case 'b':
		return toggle_members(classic);
	case 'c':
		return settings_clear_filters(classic);
	case 'f':
		prompt_begin(&classic->prompt, PROMPT_REGEX, "");
		return 0;
	case 'g':
	case 'p':
		return settings_ask_guest(classic);
	case 'h':
	case '?':
		classic->help = true;
		return 0;
	case 'i':
		return toggle_include_past(classic);
	case 'o':
		return toggle_order(classic);
	case 'q':
		classic->quit = true;
		return 0;
	case 'r':
		return reset(classic);
	case 's':
		prompt_begin(&classic->prompt, PROMPT_DELAY, "");
		return 0;
	case 'x':
		return toggle_children(classic);
	case '\r':
	case '\n':
	case KEY_ENTER:
	case KEY_RIGHT:
		return open_line(classic);
	case KEY_LEFT:
	case KEY_BACKSPACE:
	case 0x7f:
	case ESCAPE:
		return pop_page(classic);
	case KEY_RESIZE:
		return 0;
	}
	if (!is_cursor_key(classic, key))
		classic->sample_now = true;
	return 0;
}

int keys_read(struct classic *classic)
{
	int err = 0;
	int key;

	while (!err && !classic->quit && (key = getch()) != ERR) {
		if (classic->help)
			classic->help = false;
		else if (classic->prompt.kind)
			err = settings_prompt_key(classic, key);
		else
			err = handle_key(classic, key);
	}
	return err;
}
