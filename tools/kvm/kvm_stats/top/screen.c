// SPDX-License-Identifier: GPL-2.0-only
/*
 * From top to bottom: meters, summary, title, times of vCPUs, headings, lines, how many follow,
 * bottom line.
 */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/output.h"
#include "top/draw.h"
#include "top/draw_bars.h"
#include "top/draw_columns.h"
#include "top/draw_lists.h"
#include "top/draw_meters.h"
#include "top/draw_stats.h"
#include "top/draw_time.h"
#include "top/screen.h"

/* Rows of the screen; -1: the part is left out, because the screen is too small. */
struct frame {
	int meters;
	int summary;
	int title;
	struct area times;
	int head;
	struct area body;
	int bottom;
};

static struct frame frame_of(int rows, int columns)
{
	struct frame frame = { -1, -1, -1, { 0 }, -1, { 0 }, -1 };
	int end = rows;
	int y = 0;

	if (rows >= 10)
		frame.meters = y++;
	if (rows >= 8)
		frame.summary = y++;
	frame.title = y++;
	if (rows >= 4)
		frame.head = y++;
	if (rows >= 3)
		frame.bottom = --end;
	frame.body = (struct area){ .y = y, .rows = end > y ? end - y : 0, .columns = columns };
	return frame;
}

/* The times of vCPUs get at most half of the rows of lines. */
static void add_times(const struct top *top, struct frame *frame)
{
	struct area *body = &frame->body;
	int rows = draw_time_rows(top, body->rows / 2, body->columns);

	if (top->help || top->choosing || !rows)
		return;
	frame->times = (struct area){
		.y = frame->title + 1, .rows = rows, .columns = body->columns };
	frame->head += rows;
	body->y += rows;
	body->rows -= rows;
}

/* ---- the title ---- */

static int put_path(const struct top *top, char *buf, size_t size)
{
	const struct page *page = &top->page[top->depth];
	char name[SCOPE_GUEST_SIZE];
	int len;

	if (!page->scope.one_vmm)
		len = snprintf(buf, size, page->kind == PAGE_GUESTS ? "Guests" : "All guests");
	else if (*page->scope.guest && !page->scope.pid)
		len = snprintf(buf, size, "%s", page->scope.guest);
	else if (*page->scope.guest)
		len = snprintf(buf, size, "%s (PID %d)",
			       sanitize(page->scope.guest, name, sizeof(name)),
			       (int)page->scope.pid);
	else
		len = snprintf(buf, size, "PID %d", (int)page->scope.pid);
	if (page->scope.one_target)
		len += snprintf(buf + len, size - len, ", %s", page->scope.label);
	if (*page->stat)
		len += snprintf(buf + len, size - len, ", %s", page->stat);
	return len;
}

static void put_settings(const struct top *top, char *buf, size_t size)
{
	const struct page *page = &top->page[top->depth];
	const char *separator = top->utf8 ? " · " : ", ";
	const char *filter = top->filter[page->kind].text;
	int len = 0;

	*buf = '\0';
	if (*filter)
		len += snprintf(buf + len, size - len, "%sfilter: %s", separator, filter);
	if (page->kind >= PAGE_STATISTICS && top->options->filter.has_regex)
		len += snprintf(buf + len, size - len, "%s-f %.200s", separator,
				top->options->filter.pattern);
	if (page->kind >= PAGE_STATISTICS)
		snprintf(buf + len, size - len, "%s%s", separator,
			 top->since_reset ? "since the reset" : "since VM creation");
}

static int draw_mark(int y, int x, int columns, int attributes, const char *mark)
{
	int len = (int)strlen(mark);

	/* A mark is more important than the end of the title. */
	x = x + len > columns ? columns - len : x;
	return x + draw_text(y, x > 0 ? x : 0, columns, A_STANDOUT | attributes, mark) + 1;
}

static void draw_title(const struct top *top, int y, int columns)
{
	char text[1024];
	int len = put_path(top, text, sizeof(text));
	int x;

	put_settings(top, text + len, sizeof(text) - (size_t)len);
	x = draw_text(y, 0, columns, A_BOLD, text) + 2;
	if (top_has_ended(top))
		x = draw_mark(y, x, columns, draw_color(DRAW_ERROR), " has ended ");
	if (top->paused)
		draw_mark(y, x, columns, draw_color(DRAW_HIGH), " paused ");
}

/* ---- the bottom line ---- */

static const char *hint(const struct top *top)
{
	if (top->choosing)
		return "Space show or hide  Enter close";
	switch (top->page[top->depth].kind) {
	case PAGE_GUESTS:
		return "Enter open  < > sort  / search  f filter  c columns  Space pause  h help  "
		       "q quit";
	case PAGE_PARTS:
		return "Enter statistics  Left back  < > sort  / search  c columns  h help  q quit";
	case PAGE_STATISTICS:
		return "Enter bars of a histogram  Left back  < > sort  / search  f filter  h help";
	default:
		return "Left back  Up/Down scroll  r count from now on  i since VM creation  "
		       "h help";
	}
}

/* The meaning of the statistic that the cursor is on, for screens without a column for it */
static const char *selected_meaning(const struct top *top)
{
	const struct page *page = &top->page[top->depth];

	if (page->kind != PAGE_STATISTICS || !page->selected || page->at >= top->stats.lines)
		return "";
	return top->stats.line[page->at].meaning;
}

static void draw_bottom(const struct top *top, int y, int columns)
{
	char text[TOP_MESSAGE];

	if (top->help)
		draw_text(y, 0, columns, A_STANDOUT, "Press any key to close this help");
	else if (top->prompt.kind)
		prompt_draw(&top->prompt, y, columns);
	else if (clock_now() < top->message_until)
		draw_text(y, 0, columns, A_BOLD, sanitize(top->message, text, sizeof(text)));
	else if (*selected_meaning(top))
		draw_text(y, 0, columns, 0, selected_meaning(top));
	else
		draw_text(y, 0, columns, A_DIM, hint(top));
}

/* ---- the page ---- */

static void draw_head(const struct top *top, int y, int columns)
{
	switch (top->page[top->depth].kind) {
	case PAGE_HISTOGRAM:
		draw_bars_summary(&top->bars, y, columns);
		break;
	case PAGE_STATISTICS:
		draw_stats_head(top, y, columns);
		break;
	default:
		draw_columns_head(top, y, columns);
	}
}

static void draw_how_many_follow(const struct top *top, int y, int columns, size_t shown)
{
	const struct page *page = &top->page[top->depth];
	size_t below = top_lines(top) - page->first - shown;
	char text[80];
	int len = 0;

	if (page->first)
		len = snprintf(text, sizeof(text), "%zu more above%s", page->first,
			       below ? ", " : "");
	if (below)
		snprintf(text + len, sizeof(text) - (size_t)len, "%zu more below", below);
	draw_text(y, 0, columns, A_DIM, text);
}

/* Scrolls, so that the line of the cursor is visible. Returns the rows for lines. */
static int scroll_lines(struct top *top, const struct area *area)
{
	struct page *page = top_page(top);
	size_t lines = top_lines(top);
	int rows = area->rows;

	if (page->at >= lines)
		page->at = lines ? lines - 1 : 0;
	if (lines > (size_t)rows && rows > 1)
		rows--;
	page->first = draw_first(page->first, page->at, lines, rows);
	return rows;
}

static void draw_lines(struct top *top, struct area area)
{
	int rows = scroll_lines(top, &area);
	int below = rows < area.rows ? area.y + rows : -1;

	area.rows = rows;
	if (top_page(top)->kind == PAGE_STATISTICS)
		draw_stats(top, area);
	else
		draw_columns(top, area);
	if (below >= 0)
		draw_how_many_follow(top, below, area.columns, (size_t)rows);
}

static bool is_empty(const struct top *top)
{
	const struct page *page = &top->page[top->depth];

	if (page->kind == PAGE_HISTOGRAM && !top->bars_found && !top_has_ended(top))
		return true;
	return !top_lines(top);
}

/* The reason why the guest of the page cannot be read is below its only line. */
static void draw_problem(const struct top *top, struct area area)
{
	int lines = (int)top_lines(top) + 1;

	if (!*top->problem || top->page[top->depth].kind != PAGE_PARTS || lines >= area.rows)
		return;
	area.y += lines;
	area.rows -= lines;
	draw_wrapped(area.y, area, top->problem);
}

static void draw_page(struct top *top, const struct frame *frame)
{
	int columns = frame->body.columns;

	if (frame->head >= 0)
		draw_head(top, frame->head, columns);
	if (top_page(top)->kind == PAGE_HISTOGRAM) {
		draw_bars(&top->bars, frame->body, &top_page(top)->at, top->utf8);
		return;
	}
	draw_lines(top, frame->body);
	draw_problem(top, frame->body);
}

static void draw_body(struct top *top, const struct frame *frame)
{
	if (top->help)
		draw_keys(frame->body);
	else if (top->choosing)
		draw_choices(top, frame->body);
	else if (is_empty(top))
		draw_nothing(top, frame->body);
	else
		draw_page(top, frame);
}

/* Draws the error of a prompt above it. */
static void draw_error(const struct top *top, const struct frame *frame, int columns)
{
	int y = frame->bottom > 0 ? frame->bottom - 1 : frame->title;

	if (!top->prompt.kind || !*top->prompt.error)
		return;
	move(y, 0);
	clrtoeol();
	draw_text(y, 0, columns, A_BOLD | draw_color(DRAW_ERROR), top->prompt.error);
}

void top_draw(struct top *top)
{
	int rows = LINES, columns = COLS;
	struct frame frame = frame_of(rows, columns);

	add_times(top, &frame);
	if (top->width != columns)
		top->skipped_columns = 0;
	top->rows = frame.body.rows;
	top->width = columns;
	erase();
	if (frame.meters >= 0)
		draw_meters(top, frame.meters, columns);
	if (frame.summary >= 0)
		draw_summary(top, frame.summary, columns);
	draw_title(top, frame.title, columns);
	draw_time(top, frame.times);
	draw_body(top, &frame);
	draw_error(top, &frame, columns);
	curs_set(top->prompt.kind ? 1 : 0);
	if (frame.bottom >= 0)
		draw_bottom(top, frame.bottom, columns);
	refresh();
}
