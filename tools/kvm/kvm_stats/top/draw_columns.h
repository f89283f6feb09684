/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws the tables of guests and vCPUs. */
#ifndef TOP_DRAW_COLUMNS_H
#define TOP_DRAW_COLUMNS_H

#include "top/draw.h"
#include "top/state.h"

void draw_columns_head(const struct top *top, int y, int columns);
void draw_columns(const struct top *top, struct area area);

#endif /* TOP_DRAW_COLUMNS_H */
