/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws where the time of the page's vCPUs goes: a stacked bar, and the classes of exits. */
#ifndef TOP_DRAW_TIME_H
#define TOP_DRAW_TIME_H

#include "top/draw.h"
#include "top/state.h"

/* Returns how many of @rows are needed. 0: the page has no such times, or they do not fit. */
int draw_time_rows(const struct top *top, int rows, int columns);

void draw_time(const struct top *top, struct area area);

#endif /* TOP_DRAW_TIME_H */
