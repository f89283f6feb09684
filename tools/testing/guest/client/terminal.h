/* SPDX-License-Identifier: GPL-2.0-only */
/* A program on a terminal of ours: what it shows, and keys for it. */
#ifndef CLIENT_TERMINAL_H
#define CLIENT_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

#include "vt52.h"

#define KEY_IS_DOWN	"\033B"
#define KEY_IS_LEFT	"\033D"

struct terminal {
	pid_t pid;		/* 0: nothing runs there */
	int master;
	struct vt52 screen;
	char output[4096];	/* of the program; up to @drawn it is on the screen */
	size_t size, drawn;
};

#define TERMINAL_NONE	((struct terminal){ .master = -1 })

/*
 * kvm-stats with arguments that have no spaces in them; @uid: as that user, or 0.  0 or -errno;
 * terminal_close() is due in both cases.
 */
int terminal_start(struct terminal *terminal, uid_t uid, const char *arguments);
void terminal_close(struct terminal *terminal);

/* At most as large as a VT52. */
void terminal_resize(struct terminal *terminal, int rows, int columns);

void terminal_type(struct terminal *terminal, const char *keys);

/*
 * Some line matches this extended regular expression, now or before @seconds are over; if it does
 * not, the screen is noted.
 */
bool terminal_shows(struct terminal *terminal, const char *regex, int seconds);

/* That line, from 0, does. */
bool terminal_shows_in(struct terminal *terminal, int row, const char *regex, int seconds);

/* No line does, by then. */
bool terminal_lacks(struct terminal *terminal, const char *regex, int seconds);

/* It ends by itself: its exit status, or -1. */
int terminal_status(struct terminal *terminal, int seconds);

#endif /* CLIENT_TERMINAL_H */
