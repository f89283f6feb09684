/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes the filters and the interval, by prompts and keys. Functions return -errno if top
 * must end.
 */
#ifndef TOP_SETTINGS_H
#define TOP_SETTINGS_H

#include "top/state.h"

/* Handles a key while a prompt is open. */
int settings_prompt_key(struct top *top, int key);

int settings_ask_guest(struct top *top);

/* Clears the filters for statistics, processes and guests. */
int settings_clear_filters(struct top *top);

#endif /* TOP_SETTINGS_H */
