/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * top: what its rooms share.
 *
 *	top.c		the command, and its loop
 *	top_watch.c	the numbers: sampling, and what is made of them
 *	top_keys.c	what keys do; top_answer.c: answers to prompts
 *	top_screen.c	the screen; top_draw_table.c, ..._bars.c, ..._text.c what is on it
 *	top_terminal.c	the terminal and signals
 *
 * and without any of this: top_view.c and top_members.c (lines), top_bars.c (histograms),
 * top_base.c (where totals begin), top_scope.c, top_layout.c, top_number.c, top_text.c,
 * top_prompt.c.
 */
#ifndef TOP_H
#define TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "kvm_stat_options.h"
#include "monitor.h"
#include "top_bars.h"
#include "top_baseline.h"
#include "top_guests.h"
#include "top_prompt.h"
#include "top_scope.h"
#include "top_view.h"
#include "total.h"

#define TOP_DEPTH	8
#define TOP_MESSAGE	512

enum top_mode {
	TOP_STATISTICS,
	TOP_MEMBERS,		/* VMMs, or VMs and vCPUs */
	TOP_BARS,
};

/* What is looked at. */
struct top_page {
	enum top_mode mode;
	struct top_scope scope;
	char stat[VIEW_NAME_SIZE];	/* the histogram, or what members are compared by; "" */
	bool cursor;			/* shown since a key has moved it */
	size_t at;
	size_t first;			/* line of the table that is the first on the screen */
};

struct top {
	struct kvm_stat_options *options;
	struct monitor *monitor;
	struct totals *totals;
	struct baselines baselines;
	struct top_page page[TOP_DEPTH];	/* the last one is shown, the others lead to it */
	size_t depth;
	struct top_scope scope;		/* that of the page, for totals */
	struct view view;
	struct bars bars;
	bool bars_found;
	bool ended;			/* what is shown is the last that was seen of it */
	bool awaiting_guest;			/* a guest has ended, and is waited for */
	bool by_total;
	bool children;
	bool include_past;
	bool utf8;
	bool help;
	bool quit;
	bool sample_now;			/* a key wants a sample at once */
	bool short_interval;			/* the next interval is a short one */
	uint64_t deadline;
	struct prompt prompt;
	struct guests guests;		/* while one is asked for */
	char guest[GUEST_NAME_SIZE];	/* of the one process that is watched, or "" */
	char message[TOP_MESSAGE];
	uint64_t message_until;		/* ns of CLOCK_MONOTONIC */
	int rows;			/* of the table, on the screen */
};

static inline struct top_page *top_page(struct top *top)
{
	return &top->page[top->depth];
}

void top_message(struct top *top, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

#endif /* TOP_H */
