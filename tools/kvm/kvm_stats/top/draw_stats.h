/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws the page of statistics. */
#ifndef TOP_DRAW_STATS_H
#define TOP_DRAW_STATS_H

#include "top/draw.h"
#include "top/state.h"

void draw_stats_head(const struct top *top, int y, int columns);
void draw_stats(const struct top *top, struct area area);

#endif /* TOP_DRAW_STATS_H */
