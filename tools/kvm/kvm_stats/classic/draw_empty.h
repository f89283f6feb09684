/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLASSIC_DRAW_EMPTY_H
#define CLASSIC_DRAW_EMPTY_H

#include "classic/state.h"
#include "top/draw.h"

/* Explains why the table is empty. */
void draw_empty_reason(const struct classic *classic, struct area area);

#endif /* CLASSIC_DRAW_EMPTY_H */
