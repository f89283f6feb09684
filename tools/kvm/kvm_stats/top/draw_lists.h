/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws what covers the table: the help, and the list of columns. */
#ifndef TOP_DRAW_LISTS_H
#define TOP_DRAW_LISTS_H

#include "top/draw.h"
#include "top/state.h"

void draw_keys(struct area area);
void draw_choices(const struct top *top, struct area area);

/* Explains why there are no lines. */
void draw_nothing(const struct top *top, struct area area);

#endif /* TOP_DRAW_LISTS_H */
