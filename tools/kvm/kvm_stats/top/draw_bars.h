/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_DRAW_BARS_H
#define TOP_DRAW_BARS_H

#include <stdbool.h>
#include <stddef.h>

#include "top/bars.h"
#include "top/draw.h"

/* One line: the number of samples, the median and the 99th percentile. */
void draw_bars_summary(const struct bars *bars, int y, int columns);

/* The bars from bar *@first on, which is reduced if the area has rows for more bars. */
void draw_bars(const struct bars *bars, struct area area, size_t *first, bool utf8);

#endif /* TOP_DRAW_BARS_H */
