// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <string.h>

#include "top/draw_meter.h"

static void draw_parts(int y, int x, int width, const struct meter_part *part, size_t parts)
{
	double sum = 0;
	int from = 0;
	size_t i;

	for (i = 0; i < parts; i++) {
		int to;

		sum += part[i].percent > 0 ? part[i].percent : 0;
		to = (int)(sum / 100 * width + 0.5);
		for (; from < to && from < width; from++)
			draw_text(y, x + from, 1, draw_color(part[i].color) | A_BOLD, part[i].cell);
	}
}

int draw_meter(int y, int x, int width, const char *name, const struct meter_part *part,
	       size_t parts, const char *text)
{
	int inside = width - (int)strlen(name) - 2;

	if (inside < 2)
		return x;
	draw_text(y, x, width, A_BOLD, name);
	x += (int)strlen(name);
	draw_text(y, x, 1, A_BOLD, "[");
	draw_parts(y, x + 1, inside, part, parts);
	draw_right(y, x + 1, inside, 0, text);
	draw_text(y, x + 1 + inside, 1, A_BOLD, "]");
	return x + inside + 2;
}
