/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_DRAW_BARS_H
#define TOP_DRAW_BARS_H

#include "top/draw.h"
#include "top/state.h"

void draw_bars_summary(const struct top *top, int y, int columns);
void draw_bars(struct top *top, struct area area);

#endif /* TOP_DRAW_BARS_H */
