/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_DRAW_TABLE_H
#define TOP_DRAW_TABLE_H

#include "top/draw.h"
#include "top/state.h"

void draw_table_head(const struct top *top, int y, int columns);
void draw_table(struct top *top, struct area area);
void draw_table_sum(const struct top *top, int y, int columns);

#endif /* TOP_DRAW_TABLE_H */
