// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <string.h>

#include "top/column_layout.h"
#include "top/draw_columns.h"
#include "top/sorting.h"
#include "top/text.h"

#define SHORTEST_PROBLEM	30

static int longest_name(const struct top *top)
{
	char buf[CELL_SIZE];
	int longest = 0;
	size_t i;

	for (i = 0; i < top->table.lines; i++) {
		int cells = text_fit(buf, sizeof(buf), top->table.line[i].name, CELL_SIZE);

		longest = cells > longest ? cells : longest;
	}
	return longest;
}

static struct column_layout layout_of(const struct top *top, int columns)
{
	return column_layout(sorting_columns(top), top->skipped_columns, columns,
			     longest_name(top));
}

/* ---- the heading ---- */

static const char *heading(const struct top *top, enum column_id id, bool wide)
{
	if (id == COLUMN_NAME && top->page[top->depth].kind == PAGE_PARTS)
		return "VM, vCPU";
	return wide ? column_types[id].wide_heading : column_types[id].heading;
}

void draw_columns_head(const struct top *top, int y, int columns)
{
	struct column_layout layout = layout_of(top, columns);
	enum column_id sorted = top->order[top->page[top->depth].kind].column;
	size_t i;

	draw_spaces(y, 0, columns, A_STANDOUT);
	for (i = 0; i < layout.places; i++) {
		const struct column_place *place = &layout.place[i];
		const char *text = heading(top, place->id, layout.wide);
		int attributes = A_STANDOUT | (place->id == sorted ? A_BOLD | A_UNDERLINE : 0);

		if (column_types[place->id].left)
			draw_text(y, place->x, place->width, attributes, text);
		else
			draw_right(y, place->x, place->width, attributes, text);
	}
	if (layout.hidden && columns > 30)
		draw_right(y, columns - 1, 1, A_STANDOUT, ">");
}

/* ---- lines ---- */

static int load_color(enum column_id id, const struct table_line *line)
{
	switch (column_load(id, line)) {
	case LOAD_HIGH:
		return draw_color(DRAW_HIGH);
	case LOAD_CRITICAL:
		return draw_color(DRAW_CRITICAL) | A_BOLD;
	default:
		return 0;
	}
}

static int line_attributes(const struct table_line *line, bool cursor)
{
	int attributes = cursor ? A_REVERSE : 0;

	if (*line->problem)
		return attributes | draw_color(DRAW_ERROR);
	if (line->appeared)
		attributes |= draw_color(DRAW_APPEARED);
	return attributes | (line->sum ? A_BOLD : 0);
}

static void draw_cell(const struct top *top, const struct table_line *line, int y,
		      const struct column_place *place, int attributes)
{
	struct column_context context = { .now = top->monitor->time, .utf8 = top->utf8 };
	char text[CELL_SIZE];

	column_format(text, place->id, line, place->width, &context);
	if (!(attributes & A_REVERSE) && !*line->problem)
		attributes |= load_color(place->id, line);
	if (column_types[place->id].left)
		draw_text(y, place->x, place->width, attributes, text);
	else
		draw_right(y, place->x, place->width, attributes, text);
}

/* The columns of KVM's statistics. Times of vCPUs and memory come from /proc. */
static bool needs_statistics(enum column_id id)
{
	return id >= COLUMN_EXITS && id != COLUMN_MEMORY;
}

/*
 * Returns where the reason why a guest cannot be read starts: at the first of these columns, and of
 * the times of vCPUs if @times is set. Without any of them, it is next to the name.
 */
static int start_of_problem(const struct column_layout *layout, bool times)
{
	size_t i;

	for (i = 1; i < layout->places; i++) {
		enum column_id id = layout->place[i].id;

		if (needs_statistics(id) || (times && id >= COLUMN_GUEST))
			return layout->place[i].x;
	}
	return layout->place[0].width + 1;
}

/*
 * The reason also replaces the times of the vCPUs if they are unknown, or if it needs the space,
 * and the columns up to its end.
 */
static void draw_problem(const struct top *top, const struct column_layout *layout, int y,
			 const struct table_line *line, int columns, int attributes)
{
	bool times = line->figures.guest < 0 ||
		     columns - start_of_problem(layout, false) < SHORTEST_PROBLEM;
	int x = start_of_problem(layout, times);
	int end = x + (int)strlen(line->problem);
	size_t i;

	for (i = 0; i < layout->places; i++) {
		const struct column_place *at = &layout->place[i];

		if (at->x < x || (at->x > end && !needs_statistics(at->id)))
			draw_cell(top, line, y, at, attributes);
	}
	draw_text(y, x, columns - x, attributes | A_BOLD, line->problem);
}

static void draw_line(const struct top *top, const struct column_layout *layout, int y,
		      const struct table_line *line, bool cursor, int columns)
{
	int attributes = line_attributes(line, cursor);
	size_t i;

	draw_spaces(y, 0, cursor ? columns : 0, attributes);
	if (*line->problem) {
		draw_problem(top, layout, y, line, columns, attributes);
		return;
	}
	for (i = 0; i < layout->places; i++)
		draw_cell(top, line, y, &layout->place[i], attributes);
}

void draw_columns(const struct top *top, struct area area)
{
	struct column_layout layout = layout_of(top, area.columns);
	const struct page *page = &top->page[top->depth];
	int i;

	for (i = 0; i < area.rows && page->first + (size_t)i < top->table.lines; i++) {
		size_t at = page->first + (size_t)i;

		draw_line(top, &layout, area.y + i, &top->table.line[at], at == page->at,
			  area.columns);
	}
}
