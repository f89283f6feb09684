/* SPDX-License-Identifier: GPL-2.0-only */
/* Handles keys while a prompt is open. */
#ifndef TOP_ANSWERS_H
#define TOP_ANSWERS_H

#include "top/state.h"

/* Opens a prompt with the current setting. */
void answers_ask(struct top *top, enum prompt_kind kind);

/* Returns 0, or -errno if top must end. */
int answers_key(struct top *top, int key);

/* Removes the filter of the page. */
int answers_clear_filter(struct top *top);

#endif /* TOP_ANSWERS_H */
