/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys, and the answers to prompts. They change the view. */
#ifndef TOP_INPUT_H
#define TOP_INPUT_H

#include "top/view.h"

/* Handles all keys that have been typed. @rows are those for lines on the screen. */
void input_read(struct view *view, int rows);

/* Opens a prompt with an answer that the user can keep, edit, or replace by typing. */
void prompt_begin(struct prompt *prompt, enum prompt_kind kind, const char *text);
/* @key is a byte or a KEY_ constant of curses. */
void prompt_key(struct prompt *prompt, int key);

#endif /* TOP_INPUT_H */
