/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run `kvm-stats top` on a pseudo-terminal, send it keys and search what it displays.
 *
 * The text is not laid out as on a screen: tools/testing/host/all/top.t tests that. Here all rows
 * are one line, in which one space replaces each escape sequence and each run of spaces.
 */
#ifndef CLIENT_TERMINAL_H
#define CLIENT_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

#define TERMINAL_COLUMNS	80

#define MAX_OUTPUT		65536

#define KEY_DOWN	"\033OB"
#define KEY_LEFT	"\033OD"

struct terminal {
	pid_t pid;		/* 0: no program runs */
	int master;
	int rows, columns;
	char raw[MAX_OUTPUT];	/* output of the program since the last redraw */
	size_t size;
};

#define TERMINAL_NONE	((struct terminal){ .master = -1 })

/*
 * Starts kvm-stats with @arguments, which are separated by single spaces, as the user @uid, or
 * as root if that is 0. Returns 0 or -errno. Call terminal_close() in both cases.
 */
int terminal_start(struct terminal *terminal, uid_t uid, const char *arguments);
void terminal_close(struct terminal *terminal);

void terminal_set_columns(struct terminal *terminal, int columns);
void terminal_type(struct terminal *terminal, const char *keys);

/*
 * Waits up to @seconds until the displayed text matches, or does not match, an extended regular
 * expression. Prints the text as a note if that does not happen.
 */
bool terminal_shows(struct terminal *terminal, const char *regex, int seconds);
bool terminal_lacks(struct terminal *terminal, const char *regex, int seconds);

/*
 * Waits up to @seconds for a message, which is visible only for some seconds. Searches all
 * output since the last call of terminal_shows() or terminal_lacks().
 */
bool terminal_reports(struct terminal *terminal, const char *regex, int seconds);

/* Waits until the program ends by itself. Returns its exit status, or -1. */
int terminal_status(struct terminal *terminal, int seconds);

#endif /* CLIENT_TERMINAL_H */
