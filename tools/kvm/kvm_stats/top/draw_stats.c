// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "top/draw_stats.h"
#include "top/number.h"

#define VALUE		15
#define RATE		11
#define SHORTEST_NAME	16
#define LONGEST_NAME	44
#define HISTORY		60
#define SHORTEST_HISTORY 10
#define SHORTEST_MEANING 24

/* Widths with the space before each column; 0: the column does not fit. */
struct stat_layout {
	int name;
	int value;
	int rate;
	int history;
	int meaning;
};

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static bool has_meanings(const struct top *top)
{
	size_t i;

	for (i = 0; i < top->stats.lines; i++) {
		if (*top->stats.line[i].meaning)
			return true;
	}
	return false;
}

static int longest_name(const struct top *top)
{
	int longest = SHORTEST_NAME;
	size_t i;

	for (i = 0; i < top->stats.lines; i++) {
		int len = (int)strlen(top->stats.line[i].view.name) + 2;

		longest = len > longest ? len : longest;
	}
	return smaller(longest, LONGEST_NAME);
}

static struct stat_layout layout_of(const struct top *top, int columns)
{
	struct stat_layout layout = { .name = smaller(columns, SHORTEST_NAME) };
	int left = columns - layout.name;
	int wanted = longest_name(top) - layout.name;

	if (left >= RATE) {
		layout.rate = RATE;
		left -= RATE;
	}
	if (layout.rate && left >= VALUE) {
		layout.value = VALUE;
		left -= VALUE;
	}
	wanted = smaller(wanted, left);
	layout.name += wanted > 0 ? wanted : 0;
	left -= wanted > 0 ? wanted : 0;
	if (left < SHORTEST_HISTORY)
		return layout;
	if (has_meanings(top) && left >= SHORTEST_HISTORY + SHORTEST_MEANING) {
		layout.history = smaller(left / 3, HISTORY + 2);
		layout.meaning = left - layout.history;
	} else {
		layout.history = smaller(left, HISTORY + 2);
	}
	return layout;
}

void draw_stats_head(const struct top *top, int y, int columns)
{
	struct stat_layout layout = layout_of(top, columns);
	int sorted[STAT_COLUMNS] = { A_STANDOUT, A_STANDOUT, A_STANDOUT };
	int x = layout.name;

	sorted[top->stat_order.column] |= A_BOLD | A_UNDERLINE;
	draw_spaces(y, 0, columns, A_STANDOUT);
	draw_text(y, 0, layout.name, sorted[STAT_NAME], "Statistic");
	draw_right(y, x, layout.value, sorted[STAT_VALUE], "Value");
	x += layout.value;
	draw_right(y, x, layout.rate, sorted[STAT_RATE], "Per second");
	x += layout.rate;
	draw_text(y, x + 2, layout.history - 2, A_STANDOUT, "Last minute");
	x += layout.history;
	draw_text(y, x + 1, layout.meaning - 1, A_STANDOUT, "Meaning");
}

static void put_value(char *buf, const struct view_line *line)
{
	if (line->has_unit)
		snprintf(buf, NUMBER_SIZE, "%s", line->amount);
	else
		number_count(buf, VALUE - 1, line->value);
}

static void put_rate(char *buf, const struct view_line *line)
{
	if (line->cleared)
		snprintf(buf, NUMBER_SIZE, "reset");
	else if (line->kind == VIEW_GAUGES)
		snprintf(buf, NUMBER_SIZE, "-");
	else if (line->has_unit)
		snprintf(buf, NUMBER_SIZE, "%s", line->amount_rate);
	else
		number_rate(buf, RATE - 1, line->rate);
}

static int attributes_of(const struct view_line *line, bool cursor)
{
	if (cursor)
		return A_REVERSE;
	if (line->cleared)
		return A_BOLD | draw_color(DRAW_CLEARED);
	return !line->delta && line->kind != VIEW_GAUGES ? A_DIM : 0;
}

static void draw_history(const struct top *top, const struct history *history, int y, int x,
			 int width, int attributes)
{
	char text[CELL_SIZE];

	if (!history || width <= 0)
		return;
	history_draw(text, sizeof(text), history, top->monitor->time, width, top->utf8);
	draw_text(y, x, width, attributes, text);
}

static void draw_line(const struct top *top, const struct stat_layout *layout, int y,
		      const struct stat_line *line, bool cursor, int columns)
{
	int attributes = attributes_of(&line->view, cursor);
	int indent = line->view.child ? 2 : 0;
	char value[NUMBER_SIZE], rate[NUMBER_SIZE];
	int x = layout->name;

	put_value(value, &line->view);
	put_rate(rate, &line->view);
	draw_spaces(y, 0, cursor ? columns : 0, attributes);
	draw_text(y, indent, layout->name - indent, attributes, line->view.name);
	draw_right(y, x, layout->value, attributes, value);
	x += layout->value;
	draw_right(y, x, layout->rate, attributes, rate);
	x += layout->rate;
	draw_history(top, stat_lines_history(&top->stats, &line->view), y, x + 2,
		     layout->history - 2, attributes);
	x += layout->history;
	draw_text(y, x + 1, layout->meaning - 1, attributes, line->meaning);
}

void draw_stats(const struct top *top, struct area area)
{
	struct stat_layout layout = layout_of(top, area.columns);
	const struct page *page = &top->page[top->depth];
	int i;

	for (i = 0; i < area.rows && page->first + (size_t)i < top->stats.lines; i++) {
		size_t at = page->first + (size_t)i;

		draw_line(top, &layout, area.y + i, &top->stats.line[at], at == page->at,
			  area.columns);
	}
}
