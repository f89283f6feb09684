/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLASSIC_DRAW_GUESTS_H
#define CLASSIC_DRAW_GUESTS_H

#include "classic/state.h"
#include "top/draw.h"

/* Lists the guests that match the answer so far. */
void draw_guests(const struct classic *classic, struct area area);

#endif /* CLASSIC_DRAW_GUESTS_H */
