/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draws text with colors. Every function, also those of draw_*.h, clips its output to the given
 * size.
 */
#ifndef TOP_DRAW_H
#define TOP_DRAW_H

#include <stddef.h>

enum draw_color {
	DRAW_PLAIN,
	DRAW_CLEARED,
	DRAW_APPEARED,
	DRAW_ERROR,
	DRAW_NEW,	/* the part of a bar that the last interval added */
	DRAW_HIGH,	/* a high load */
	DRAW_CRITICAL,
	DRAW_GUEST,	/* the part of a meter that is time in guests */
	DRAW_USER,
	DRAW_KERNEL,
	DRAW_COLORS,
};

struct area {
	int y;
	int rows;
	int columns;
};

void draw_colors(void);
/* Returns an attribute for attrset(), or 0 if the terminal has no colors. */
int draw_color(enum draw_color color);

/* Draws at most @width cells of @text. Returns the number of cells drawn. */
int draw_text(int y, int x, int width, int attributes, const char *text);
/* Aligns the end of @text with @x + @width. */
void draw_right(int y, int x, int width, int attributes, const char *text);

/* Draws @width spaces. */
void draw_spaces(int y, int x, int width, int attributes);

/* Draws each of the lines, cut to the width of @area. */
void draw_text_lines(struct area area, const char * const *lines, int count);

/* Draws text of several lines, and breaks long lines between words. Returns the row after it. */
int draw_wrapped(int y, struct area area, const char *text);

/*
 * Returns the first line to show in a table of @rows, so that line @at is visible. @first is
 * the current one.
 */
size_t draw_first(size_t first, size_t at, size_t lines, int rows);

#endif /* TOP_DRAW_H */
