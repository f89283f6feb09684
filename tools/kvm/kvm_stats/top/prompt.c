// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>

#include "top/prompt.h"

#define ESCAPE		27
#define CONTROL(c)	((c) & 0x1f)

void prompt_begin(struct prompt *prompt, enum prompt_kind kind)
{
	*prompt = (struct prompt){ .kind = kind };
}

void prompt_end(struct prompt *prompt)
{
	prompt->kind = PROMPT_NONE;
}

const char *prompt_question(const struct prompt *prompt)
{
	switch (prompt->kind) {
	case PROMPT_REGEX:
		return "Regular expression (empty: all): ";
	case PROMPT_GUEST:
		return "Guest or PID (empty: all): ";
	case PROMPT_DELAY:
		return "Seconds between readings (empty: 3): ";
	default:
		return "";
	}
}

/* In UTF-8, all bytes of a character except the first have the form 10xxxxxx. */
static void erase_last(struct prompt *prompt)
{
	while (prompt->len && (prompt->text[prompt->len - 1] & 0xc0) == 0x80)
		prompt->len--;
	if (prompt->len)
		prompt->len--;
	prompt->text[prompt->len] = '\0';
}

static void append(struct prompt *prompt, int key)
{
	if (key < ' ' || key > 0xff || key == 0x7f || prompt->len + 1 >= sizeof(prompt->text))
		return;
	prompt->text[prompt->len++] = (char)key;
	prompt->text[prompt->len] = '\0';
}

enum prompt_result prompt_key(struct prompt *prompt, int key)
{
	prompt->error[0] = '\0';
	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
		return PROMPT_DONE;
	case ESCAPE:
		return PROMPT_CANCELLED;
	case KEY_BACKSPACE:
	case 0x7f:
	case CONTROL('H'):
		erase_last(prompt);
		break;
	case CONTROL('U'):
		prompt->len = 0;
		prompt->text[0] = '\0';
		break;
	default:
		append(prompt, key);
	}
	return PROMPT_PENDING;
}
