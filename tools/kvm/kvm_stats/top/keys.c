// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "top/answers.h"
#include "top/column_layout.h"
#include "top/cursor.h"
#include "top/keys.h"
#include "top/samples.h"
#include "top/sorting.h"

#define ESCAPE	27

/* ---- pages ---- */

static int push_page(struct top *top, const struct page *page)
{
	if (top->depth + 1 == PAGES)
		return 0;
	top->page[++top->depth] = *page;
	return samples_update_page(top);
}

static int pop_page(struct top *top)
{
	if (!top->depth) {
		if (*top->filter[PAGE_GUESTS].text)
			return answers_clear_filter(top);
		return 0;
	}
	top->depth--;
	return samples_update_page(top);
}

static int open_scope(struct top *top, const struct table_line *line)
{
	struct page page = { .kind = PAGE_STATISTICS, .scope = line->scope };

	/* The machine as a whole has no vCPUs, only tracepoints. */
	if (top_page(top)->kind == PAGE_GUESTS && !line->sum && line->scope.key)
		page.kind = PAGE_PARTS;
	return push_page(top, &page);
}

static int open_statistic(struct top *top, const struct view_line *line)
{
	struct page page = { .kind = PAGE_HISTOGRAM, .scope = top_page(top)->scope };

	if (line->kind != VIEW_HISTOGRAMS) {
		top_message(top, "Only histograms can be opened.");
		return 0;
	}
	memcpy(page.stat, line->stat, sizeof(page.stat));
	return push_page(top, &page);
}

static int open_line(struct top *top)
{
	const struct page *page = top_page(top);

	if (page->kind == PAGE_HISTOGRAM || page->at >= top_lines(top))
		return 0;
	if (page->kind == PAGE_STATISTICS)
		return open_statistic(top, &top->stats.line[page->at].view);
	return open_scope(top, &top->table.line[page->at]);
}

/* ---- settings ---- */

static int reset(struct top *top)
{
	top_message(top, "Values count from now on. Press 'i' for values since VM creation.");
	return samples_reset(top);
}

static int include_past(struct top *top)
{
	top_message(top, "Values count since the creation of the VM");
	return samples_include_past(top);
}

static int toggle_pause(struct top *top)
{
	top->paused = !top->paused;
	top->sample_now = !top->paused;
	return 0;
}

static int show_more_columns(struct top *top)
{
	top->skipped_columns = column_layout_next(sorting_columns(top), top->skipped_columns,
						  top->width);
	return 0;
}

static int choose_columns(struct top *top)
{
	top->choosing = top_page(top)->kind < PAGE_STATISTICS;
	top->choice = COLUMN_NAME + 1;
	if (!top->choosing)
		top_message(top, "The columns of this page cannot be changed.");
	return 0;
}

static int search_again(struct top *top)
{
	if (!*top->search)
		top_message(top, "Press '/' to search.");
	else if (!cursor_search(top, top_page(top)->at + 1))
		top_message(top, "No line contains '%s'", top->search);
	return 0;
}

static int ask(struct top *top, enum prompt_kind kind)
{
	answers_ask(top, kind);
	return 0;
}

static int show_help(struct top *top)
{
	top->help = true;
	return 0;
}

static int quit(struct top *top)
{
	top->quit = true;
	return 0;
}

/* ---- all keys ---- */

static int handle_setting(struct top *top, int key)
{
	switch (key) {
	case '/':
		return ask(top, PROMPT_SEARCH);
	case 'c':
		return choose_columns(top);
	case 'f':
		return ask(top, PROMPT_FILTER);
	case 'i':
		return include_past(top);
	case 'n':
		return search_again(top);
	case 'r':
		return reset(top);
	case 's':
		return ask(top, PROMPT_INTERVAL);
	case '\t':
		return show_more_columns(top);
	case ' ':
		return toggle_pause(top);
	}
	if (!cursor_key(top, key) && key != KEY_RESIZE && !sorting_key(top, key))
		top_message(top, "This key has no meaning. Press 'h' for help.");
	return samples_update_page(top);
}

static int handle_key(struct top *top, int key)
{
	switch (key) {
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
	case '<':
	case ',':
		sorting_move(top, -1);
		return samples_update_page(top);
	case '>':
	case '.':
		sorting_move(top, 1);
		return samples_update_page(top);
	case '-':
		sorting_reverse(top);
		return samples_update_page(top);
	case 'h':
	case '?':
		return show_help(top);
	case 'q':
		return quit(top);
	}
	return handle_setting(top, key);
}

int top_read_keys(struct top *top)
{
	int err = 0;
	int key;

	while (!err && !top->quit && (key = getch()) != ERR) {
		if (top->help)
			top->help = false;
		else if (top->prompt.kind)
			err = answers_key(top, key);
		else if (top->choosing)
			sorting_choose(top, key);
		else
			err = handle_key(top, key);
	}
	return err;
}
