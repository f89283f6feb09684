/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of kvm-stats top. The modules that handle keys, samples and the screen share it;
 * the state does not know them.
 */
#ifndef TOP_STATE_H
#define TOP_STATE_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fd_reserve.h"
#include "monitor/monitor.h"
#include "proc/host.h"
#include "top/activity.h"
#include "top/bars.h"
#include "top/options.h"
#include "top/prompt.h"
#include "top/scope.h"
#include "top/stat_lines.h"
#include "top/table.h"
#include "top/time_use.h"
#include "values/totals.h"

#define TOP_MESSAGE	512
#define TOP_TEXT	2048

enum page_kind {
	PAGE_GUESTS,
	PAGE_PARTS,		/* the VMs and vCPUs of a guest */
	PAGE_STATISTICS,	/* of a VM or vCPU, of a guest, or of all guests */
	PAGE_HISTOGRAM,
};

/* Each kind of page has its own order and filter. */
#define PAGES		4

struct page {
	enum page_kind kind;
	struct top_scope scope;
	char stat[VIEW_NAME_SIZE];	/* the histogram */
	size_t at;			/* line of the cursor; first bar on the screen */
	/* The line that the user moved the cursor to. It keeps the cursor if the order changes. */
	bool selected;
	struct top_scope selected_scope;
	char selected_name[VIEW_NAME_SIZE];
	size_t first;			/* first line on the screen */
};

struct filter_text {
	char text[PROMPT_SIZE];		/* "": no filter */
	regex_t regex;
};

struct top {
	struct top_options *options;
	struct monitor *monitor;
	struct fd_reserve reserve;	/* for the terminal and /proc */
	struct activities activities;
	struct host host;
	struct totals *totals;		/* over the scope of the page */
	struct top_scope scope;		/* the scope that the totals were selected by */
	struct table table;
	struct time_use time_use;	/* of the scope of the page */
	struct top_scope time_scope;	/* the scope that it is of */
	struct stat_lines stats;
	struct bars bars;
	bool bars_found;
	struct page page[PAGES];	/* a stack; page[depth] is on the screen */
	size_t depth;
	struct table_order order[PAGES];	/* of each kind of page */
	struct stat_order stat_order;
	struct filter_text filter[PAGES];
	unsigned int columns;		/* the chosen ones */
	size_t skipped_columns;
	bool since_reset;		/* values count from the last reset */
	bool utf8;
	bool help;
	bool choosing;			/* the list of columns is on the screen */
	size_t choice;
	bool paused;
	bool quit;
	bool sample_now;
	uint64_t deadline;		/* of the next sample, in ns of CLOCK_MONOTONIC */
	struct prompt prompt;
	char search[PROMPT_SIZE];	/* the last text searched for */
	size_t search_from;		/* where the cursor was before the search */
	char message[TOP_MESSAGE];	/* shown in the bottom line */
	uint64_t message_until;
	char problem[TOP_TEXT];		/* why the guest of the page cannot be read */
	int rows;			/* of the table on the screen */
	int width;
};

static inline struct page *top_page(struct top *top)
{
	return &top->page[top->depth];
}

/* Returns NULL if the page has no filter. */
const regex_t *top_filter(const struct top *top);

/* Whether the guest, VM or vCPU of the page has ended. Its last values stay on the screen. */
bool top_has_ended(const struct top *top);

/* Returns the number of lines of the page. */
size_t top_lines(const struct top *top);

/* Returns the name in a line. */
const char *top_line_name(const struct top *top, size_t i);

void top_message(struct top *top, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

#endif /* TOP_STATE_H */
