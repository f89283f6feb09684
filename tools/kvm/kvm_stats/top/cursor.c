// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "top/cursor.h"

#define FAR	(1l << 30)

static void select_line(struct top *top)
{
	struct page *page = top_page(top);

	page->selected = page->kind != PAGE_HISTOGRAM && page->at < top_lines(top);
	if (!page->selected)
		return;
	if (page->kind != PAGE_STATISTICS)
		page->selected_scope = top->table.line[page->at].scope;
	snprintf(page->selected_name, sizeof(page->selected_name), "%s",
		 top_line_name(top, page->at));
}

static void move_cursor(struct top *top, long by)
{
	struct page *page = top_page(top);
	long lines = (long)top_lines(top);
	long at = (long)page->at + by;

	if (at >= lines)
		at = lines - 1;
	page->at = at > 0 ? (size_t)at : 0;
	select_line(top);
}

bool cursor_key(struct top *top, int key)
{
	long height = top->rows > 1 ? top->rows - 1 : 1;

	switch (key) {
	case KEY_UP:
	case 'k':
		move_cursor(top, -1);
		return true;
	case KEY_DOWN:
	case 'j':
		move_cursor(top, 1);
		return true;
	case KEY_PPAGE:
		move_cursor(top, -height);
		return true;
	case KEY_NPAGE:
		move_cursor(top, height);
		return true;
	case KEY_HOME:
		move_cursor(top, -FAR);
		return true;
	case KEY_END:
		move_cursor(top, FAR);
		return true;
	}
	return false;
}

bool cursor_search(struct top *top, size_t from)
{
	size_t lines = top_lines(top);
	size_t i;

	for (i = 0; *top->search && i < lines; i++) {
		size_t at = (from + i) % lines;

		if (!strcasestr(top_line_name(top, at), top->search))
			continue;
		top_page(top)->at = at;
		select_line(top);
		return true;
	}
	return false;
}
