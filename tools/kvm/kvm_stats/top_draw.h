/* SPDX-License-Identifier: GPL-2.0-only */
/* What is on top's screen.  All of it may be of any size, and keeps within it. */
#ifndef TOP_DRAW_H
#define TOP_DRAW_H

#include "top.h"

enum draw_color {
	DRAW_PLAIN,
	DRAW_CLEARED,
	DRAW_APPEARED,
	DRAW_ERROR,
	DRAW_NEW,	/* of a bar: of the last interval */
};

/* A part of the screen. */
struct area {
	int y;
	int rows;
	int columns;
};

void draw_colors(void);
/* To be or-ed to attributes; nothing on terminals without colours. */
int draw_color(enum draw_color color);

/* At most @width cells of @text; how many it took. */
int draw_text(int y, int x, int width, int attributes, const char *text);
/* With its end at @x + @width. */
void draw_right(int y, int x, int width, int attributes, const char *text);

void draw_table_head(const struct top *top, int y, int columns);
void draw_table(struct top *top, struct area area);
void draw_table_sum(const struct top *top, int y, int columns);

void draw_bars_summary(const struct top *top, int y, int columns);
void draw_bars(struct top *top, struct area area);

void draw_help(struct area area);
void draw_guests(const struct top *top, struct area area);
/* Why there is nothing to be seen. */
void draw_empty_reason(const struct top *top, struct area area);

/* Which line is the first so that line @at is among @rows of them. */
size_t draw_first(size_t first, size_t at, size_t lines, int rows);

#endif /* TOP_DRAW_H */
