/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_DRAW_GUESTS_H
#define TOP_DRAW_GUESTS_H

#include "top/draw.h"
#include "top/state.h"

/* Lists the guests that match the answer so far. */
void draw_guests(const struct top *top, struct area area);

#endif /* TOP_DRAW_GUESTS_H */
