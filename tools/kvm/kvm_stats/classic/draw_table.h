/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLASSIC_DRAW_TABLE_H
#define CLASSIC_DRAW_TABLE_H

#include "classic/state.h"
#include "top/draw.h"

void draw_table_head(const struct classic *classic, int y, int columns);
void draw_table(struct classic *classic, struct area area);
void draw_table_sum(const struct classic *classic, int y, int columns);

#endif /* CLASSIC_DRAW_TABLE_H */
