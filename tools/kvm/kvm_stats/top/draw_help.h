/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_DRAW_HELP_H
#define TOP_DRAW_HELP_H

#include "top/draw.h"

/* Lists the keys. */
void draw_help(struct area area);

#endif /* TOP_DRAW_HELP_H */
