/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is made of the answers to prompts: other filters, another interval.  0, or -errno if
 * there is nothing to go on with.
 */
#ifndef TOP_SETTINGS_H
#define TOP_SETTINGS_H

#include "top.h"

/* A key while there is a prompt. */
int settings_prompt_key(struct top *top, int key);

int settings_ask_guest(struct top *top);

/* No filters any more. */
int settings_clear_filters(struct top *top);

#endif /* TOP_SETTINGS_H */
