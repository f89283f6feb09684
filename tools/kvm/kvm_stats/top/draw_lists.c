// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>

#include "base/array.h"
#include "base/output.h"
#include "messages/search.h"
#include "proc/host.h"
#include "top/draw_lists.h"
#include "top/terminal.h"

static const char * const lines[] = {
	"Enter, Right  open the line: a guest shows its vCPUs, a vCPU its",
	"              statistics, a histogram its bars",
	"Left, Esc     go back",
	"Up, Down      move the cursor, as do PgUp, PgDn, Home and End",
	"<  >          sort by the previous or next column; - reverses the order",
	"N P E M ...   sort by a column, for example name, CPU, exits, memory;",
	"              c shows the letters of all columns",
	"Tab           show the columns that do not fit on the screen",
	"c             choose columns",
	"/  n          search for a name; next match",
	"f             show only names that match a regular expression",
	"Space         pause and continue",
	"s             set the seconds between two readings",
	"r  i          count values of statistics from now on; since VM creation",
	"h  q          show this help; quit",
	"",
	"Guest, kernel, VMM, halted and waiting are parts of the time of the vCPUs.",
	"While exit statistics are on, the bar \"Time\" shows them, and the classes of",
	("exits. To switch them on: echo 1 >" EXIT_STATS_PARAMETER),
	"CPU is that of the whole process; 100 % is one CPU.",
};

void draw_keys(struct area area)
{
	draw_text_lines(area, lines, ARRAY_SIZE(lines));
}

void draw_choices(const struct top *top, struct area area)
{
	size_t first = draw_first(0, top->choice - 1, COLUMNS_OF_TABLE - 1, area.rows) + 1;
	int i;

	for (i = 0; i < area.rows && first + (size_t)i < COLUMNS_OF_TABLE; i++) {
		size_t id = first + (size_t)i;
		const struct column_type *type = &column_types[id];
		char text[160];

		snprintf(text, sizeof(text), "[%c] %c  %-9s %s",
			 top->columns & COLUMN_BIT(id) ? 'x' : ' ', type->key ? type->key : ' ',
			 type->heading, type->meaning);
		draw_text(area.y + i, 1, area.columns - 1, id == top->choice ? A_REVERSE : 0,
			  text);
	}
}

/* ---- no lines ---- */

static void draw_no_guest(const struct top *top, struct area area)
{
	const struct filter *filter = &top->options->filter;
	char text[512], name[128];

	if (monitor_has_ended(top->monitor))
		snprintf(text, sizeof(text), "The selected process has ended.");
	else if (filter->guests)
		snprintf(text, sizeof(text), "No guest named '%s'%s is running. Waiting for it to "
			 "start.", sanitize(filter->guest[0], name, sizeof(name)),
			 filter->guests > 1 ? " (or one of the other names)" : "");
	else if (explain_no_kvm_yet(top->monitor))
		terminal_errors(text, sizeof(text));
	else
		snprintf(text, sizeof(text), "No VM is running. Waiting for one to start.");
	area.y = draw_wrapped(area.y, area, text);
	if (top->monitor->denied)
		draw_wrapped(area.y, area, denied_text(top->monitor, text, sizeof(text)));
}

static void draw_no_bars(const struct top *top, struct area area)
{
	const char *text = "No samples yet.";

	if (!top->bars_found)
		text = "This histogram is not available.";
	else if (top->since_reset)
		text = "No samples yet. Press 'i' to include those since VM creation.";
	draw_wrapped(area.y, area, text);
}

void draw_nothing(const struct top *top, struct area area)
{
	const struct page *page = &top->page[top->depth];
	char text[PROMPT_SIZE + 64];

	if (page->kind == PAGE_HISTOGRAM) {
		draw_no_bars(top, area);
	} else if (*top->filter[page->kind].text) {
		snprintf(text, sizeof(text), "No name matches '%s'. Press 'f' to change it.",
			 top->filter[page->kind].text);
		draw_wrapped(area.y, area, text);
	} else if (page->kind == PAGE_GUESTS) {
		draw_no_guest(top, area);
	} else {
		draw_wrapped(area.y, area, "All statistics are 0.");
	}
}
