/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws the view. It changes nothing of it. */
#ifndef TOP_DRAW_H
#define TOP_DRAW_H

#include <stddef.h>

#include "top/view.h"

/* What of the page is on the screen. */
struct drawn {
	size_t first;		/* the first line */
	int rows;		/* for lines */
};

/*
 * Draws meters, summary, title, times of vCPUs or the summary of a histogram, headings, lines, how
 * many follow, and the bottom line.
 */
struct drawn draw_view(const struct view *view);

#endif /* TOP_DRAW_H */
