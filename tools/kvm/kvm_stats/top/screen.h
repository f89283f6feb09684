/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include "top/state.h"

void screen_draw(struct top *top);

/* Shows @text immediately, before a slow operation: closing tracepoints takes seconds. */
void screen_show_now(const char *text);

#endif /* TOP_SCREEN_H */
