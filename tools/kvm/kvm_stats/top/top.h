/* SPDX-License-Identifier: GPL-2.0-only */
/* The full screen: 'kvm-stats top' */
#ifndef TOP_TOP_H
#define TOP_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"
#include "options.h"
#include "util.h"

struct top_options {
	const struct filter *filter;
	uint64_t interval;	/* in ns */
	const char *columns;	/* names of columns, separated by commas; NULL: the usual ones */
	const char *sort;	/* name of a column, NULL: CPU */
	bool exits;		/* see monitor_options */
	bool switches;		/* the same */
	const char *from;	/* the same */
	struct replay_options replay;	/* the same; without the interval */
};

/* The command top. Returns the exit status. */
int command_top(int argc, char **argv);

/* Runs until the user quits. Returns the exit status. */
#ifdef HAVE_CURSES
int top_run(const struct top_options *options);
#else
static inline int top_run(const struct top_options *options)
{
	complain("top is not available: this kvm-stats was built without ncurses. Use 'kvm-stats "
		 "log', or build kvm-stats again with ncurses (Debian: libncurses-dev).");
	return STATUS_FAILED;
}
#endif

#endif /* TOP_TOP_H */
