// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "top/draw.h"
#include "top/prompt.h"

#define ESCAPE		27
#define CONTROL(c)	((c) & 0x1f)

void prompt_begin(struct prompt *prompt, enum prompt_kind kind, const char *text)
{
	*prompt = (struct prompt){ .kind = kind };
	snprintf(prompt->text, sizeof(prompt->text), "%s", text);
	prompt->len = strlen(prompt->text);
	prompt->at = prompt->len;
	prompt->initial = true;
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
	case PROMPT_FILTER:
		return "Show only names that match (empty: all): ";
	case PROMPT_SEARCH:
		return "Search: ";
	case PROMPT_INTERVAL:
		return "Seconds between readings: ";
	default:
		return "";
	}
}

/* ---- editing ---- */

/* In UTF-8, all bytes of a character except the first have the form 10xxxxxx. */
static bool continues(char byte)
{
	return (byte & 0xc0) == 0x80;
}

static void move_left(struct prompt *prompt)
{
	while (prompt->at && continues(prompt->text[prompt->at - 1]))
		prompt->at--;
	if (prompt->at)
		prompt->at--;
}

static void move_right(struct prompt *prompt)
{
	if (prompt->at < prompt->len)
		prompt->at++;
	while (prompt->at < prompt->len && continues(prompt->text[prompt->at]))
		prompt->at++;
}

/* Removes the bytes from @from to the cursor. */
static void erase_from(struct prompt *prompt, size_t from)
{
	memmove(prompt->text + from, prompt->text + prompt->at, prompt->len - prompt->at + 1);
	prompt->len -= prompt->at - from;
	prompt->at = from;
}

static void erase_before(struct prompt *prompt)
{
	size_t end = prompt->at;
	size_t from;

	move_left(prompt);
	from = prompt->at;
	prompt->at = end;
	erase_from(prompt, from);
}

static void erase_after(struct prompt *prompt)
{
	size_t from = prompt->at;

	move_right(prompt);
	erase_from(prompt, from);
}

static void erase_word(struct prompt *prompt)
{
	size_t from = prompt->at;

	while (from && prompt->text[from - 1] == ' ')
		from--;
	while (from && prompt->text[from - 1] != ' ')
		from--;
	erase_from(prompt, from);
}

static void insert(struct prompt *prompt, int key)
{
	if (key < ' ' || key > 0xff || key == 0x7f)
		return;
	if (prompt->initial)
		erase_from(prompt, 0);
	if (prompt->len + 1 >= sizeof(prompt->text))
		return;
	memmove(prompt->text + prompt->at + 1, prompt->text + prompt->at,
		prompt->len - prompt->at + 1);
	prompt->text[prompt->at++] = (char)key;
	prompt->len++;
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
		erase_before(prompt);
		break;
	case KEY_DC:
	case CONTROL('D'):
		erase_after(prompt);
		break;
	case CONTROL('U'):
		erase_from(prompt, 0);
		break;
	case CONTROL('W'):
		erase_word(prompt);
		break;
	case KEY_LEFT:
		move_left(prompt);
		break;
	case KEY_RIGHT:
		move_right(prompt);
		break;
	case KEY_HOME:
	case CONTROL('A'):
		prompt->at = 0;
		break;
	case KEY_END:
	case CONTROL('E'):
		prompt->at = prompt->len;
		break;
	default:
		insert(prompt, key);
	}
	prompt->initial = false;
	return PROMPT_PENDING;
}

/* ---- drawing ---- */

void prompt_draw(const struct prompt *prompt, int y, int columns)
{
	int x = draw_text(y, 0, columns, A_BOLD, prompt_question(prompt));
	int width = columns - x - 1;
	char before[PROMPT_SIZE];
	size_t from = 0;
	int cells;

	/* Show the part before the cursor. The number of bytes is at least the number of cells. */
	if (width > 0 && prompt->at > (size_t)width)
		from = prompt->at - (size_t)width;
	while (from && from < prompt->at && continues(prompt->text[from]))
		from++;
	draw_text(y, x, columns - x, prompt->initial ? A_REVERSE : 0, prompt->text + from);
	snprintf(before, sizeof(before), "%.*s", (int)(prompt->at - from), prompt->text + from);
	cells = draw_text(y, x, columns - x, prompt->initial ? A_REVERSE : 0, before);
	move(y, x + cells < columns ? x + cells : columns - 1);
}
