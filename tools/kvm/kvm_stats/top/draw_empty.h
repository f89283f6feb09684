/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_DRAW_EMPTY_H
#define TOP_DRAW_EMPTY_H

#include "top/draw.h"
#include "top/state.h"

/* Explains why the table is empty. */
void draw_empty_reason(const struct top *top, struct area area);

#endif /* TOP_DRAW_EMPTY_H */
