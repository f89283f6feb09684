/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLASSIC_DRAW_HELP_H
#define CLASSIC_DRAW_HELP_H

#include "top/draw.h"

/* Lists the keys. */
void draw_help(struct area area);

#endif /* CLASSIC_DRAW_HELP_H */
