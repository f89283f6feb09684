/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal, and drawing on it: text, meters. All functions clip their output. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <curses.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

/* ---- the terminal ---- */

/* Sets the terminal up. Returns false, with the reason in @why. */
bool screen_open(struct message *why);

/* Restores the terminal. Does nothing if that is done already. */
void screen_close(void);

/* Waits for a key, a signal, or @deadline. Returns false if top must end. */
bool screen_wait(uint64_t deadline);

/* If a signal ended top, raises it again, so that the parent process sees it. */
void screen_raise(void);

/* ---- drawing ---- */

/* Returns an attribute for attrset(), or 0 if the terminal has no colors. */
int screen_color(int color);

/*
 * Copies as much of @text as fits into @width cells. If it is cut, the copy ends with an ellipsis.
 * Replaces what cannot be shown by '?'. Returns the number of cells used.
 */
int screen_fit(char *buf, size_t size, const char *text, int width);

/* Draws @text in at most @width cells, at the left or right. Returns the number of cells drawn. */
int screen_text(int y, int x, int width, bool right, int attributes, const char *text);

/* Draws up to the end of the line. Returns the number of cells drawn. */
int screen_print(int y, int x, int attributes, const char *format, ...)
	__attribute__((__format__(__printf__, 4, 5)));

/*
 * Draws text in the rows from @y to @end, and breaks long lines between words. Returns the row
 * after it.
 */
int screen_paragraph(int y, int end, int attributes, const char *format, ...)
	__attribute__((__format__(__printf__, 4, 5)));

/* A part of a meter, in percent, drawn with the first character of its name in its color. */
struct meter_part {
	double percent;
	int color;
	const char *name;
};

/*
 * A stacked bar, like the meters of htop: "CPU [|||||    37.5%]". @text is at its right end.
 * Returns the cell after the meter.
 */
int screen_meter(int y, int x, int width, const char *name, const struct meter_part *part,
		 size_t parts, const char *text);

#endif /* TOP_SCREEN_H */
