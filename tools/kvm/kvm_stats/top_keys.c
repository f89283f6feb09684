// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "top_answer.h"
#include "top_keys.h"
#include "top_watch.h"

#define ESCAPE	27

const char * const keys_help[] = {
	"b         guests, or the VMs and vCPUs of one; again: statistics",
	"c         clear the filters",
	"f         filter by regular expression, from the start of names",
	"g, p      filter by guest name or PID",
	"h         this help",
	"i         with what was counted before we began, or without",
	"o         sort by Total, or by CurAvg/s",
	"q         quit",
	"r         reset: totals begin now",
	"s         set the seconds between readings",
	"x         show parts of tracepoints: exit reasons",
	"",
	"Up, Down  move the cursor; so do PgUp, PgDn, Home, End",
	"Enter     open: of a guest its VMs and vCPUs, of these the",
	"          statistics, of a histogram its bars, of another",
	"          statistic whose it is",
	"Left      back; so does Esc",
	"",
	"Any other key reads the statistics at once.",
	NULL
};

/* ---- places ---- */

static int go_to(struct top *top, struct top_place place)
{
	if (top->depth + 1 == TOP_DEPTH)
		return 0;
	top->place[++top->depth] = place;
	return watch_look(top);
}

static bool is_over(const struct top *top, const struct top_place *place)
{
	return place->scope.one_vmm && !scope_vmm(&place->scope, top->monitor);
}

static int go_back(struct top *top)
{
	struct top_place *place = top_place(top);

	if (top->depth) {
		do {
			top->depth--;
		} while (top->depth && is_over(top, top_place(top)));
		return watch_look(top);
	}
	if (place->mode == TOP_MEMBERS)
		*place = (struct top_place){ .mode = TOP_STATISTICS };
	return watch_look(top);
}

/* Tracepoints of the whole machine are nobody's. */
static bool has_members(struct top *top)
{
	const struct monitor *monitor = top->monitor;

	if (top_place(top)->scope.one_target) {
		top_message(top, "This is one VM or vCPU already; Left leads back");
		return false;
	}
	if (monitor->vmms && !monitor->vmm[0]->pid &&
	    !(monitor->options.sources & ~SOURCES_TRACEPOINTS)) {
		top_message(top, "Tracepoints count the whole machine; 'g' chooses one guest");
		return false;
	}
	return true;
}

static int toggle_members(struct top *top)
{
	struct top_place *place = top_place(top);
	bool members = place->mode == TOP_MEMBERS;

	if (top->gone) {
		top_message(top, "It has ended");
		return 0;
	}
	if (!members && !has_members(top))
		return 0;
	*place = (struct top_place){
		.mode = members ? TOP_STATISTICS : TOP_MEMBERS,
		.scope = place->scope,
	};
	return watch_look(top);
}

static int open_member(struct top *top, const struct view_line *line)
{
	struct top_place place = { .scope = line->scope };

	place.mode = line->scope.one_target ? TOP_STATISTICS : TOP_MEMBERS;
	if (!line->scope.one_target)
		memcpy(place.stat, top_place(top)->stat, sizeof(place.stat));
	return go_to(top, place);
}

static int open_statistic(struct top *top, const struct view_line *line)
{
	struct top_place place = { .mode = TOP_MEMBERS, .scope = top_place(top)->scope };

	if (line->kind == VIEW_HISTOGRAMS)
		place.mode = TOP_BARS;
	else if (!has_members(top))
		return 0;
	memcpy(place.stat, line->stat, sizeof(place.stat));
	return go_to(top, place);
}

static int open_line(struct top *top)
{
	struct top_place *place = top_place(top);

	if (place->mode == TOP_BARS || top->gone || place->at >= top->view.lines)
		return 0;
	if (!place->cursor) {
		place->cursor = true;
		return 0;
	}
	if (place->mode == TOP_MEMBERS)
		return open_member(top, &top->view.line[place->at]);
	return open_statistic(top, &top->view.line[place->at]);
}

/* ---- the cursor ---- */

static void move_cursor(struct top *top, long by)
{
	struct top_place *place = top_place(top);
	long lines = (long)(place->mode == TOP_BARS ? top->bars.bars : top->view.lines);
	long at = (long)place->at;

	if (place->cursor || place->mode == TOP_BARS)
		at += by;
	place->cursor = place->mode != TOP_BARS;
	if (at >= lines)
		at = lines - 1;
	place->at = at > 0 ? (size_t)at : 0;
}

static bool is_cursor_key(struct top *top, int key)
{
	long page = top->rows > 1 ? top->rows - 1 : 1;
	long far = 1l << 30;

	switch (key) {
	case KEY_UP:
		move_cursor(top, -1);
		return true;
	case KEY_DOWN:
		move_cursor(top, 1);
		return true;
	case KEY_PPAGE:
		move_cursor(top, -page);
		return true;
	case KEY_NPAGE:
		move_cursor(top, page);
		return true;
	case KEY_HOME:
		move_cursor(top, -far);
		return true;
	case KEY_END:
		move_cursor(top, far);
		return true;
	}
	return false;
}

/* ---- the rest ---- */

static int reset(struct top *top)
{
	bases_reset(&top->bases);
	top->past = false;
	top_message(top, "Totals begin now");
	return watch_look(top);
}

static int toggle_past(struct top *top)
{
	top->past = !top->past;
	top_message(top, top->past ? "Totals are all that has been counted" :
		    "Totals are what has been counted since we began, or since the reset");
	return watch_look(top);
}

static int toggle_order(struct top *top)
{
	top->by_total = !top->by_total;
	top_message(top, "Sorted by %s", top->by_total ? "Total" : "CurAvg/s");
	return watch_look(top);
}

static int toggle_parts(struct top *top)
{
	top->parts = !top->parts;
	if (!top->monitor->tracepoints)
		top_message(top, "Only tracepoints have parts, as exit reasons: option -t");
	return watch_look(top);
}

static int take(struct top *top, int key)
{
	switch (key) {
	case 'b':
		return toggle_members(top);
	case 'c':
		return answer_clear(top);
	case 'f':
		prompt_begin(&top->prompt, PROMPT_REGEX);
		return 0;
	case 'g':
	case 'p':
		return answer_ask_guest(top);
	case 'h':
	case '?':
		top->help = true;
		return 0;
	case 'i':
		return toggle_past(top);
	case 'o':
		return toggle_order(top);
	case 'q':
		top->end = true;
		return 0;
	case 'r':
		return reset(top);
	case 's':
		prompt_begin(&top->prompt, PROMPT_DELAY);
		return 0;
	case 'x':
		return toggle_parts(top);
	case '\r':
	case '\n':
	case KEY_ENTER:
	case KEY_RIGHT:
		return open_line(top);
	case KEY_LEFT:
	case KEY_BACKSPACE:
	case 0x7f:
	case ESCAPE:
		return go_back(top);
	case KEY_RESIZE:
		return 0;
	}
	if (!is_cursor_key(top, key))
		top->again = true;
	return 0;
}

int keys_read(struct top *top)
{
	int err = 0;
	int key;

	while (!err && !top->end && (key = getch()) != ERR) {
		if (top->help)
			top->help = false;
		else if (top->prompt.kind)
			err = answer_key(top, key);
		else
			err = take(top, key);
	}
	return err;
}
