// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "top/draw.h"
#include "top/draw_meter.h"
#include "top/draw_time.h"
#include "top/number.h"

/* ---- the bar ---- */

#define LEGEND		66	/* cells, with the space before it */
#define SHORTEST_BAR	50

static const struct {
	const char *cell;	/* in the bar; the name in the legend begins with it */
	const char *name;
	enum draw_color color;
} part_types[TIME_PARTS] = {
	[TIME_GUEST] = { "G", "Guest", DRAW_GUEST },
	[TIME_EXITS] = { "E", "Exits", DRAW_KERNEL },
	[TIME_VMM] = { "V", "VMM", DRAW_USER },
	[TIME_HALTED] = { "H", "Halted", DRAW_PLAIN },
	[TIME_WAITING] = { "W", "Waiting", DRAW_HIGH },
};

/* The legend is below the bar if it does not fit to the right of it. */
static int rows_of_bar(int columns)
{
	return columns < SHORTEST_BAR + LEGEND ? 2 : 1;
}

static void draw_legend(const struct vcpu_times *times, int y, int x, int columns)
{
	size_t i;

	for (i = 0; i < TIME_PARTS; i++) {
		char percent[NUMBER_SIZE], text[NUMBER_SIZE + 16];

		number_percent(percent, vcpu_times_mean(times, i));
		snprintf(text, sizeof(text), "%s %s%%", part_types[i].name + 1, percent);
		x += draw_text(y, x, columns - x, draw_color(part_types[i].color) | A_BOLD,
			       part_types[i].cell);
		x += draw_text(y, x, columns - x, 0, text) + 2;
	}
}

static void draw_bar(const struct vcpu_times *times, int y, int columns)
{
	struct meter_part part[TIME_PARTS];
	bool below = rows_of_bar(columns) > 1;
	size_t i;
	int x;

	for (i = 0; i < TIME_PARTS; i++)
		part[i] = (struct meter_part){
			vcpu_times_mean(times, i), part_types[i].color, part_types[i].cell };
	x = draw_meter(y, 0, below ? columns : columns - LEGEND, "Time ", part, TIME_PARTS, "");
	draw_legend(times, y + below, below ? (int)strlen("Time ") : x + 2, columns);
}

/* ---- classes of exits ---- */

#define GAP		2	/* between blocks */
#define NAME		16
#define RATE		9	/* with the space before it */
#define PERCENT		7
#define MEAN		7
#define NUMBERS		(RATE + PERCENT + MEAN)
#define WIDEST_NAME	(NAME + 8)

/* The list of classes is in several blocks next to each other, each of a name and its numbers. */
struct blocks {
	int count;
	int name;	/* width */
	int rows;	/* that all classes need */
};

static struct blocks blocks_of(const struct time_use *use, int columns)
{
	struct blocks blocks = { .count = (columns + GAP) / (NAME + NUMBERS + GAP) };

	if (!blocks.count)
		blocks.count = 1;
	blocks.name = (columns + GAP) / blocks.count - GAP - NUMBERS;
	if (blocks.name > WIDEST_NAME)
		blocks.name = WIDEST_NAME;
	blocks.rows = ((int)use->classes + blocks.count - 1) / blocks.count;
	return blocks;
}

static int x_of(const struct blocks *blocks, int i)
{
	return i * (blocks->name + NUMBERS + GAP);
}

static void draw_cells(int y, int x, int name, int attributes, const char * const *text)
{
	draw_text(y, x, name, attributes, text[0]);
	x += name;
	draw_right(y, x, RATE, attributes, text[1]);
	draw_right(y, x + RATE, PERCENT, attributes, text[2]);
	draw_right(y, x + RATE + PERCENT, MEAN, attributes, text[3]);
}

/* If not all classes fit, the heading of the first block says so. */
static void draw_head(const struct time_use *use, const struct blocks *blocks, int y, int x,
		      size_t shown)
{
	char name[64] = "Exits";
	const char *text[] = { name, "Per s", "Time %", "Mean" };

	if (!x && shown < use->classes)
		snprintf(name, sizeof(name), "Exits, %zu of %zu", shown, use->classes);
	draw_cells(y, x, blocks->name, A_BOLD, text);
}

static void draw_class(const struct class_use *class, const struct blocks *blocks, int y, int x,
		       bool utf8)
{
	char rate[NUMBER_SIZE], percent[NUMBER_SIZE], mean[NUMBER_SIZE] = "-";
	const char *text[] = { class->name, rate, percent, mean };

	number_rate(rate, RATE - 1, class->rate);
	number_percent(percent, class->percent);
	if (class->rate > 0)
		number_ns(mean, class->ns / class->rate, utf8);
	draw_cells(y, x, blocks->name, class->ns > 0 ? 0 : A_DIM, text);
}

static void draw_classes(const struct top *top, struct area area)
{
	const struct time_use *use = &top->time_use;
	struct blocks blocks = blocks_of(use, area.columns);
	int rows = area.rows - 1;
	size_t fitting = (size_t)(rows * blocks.count);
	size_t shown = fitting < use->classes ? fitting : use->classes;
	int i;

	for (i = 0; i < (int)shown; i++) {
		int x = x_of(&blocks, i / rows);

		if (i % rows == 0)
			draw_head(use, &blocks, area.y, x, shown);
		draw_class(&use->class[i], &blocks, area.y + 1 + i % rows, x, top->utf8);
	}
}

/* ---- both ---- */

static bool are_off(const struct top *top)
{
	return top->activities.exit_stats.state == EXITS_OFF;
}

static bool has_times(const struct top *top)
{
	enum page_kind kind = top->page[top->depth].kind;

	return (top->time_use.times.vcpus || are_off(top)) &&
	       (kind == PAGE_PARTS || kind == PAGE_STATISTICS);
}

int draw_time_rows(const struct top *top, int rows, int columns)
{
	int bar = rows_of_bar(columns);
	int classes = blocks_of(&top->time_use, columns).rows;

	if (!has_times(top) || bar > rows)
		return 0;
	if (!top->time_use.times.vcpus)
		return 1;
	if (!classes || bar + 2 > rows)
		return bar;
	return bar + 1 + classes < rows ? bar + 1 + classes : rows;
}

void draw_time(const struct top *top, struct area area)
{
	int bar = rows_of_bar(area.columns);

	if (!area.rows)
		return;
	if (!top->time_use.times.vcpus) {
		draw_text(area.y, 0, area.columns, A_DIM, "Exit statistics are off. Run 'echo 1 >"
			  EXIT_STATS_PARAMETER "'.");
		return;
	}
	draw_bar(&top->time_use.times, area.y, area.columns);
	area.y += bar;
	area.rows -= bar;
	if (area.rows > 1)
		draw_classes(top, area);
}
