/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is made of the answers to prompts: other filters, another interval.  0, or -errno if
 * there is nothing to go on with.
 */
#ifndef TOP_ANSWER_H
#define TOP_ANSWER_H

#include "top.h"

/* A key while there is a prompt. */
int answer_key(struct top *top, int key);

int answer_ask_guest(struct top *top);

/* No filters any more. */
int answer_clear(struct top *top);

#endif /* TOP_ANSWER_H */
