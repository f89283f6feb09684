/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLASSIC_SCREEN_H
#define CLASSIC_SCREEN_H

#include "classic/state.h"

void screen_draw(struct classic *classic);

/* Shows @text immediately, before a slow operation: closing tracepoints takes seconds. */
void screen_show_now(const char *text);

#endif /* CLASSIC_SCREEN_H */
