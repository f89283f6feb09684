// SPDX-License-Identifier: GPL-2.0-only
/* From top to bottom: title, status, column headings, table, sum, and the bottom line. */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/output.h"
#include "top/draw.h"
#include "top/draw_bars.h"
#include "top/draw_empty.h"
#include "top/draw_guests.h"
#include "top/draw_help.h"
#include "top/draw_table.h"
#include "top/screen.h"

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
static struct top_scope title_scope(const struct top *top)
{
	const struct monitor *monitor = top->monitor;

	if (!top->scope.one_vmm && top->options->filter.pids == 1 && monitor->vmms == 1)
		return scope_of_vmm(monitor->vmm[0]);
	return top->scope;
}

static void put_subject(const struct top *top, char *buf, size_t size)
{
	const struct filter *filter = &top->options->filter;
	struct top_scope scope = title_scope(top);
	char name[GUEST_NAME_SIZE];
	int len;

	if (scope.one_vmm) {
		len = snprintf(buf, size, "pid %d", (int)scope.pid);
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

static void put_stat(const struct top *top, char *buf, size_t size)
{
	const struct top_page *page = &top->page[top->depth];

	*buf = '\0';
	if (*page->stat)
		snprintf(buf, size, " - %s", page->stat);
}

static void draw_title(const struct top *top, int y, int columns)
{
	static const char marker[] = " has ended ";
	char who[GUEST_NAME_SIZE + 128], stat[VIEW_NAME_SIZE + 4], text[512];
	int x;

	put_subject(top, who, sizeof(who));
	put_stat(top, stat, sizeof(stat));
	snprintf(text, sizeof(text), "kvm statistics - %s%s", who, stat);
	x = draw_text(y, 0, columns, A_BOLD, text);
	if (!top->ended)
		return;
	x = x + 2 + (int)strlen(marker) > columns ? columns - (int)strlen(marker) : x + 2;
	draw_text(y, x > 0 ? x : 0, columns, A_STANDOUT | draw_color(DRAW_ERROR), marker);
}

/* ---- status ---- */

static void count_origins(const struct monitor *monitor, unsigned int *origins, size_t *vmms,
			  size_t *vcpus)
{
	size_t i, j;

	*origins = 0;
	*vmms = *vcpus = 0;
	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		*vmms += vmm->kvm || vmm->pid;
		*vcpus += vmm->vcpus;
		for (j = 0; j < vmm->targets; j++)
			*origins |= 1u << vmm->target[j]->origin;
	}
}

static const struct {
	unsigned int origins;
	const char *name;
} sources[] = {
	{ 1u << ORIGIN_OPENED | 1u << ORIGIN_TAKEN, "statistics fds" },
	{ 1u << ORIGIN_DEBUGFS, "debugfs" },
	{ 1u << ORIGIN_TRACEPOINTS, "tracepoints" },
};

static void draw_status(const struct top *top, int y, int columns)
{
	const struct filter *filter = &top->options->filter;
	const char *separator = top->utf8 ? " · " : ", ";
	unsigned int origins;
	char text[512];
	size_t vmms, vcpus, i;
	int len;

	count_origins(top->monitor, &origins, &vmms, &vcpus);
	len = snprintf(text, sizeof(text), "%zu guest%s, %zu vCPU%s", vmms, plural(vmms),
		       vcpus, plural(vcpus));
	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		if (origins & sources[i].origins)
			len += snprintf(text + len, sizeof(text) - len, "%s%s", separator,
					sources[i].name);
	}
	len += snprintf(text + len, sizeof(text) - len, "%severy %g s", separator,
			(double)top->options->delay / 1e9);
	if (filter->has_regex)
		len += snprintf(text + len, sizeof(text) - len, "%sregex filter: %.200s", separator,
				filter->pattern);
	if (top->include_past)
		snprintf(text + len, sizeof(text) - len, "%stotals since VM creation", separator);
	draw_text(y, 0, columns, 0, text);
}

/* ---- the bottom line ---- */

static void draw_prompt(const struct top *top, int y, int columns)
{
	const struct prompt *prompt = &top->prompt;
	const char *text = prompt->text;
	int x = draw_text(y, 0, columns, A_BOLD, prompt_question(prompt));
	int end;

	/* Show the end of a long answer. The number of bytes is at least the number of cells. */
	if ((int)prompt->len > columns - x - 1 && columns - x - 1 > 0)
		text += prompt->len - (columns - x - 1);
	end = x + draw_text(y, x, columns - x, 0, text);
	move(y, end < columns ? end : columns - 1);
}

static const char *hint(const struct top *top)
{
	const struct top_page *page = &top->page[top->depth];

	if (page->mode == TOP_BARS)
		return "q quit  h help  Left back  Up/Down scroll  r reset  i include past";
	if (page->cursor && page->mode == TOP_MEMBERS)
		return "q quit  h help  Left back  Enter open";
	if (page->cursor && page->at < top->view.lines &&
	    top->view.line[page->at].kind == VIEW_HISTOGRAMS)
		return "q quit  h help  Left back  Enter bars";
	if (page->cursor)
		return "q quit  h help  Left back  Enter by guest";
	return "q quit  h help  o sort  f filter  g guest  b by guest  r reset  s delay";
}

static void draw_bottom(const struct top *top, int y, int columns)
{
	char text[TOP_MESSAGE];

	if (top->help)
		draw_text(y, 0, columns, A_STANDOUT, "Press any key to close this help");
	else if (top->prompt.kind)
		draw_prompt(top, y, columns);
	else if (clock_now() < top->message_until)
		draw_text(y, 0, columns, A_BOLD, sanitize(top->message, text, sizeof(text)));
	else
		draw_text(y, 0, columns, A_DIM, hint(top));
}

/* ---- the whole screen ---- */

static bool has_content(const struct top *top)
{
	if (top->page[top->depth].mode == TOP_BARS)
		return top->ended || top->bars_found;
	return top->view.lines;
}

static void draw_table_or_bars(struct top *top, const struct frame *frame)
{
	bool bars = top_page(top)->mode == TOP_BARS;
	struct area area = frame->body;

	/* Bars have no sum. */
	area.rows += bars && frame->sum >= 0;
	if (frame->head >= 0 && bars)
		draw_bars_summary(top, frame->head, frame->body.columns);
	else if (frame->head >= 0)
		draw_table_head(top, frame->head, frame->body.columns);
	if (bars)
		draw_bars(top, area);
	else
		draw_table(top, area);
	if (!bars && frame->sum >= 0 && top->view.sum.value)
		draw_table_sum(top, frame->sum, frame->body.columns);
}

static void draw_body(struct top *top, const struct frame *frame)
{
	if (top->help)
		draw_help(frame->body);
	else if (top->prompt.kind == PROMPT_GUEST)
		draw_guests(top, frame->body);
	else if (has_content(top))
		draw_table_or_bars(top, frame);
	else
		draw_empty_reason(top, frame->body);
}

/* Draws the error of a prompt in place of the table's sum. */
static void draw_error(const struct top *top, const struct frame *frame, int columns)
{
	int y = frame->sum >= 0 ? frame->sum : frame->title;

	if (!top->prompt.kind || !*top->prompt.error)
		return;
	move(y, 0);
	clrtoeol();
	draw_text(y, 0, columns, A_BOLD | draw_color(DRAW_ERROR), top->prompt.error);
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

void screen_draw(struct top *top)
{
	int rows = LINES, columns = COLS;
	struct frame frame = frame_of(rows, columns);

	top->rows = frame.body.rows;
	erase();
	draw_title(top, frame.title, columns);
	if (frame.status >= 0)
		draw_status(top, frame.status, columns);
	draw_body(top, &frame);
	draw_error(top, &frame, columns);
	curs_set(top->prompt.kind ? 1 : 0);
	if (frame.bottom >= 0)
		draw_bottom(top, frame.bottom, columns);
	refresh();
}
