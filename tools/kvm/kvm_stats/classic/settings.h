/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes the filters and the interval, by prompts and keys. Functions return -errno if top
 * must end.
 */
#ifndef CLASSIC_SETTINGS_H
#define CLASSIC_SETTINGS_H

#include "classic/state.h"

/* Handles a key while a prompt is open. */
int settings_prompt_key(struct classic *classic, int key);

int settings_ask_guest(struct classic *classic);

/* Clears the filters for statistics, processes and guests. */
int settings_clear_filters(struct classic *classic);

#endif /* CLASSIC_SETTINGS_H */
