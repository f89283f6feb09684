/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of the screen of kvm_stat. The modules that handle keys, samples and the screen share
 * it; the state does not know them.
 */
#ifndef CLASSIC_STATE_H
#define CLASSIC_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "classic/guests.h"
#include "monitor/monitor.h"
#include "options/kvm_stat.h"
#include "top/bars.h"
#include "top/prompt.h"
#include "top/scope.h"
#include "top/view.h"
#include "values/totals.h"

#define CLASSIC_DEPTH	8
#define CLASSIC_MESSAGE	512

enum classic_mode {
	CLASSIC_STATISTICS,
	CLASSIC_MEMBERS,	/* a table of VMMs, or of the VMs and vCPUs of one VMM */
	CLASSIC_BARS,		/* the bars of a histogram */
};

/* What the screen shows. Opening a line pushes a page; going back pops it. */
struct classic_page {
	enum classic_mode mode;
	struct top_scope scope;
	char stat[VIEW_NAME_SIZE];	/* of the bars or the member table; "": sum of events */
	bool cursor;			/* visible, because a key has moved it */
	size_t at;			/* line of the cursor; first bar on the screen */
	size_t first;			/* first line of the table on the screen */
};

struct classic {
	struct kvm_stat_options *options;
	struct monitor *monitor;
	struct totals *totals;
	bool baselines_started;
	struct classic_page page[CLASSIC_DEPTH];	/* a stack; page[depth] is on the screen */
	size_t depth;
	struct top_scope scope;		/* the scope that the totals were selected by */
	struct view view;
	struct bars bars;
	bool bars_found;
	bool ended;			/* the scope has ended; the screen keeps its last values */
	bool awaiting_guest;		/* the guest has ended; top waits until it runs again */
	bool by_total;
	bool children;			/* show child events, such as kvm_exit(HLT) */
	bool include_past;		/* totals start at VM creation */
	bool utf8;
	bool help;
	bool quit;
	bool sample_now;
	bool short_interval;		/* for the next sample only */
	uint64_t deadline;		/* of the next sample, in ns of CLOCK_MONOTONIC */
	struct prompt prompt;
	struct guests guests;		/* valid while the prompt asks for a guest */
	char guest[GUEST_NAME_SIZE];	/* if the filter selects one PID: its guest's name, or "" */
	char message[CLASSIC_MESSAGE];	/* shown in the bottom line */
	uint64_t message_until;		/* in ns of CLOCK_MONOTONIC */
	int rows;			/* of the table on the screen */
};

static inline struct classic_page *classic_page(struct classic *classic)
{
	return &classic->page[classic->depth];
}

void classic_message(struct classic *classic, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

#endif /* CLASSIC_STATE_H */
