/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include "top/state.h"

void top_draw(struct top *top);

#endif /* TOP_SCREEN_H */
