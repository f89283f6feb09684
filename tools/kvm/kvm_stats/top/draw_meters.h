/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws the meters of the host, and what top watches. */
#ifndef TOP_DRAW_METERS_H
#define TOP_DRAW_METERS_H

#include "top/state.h"

/* One line: the use of CPUs and memory, and the load. */
void draw_meters(const struct top *top, int y, int columns);

/* One line: the numbers of guests and vCPUs, sources and settings. */
void draw_summary(const struct top *top, int y, int columns);

#endif /* TOP_DRAW_METERS_H */
