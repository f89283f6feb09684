/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal as top needs it, and as it was before again, whichever way top ends.
 *
 * While it is ours, complaints do not go to the terminal: they are kept, to be shown at a
 * place for them, and what nobody has shown is written when the terminal is given back.
 */
#ifndef TOP_TERMINAL_H
#define TOP_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False after a complaint. */
bool terminal_begin(void);
void terminal_end(void);

/* What has been complained about since the last time, without the program's name; or "". */
const char *terminal_errors(char *buf, size_t size);

enum terminal_event {
	TERMINAL_TIMEOUT = 1,	/* @deadline is over */
	TERMINAL_KEY = 2,
	TERMINAL_FD = 4,	/* @fd is readable */
	TERMINAL_RESIZED = 8,	/* it has another one, which is in effect already */
	TERMINAL_CLOSED = 16,	/* it is closed, or a signal says that we have to end */
};

/* Until something happens, at most until @deadline (ns of CLOCK_MONOTONIC): what. */
unsigned int terminal_wait(int fd, uint64_t deadline);

/* The signal that ended it, 0: none. */
int terminal_signal(void);

#endif /* TOP_TERMINAL_H */
