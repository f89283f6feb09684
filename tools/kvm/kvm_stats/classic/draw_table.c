// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>

#include "classic/draw_table.h"
#include "top/layout.h"
#include "top/number.h"

static struct top_layout layout_of(int columns)
{
	/* Like kvm_stat, leave the first column empty on a wide screen. */
	struct top_layout layout = layout_table(columns > 40 ? columns - 1 : columns);

	if (columns > 40)
		layout.name++;
	return layout;
}

static int indent(int columns)
{
	return columns > 40;
}

static void fill(int y, int x, int width, int attributes)
{
	for (; width > 0; width--, x++)
		draw_text(y, x, 1, attributes, " ");
}

static void draw_cells(int y, const struct top_layout *layout, int attributes, const char *total,
		       const char *share, const char *rate)
{
	int x = layout->name;

	draw_right(y, x, layout->total, attributes, total);
	x += layout->total;
	draw_right(y, x, layout->share, attributes, share);
	x += layout->share;
	draw_right(y, x, layout->rate, attributes, rate);
}

static int width_of(const struct top_layout *layout)
{
	return layout->name + layout->total + layout->share + layout->rate;
}

void draw_table_head(const struct classic *classic, int y, int columns)
{
	const struct classic_page *page = &classic->page[classic->depth];
	struct top_layout layout = layout_of(columns);
	const char *name = "Event";

	if (page->mode == CLASSIC_MEMBERS)
		name = page->scope.one_vmm ? "VM, vCPU" : "    PID Guest Name";
	fill(y, 0, width_of(&layout), A_STANDOUT);
	draw_text(y, indent(columns), layout.name - indent(columns), A_STANDOUT, name);
	draw_cells(y, &layout, A_STANDOUT, "Total", "%Total", "CurAvg/s");
}

/* ---- the values of a line ---- */

static void put_total(char *buf, const struct view_line *line, int width)
{
	if (line->has_unit)
		snprintf(buf, NUMBER_SIZE, "%s", line->amount);
	else
		number_count(buf, width - 1, line->value);
}

static void put_rate(char *buf, const struct view_line *line, int width)
{
	if (line->cleared)
		snprintf(buf, NUMBER_SIZE, "cleared");
	else if (line->kind == VIEW_GAUGES)
		snprintf(buf, NUMBER_SIZE, "-");
	else if (line->has_unit)
		snprintf(buf, NUMBER_SIZE, "%s", line->amount_rate);
	else
		number_rate(buf, width - 1, line->rate);
}

static void put_share(char *buf, const struct view_line *line)
{
	if (line->share < 0)
		*buf = '\0';
	else
		snprintf(buf, NUMBER_SIZE, "%.1f", line->share);
}

static void draw_numbers(int y, const struct top_layout *layout, int attributes,
			 const struct view_line *line)
{
	char total[NUMBER_SIZE], share[NUMBER_SIZE], rate[NUMBER_SIZE];

	put_total(total, line, layout->total);
	put_share(share, line);
	put_rate(rate, line, layout->rate);
	draw_cells(y, layout, attributes, total, share, rate);
}

/* ---- lines ---- */

/* Lines that do not change are dim. */
static int attributes_of(const struct view_line *line, bool cursor)
{
	int attributes = cursor ? A_REVERSE : 0;

	if (line->unreadable)
		return attributes | draw_color(DRAW_ERROR);
	if (line->cleared)
		return attributes | A_BOLD | draw_color(DRAW_CLEARED);
	if (line->appeared)
		return attributes | draw_color(DRAW_APPEARED);
	if (!line->delta && line->kind != VIEW_GAUGES && !cursor)
		attributes |= A_DIM;
	return attributes;
}

static void draw_line(const struct view_line *line, int y, int columns, bool cursor)
{
	struct top_layout layout = layout_of(columns);
	int attributes = attributes_of(line, cursor);
	int x = indent(columns) + (line->child ? 2 : 0);

	if (cursor)
		fill(y, 0, width_of(&layout), attributes);
	draw_text(y, x, layout.name - x, attributes, line->name);
	if (line->unreadable)
		draw_cells(y, &layout, attributes, "no statistics", "", "");
	else
		draw_numbers(y, &layout, attributes, line);
}

void draw_table(struct classic *classic, struct area area)
{
	struct classic_page *page = classic_page(classic);
	int i;

	if (page->at >= classic->view.lines)
		page->at = classic->view.lines ? classic->view.lines - 1 : 0;
	page->first = draw_first(page->first, page->at, classic->view.lines, area.rows);
	for (i = 0; i < area.rows && page->first + i < classic->view.lines; i++) {
		size_t at = page->first + i;

		draw_line(&classic->view.line[at], area.y + i, area.columns,
			  page->cursor && at == page->at);
	}
}

void draw_table_sum(const struct classic *classic, int y, int columns)
{
	struct top_layout layout = layout_of(columns);
	struct view_line sum = classic->view.sum;

	draw_text(y, indent(columns), layout.name - indent(columns), A_BOLD, sum.name);
	draw_numbers(y, &layout, A_BOLD, &sum);
}
