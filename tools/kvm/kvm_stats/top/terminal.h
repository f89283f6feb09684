/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets the terminal up for top, and restores it however top ends.
 *
 * Between terminal_begin() and terminal_end(), standard error is captured. top shows the
 * messages on its screen; messages that it did not show are printed by terminal_end().
 */
#ifndef TOP_TERMINAL_H
#define TOP_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false after printing an error. */
bool terminal_begin(void);
void terminal_end(void);

/*
 * Returns the messages since the last call, without the program's name, or "". The result is
 * @buf.
 */
const char *terminal_errors(char *buf, size_t size);

enum terminal_event {
	TERMINAL_TIMEOUT = 1,	/* the deadline has passed */
	TERMINAL_KEY = 2,
	TERMINAL_FD = 4,	/* the other fd is readable */
	TERMINAL_RESIZED = 8,	/* curses already uses the new size */
	TERMINAL_CLOSED = 16,	/* the terminal is closed, or a signal ends top */
};

/*
 * Waits for a key, for @fd, a signal or @deadline (in ns of CLOCK_MONOTONIC). Returns the events,
 * or-ed together.
 */
unsigned int terminal_wait(int fd, uint64_t deadline);

/* Returns the signal that ended top, or 0. */
int terminal_signal(void);

#endif /* TOP_TERMINAL_H */
