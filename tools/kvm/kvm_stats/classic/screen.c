// SPDX-License-Identifier: GPL-2.0-only
/* From top to bottom: title, status, column headings, table, sum, and the bottom line. */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/output.h"
#include "classic/draw_empty.h"
#include "classic/draw_guests.h"
#include "classic/draw_help.h"
#include "classic/draw_table.h"
#include "classic/screen.h"
#include "top/draw.h"
#include "top/draw_bars.h"
#include "top/summary.h"

/* Rows of the screen; -1: the part is left out, because the screen is too small. */
struct frame {
	int title;
	int status;
	int head;
	struct area body;
	int sum;
	int bottom;
};

static struct frame frame_of(int rows, int columns)
{
	struct frame frame = { .title = 0, .status = -1, .head = -1, .sum = -1, .bottom = -1 };
	int y = 1;
	int end = rows;

	if (rows >= 6)
		frame.status = y++;
	if (rows >= 4)
		frame.head = y++;
	if (rows >= 3)
		frame.bottom = --end;
	if (rows >= 8)
		frame.sum = --end;
	frame.body = (struct area){ .y = y, .rows = end > y ? end - y : 0, .columns = columns };
	return frame;
}

/* ---- title ---- */

/* The scope for the title: if only one process is selected, the process. */
static struct top_scope title_scope(const struct classic *classic)
{
	const struct monitor *monitor = classic->monitor;

	if (!classic->scope.one_vmm && classic->options->filter.pids == 1 && monitor->vmms == 1)
		return scope_of_vmm(monitor->vmm[0]);
	return classic->scope;
}

static void put_subject(const struct classic *classic, char *buf, size_t size)
{
	const struct filter *filter = &classic->options->filter;
	struct top_scope scope = title_scope(classic);
	char name[GUEST_NAME_SIZE];
	int len;

	if (scope.one_vmm) {
		len = scope.pid ? snprintf(buf, size, "pid %d", (int)scope.pid) :
				  snprintf(buf, size, "guest");
		if (*scope.guest)
			len += snprintf(buf + len, size - len, " (%s)",
					sanitize(scope.guest, name, sizeof(name)));
		if (scope.one_target)
			snprintf(buf + len, size - len, " %s", scope.label);
	} else if (filter->pids == 1) {
		snprintf(buf, size, "pid %d", (int)filter->pid[0]);
	} else if (filter->guests == 1) {
		snprintf(buf, size, "guest %s", sanitize(filter->guest[0], name, sizeof(name)));
	} else {
		snprintf(buf, size, "summary");
	}
}

static void put_stat(const struct classic *classic, char *buf, size_t size)
{
	const struct classic_page *page = &classic->page[classic->depth];

	*buf = '\0';
	if (*page->stat)
		snprintf(buf, size, " - %s", page->stat);
}

static void draw_title(const struct classic *classic, int y, int columns)
{
	static const char marker[] = " has ended ";
	char who[GUEST_NAME_SIZE + 128], stat[VIEW_NAME_SIZE + 4], text[512];
	int x;

	put_subject(classic, who, sizeof(who));
	put_stat(classic, stat, sizeof(stat));
	snprintf(text, sizeof(text), "kvm statistics - %s%s", who, stat);
	x = draw_text(y, 0, columns, A_BOLD, text);
	if (!classic->ended)
		return;
	x = x + 2 + (int)strlen(marker) > columns ? columns - (int)strlen(marker) : x + 2;
	draw_text(y, x > 0 ? x : 0, columns, A_STANDOUT | draw_color(DRAW_ERROR), marker);
}

/* ---- status ---- */

static void draw_status(const struct classic *classic, int y, int columns)
{
	const struct filter *filter = &classic->options->filter;
	const char *separator = classic->utf8 ? " · " : ", ";
	struct summary summary = summary_of(classic->monitor);
	char text[512];
	int len;

	len = snprintf(text, sizeof(text), "%zu guest%s, %zu vCPU%s", summary.guests,
		       plural(summary.guests), summary.vcpus, plural(summary.vcpus));
	len += summary_put_problems(text + len, sizeof(text) - len, &summary, ", ");
	len += summary_put_sources(text + len, sizeof(text) - len, &summary, separator);
	len += snprintf(text + len, sizeof(text) - len, "%severy %g s", separator,
			(double)classic->options->delay / 1e9);
	if (filter->has_regex)
		len += snprintf(text + len, sizeof(text) - len, "%sregex filter: %.200s", separator,
				filter->pattern);
	if (classic->include_past)
		snprintf(text + len, sizeof(text) - len, "%stotals since VM creation", separator);
	draw_text(y, 0, columns, 0, text);
}

/* ---- the bottom line ---- */

static const char *hint(const struct classic *classic)
{
	const struct classic_page *page = &classic->page[classic->depth];

	if (page->mode == CLASSIC_BARS)
		return "q quit  h help  Left back  Up/Down scroll  r reset  i include past";
	if (page->cursor && page->mode == CLASSIC_MEMBERS)
		return "q quit  h help  Left back  Enter open";
	if (page->cursor && page->at < classic->view.lines &&
	    classic->view.line[page->at].kind == VIEW_HISTOGRAMS)
		return "q quit  h help  Left back  Enter bars";
	if (page->cursor)
		return "q quit  h help  Left back  Enter by guest";
	return "q quit  h help  o sort  f filter  g guest  b by guest  r reset  s delay";
}

static void draw_bottom(const struct classic *classic, int y, int columns)
{
	char text[CLASSIC_MESSAGE];

	if (classic->help)
		draw_text(y, 0, columns, A_STANDOUT, "Press any key to close this help");
	else if (classic->prompt.kind)
		prompt_draw(&classic->prompt, y, columns);
	else if (clock_now() < classic->message_until)
		draw_text(y, 0, columns, A_BOLD, sanitize(classic->message, text, sizeof(text)));
	else
		draw_text(y, 0, columns, A_DIM, hint(classic));
}

/* ---- the whole screen ---- */

static bool has_content(const struct classic *classic)
{
	if (classic->page[classic->depth].mode == CLASSIC_BARS)
		return classic->ended || classic->bars_found;
	return classic->view.lines;
}

static void draw_histogram(struct classic *classic, struct area area)
{
	const char *text = "No samples yet. Press 'i' to include those before the start of top.";

	if (classic->bars_found && classic->bars.bars) {
		/* The bars have no cursor: the keys scroll all of them. */
		draw_bars(&classic->bars, area, &classic_page(classic)->at, classic->utf8);
		return;
	}
	if (!classic->bars_found)
		text = "This histogram is not available.";
	else if (classic->include_past)
		text = "No samples yet.";
	draw_text(area.y, 1, area.columns - 1, 0, text);
}

static void draw_table_or_bars(struct classic *classic, const struct frame *frame)
{
	bool bars = classic_page(classic)->mode == CLASSIC_BARS;
	struct area area = frame->body;

	/* Bars have no sum. */
	area.rows += bars && frame->sum >= 0;
	if (frame->head >= 0 && bars && classic->bars_found)
		draw_bars_summary(&classic->bars, frame->head, frame->body.columns);
	else if (frame->head >= 0 && !bars)
		draw_table_head(classic, frame->head, frame->body.columns);
	if (bars)
		draw_histogram(classic, area);
	else
		draw_table(classic, area);
	if (!bars && frame->sum >= 0 && classic->view.sum.value)
		draw_table_sum(classic, frame->sum, frame->body.columns);
}

static void draw_body(struct classic *classic, const struct frame *frame)
{
	if (classic->help)
		draw_help(frame->body);
	else if (classic->prompt.kind == PROMPT_GUEST)
		draw_guests(classic, frame->body);
	else if (has_content(classic))
		draw_table_or_bars(classic, frame);
	else
		draw_empty_reason(classic, frame->body);
}

/* Draws the error of a prompt in place of the table's sum. */
static void draw_error(const struct classic *classic, const struct frame *frame, int columns)
{
	int y = frame->sum >= 0 ? frame->sum : frame->title;

	if (!classic->prompt.kind || !*classic->prompt.error)
		return;
	move(y, 0);
	clrtoeol();
	draw_text(y, 0, columns, A_BOLD | draw_color(DRAW_ERROR), classic->prompt.error);
}

void screen_show_now(const char *text)
{
	struct frame frame = frame_of(LINES, COLS);

	if (frame.bottom < 0)
		return;
	move(frame.bottom, 0);
	clrtoeol();
	draw_text(frame.bottom, 0, COLS, A_BOLD, text);
	curs_set(0);
	refresh();
}

void screen_draw(struct classic *classic)
{
	int rows = LINES, columns = COLS;
	struct frame frame = frame_of(rows, columns);

	classic->rows = frame.body.rows;
	erase();
	draw_title(classic, frame.title, columns);
	if (frame.status >= 0)
		draw_status(classic, frame.status, columns);
	draw_body(classic, &frame);
	draw_error(classic, &frame, columns);
	curs_set(classic->prompt.kind ? 1 : 0);
	if (frame.bottom >= 0)
		draw_bottom(classic, frame.bottom, columns);
	refresh();
}
