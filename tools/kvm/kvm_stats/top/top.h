/* SPDX-License-Identifier: GPL-2.0-only */
/* The full screen: 'kvm-stats top' */
#ifndef TOP_TOP_H
#define TOP_TOP_H

#include <stdint.h>

#include "model.h"
#include "options.h"
#include "util.h"

struct top_options {
	struct monitor_options monitor;	/* what the user has selected */
	uint64_t interval;	/* in ns */
	const char *columns;	/* names of columns, separated by commas; NULL: the usual ones */
	const char *sort;	/* name of a column */
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
