/* SPDX-License-Identifier: GPL-2.0-only */
/* A prompt: the line editor for an answer of the user. */
#ifndef TOP_PROMPT_H
#define TOP_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#define PROMPT_SIZE	256

enum prompt_kind {
	PROMPT_NONE,
	PROMPT_REGEX,
	PROMPT_GUEST,
	PROMPT_DELAY,
	PROMPT_FILTER,
	PROMPT_SEARCH,
	PROMPT_INTERVAL,
};

enum prompt_result {
	PROMPT_PENDING,
	PROMPT_DONE,
	PROMPT_CANCELLED,
};

struct prompt {
	enum prompt_kind kind;
	char text[PROMPT_SIZE];
	size_t len;
	size_t at;			/* the byte in @text that the cursor is on */
	bool initial;			/* the first character replaces @text */
	char error[PROMPT_SIZE];	/* why the last answer was rejected, or "" */
};

/* Opens a prompt with an answer that the user can edit, or replace by typing another one. */
void prompt_begin(struct prompt *prompt, enum prompt_kind kind, const char *text);
void prompt_end(struct prompt *prompt);
const char *prompt_question(const struct prompt *prompt);

/* @key is a byte or a KEY_ constant of curses. */
enum prompt_result prompt_key(struct prompt *prompt, int key);

/* Draws the question and the answer in one line, and moves the cursor of the terminal. */
void prompt_draw(const struct prompt *prompt, int y, int columns);

#endif /* TOP_PROMPT_H */
