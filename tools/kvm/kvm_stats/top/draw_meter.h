/* SPDX-License-Identifier: GPL-2.0-only */
/* A stacked bar, like the meters of htop: "CPU [|||||    37.5%]". */
#ifndef TOP_DRAW_METER_H
#define TOP_DRAW_METER_H

#include <stddef.h>

#include "top/draw.h"

/* A part of a meter: of 100 percent, in its color. */
struct meter_part {
	double percent;
	enum draw_color color;
	const char *cell;	/* the character that fills it */
};

/* @text is at the right end of the bar. Returns the cell after the meter. */
int draw_meter(int y, int x, int width, const char *name, const struct meter_part *part,
	       size_t parts, const char *text);

#endif /* TOP_DRAW_METER_H */
