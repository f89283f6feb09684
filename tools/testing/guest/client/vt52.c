// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "vt52.h"

#define ESCAPE	'\033'

static void erase(struct vt52 *screen, int row, int column)
{
	memset(&screen->cell[row][column], ' ', VT52_COLUMNS - column);
}

static void erase_below(struct vt52 *screen)
{
	int row;

	erase(screen, screen->row, screen->column);
	for (row = screen->row + 1; row < VT52_ROWS; row++)
		erase(screen, row, 0);
}

void vt52_clear(struct vt52 *screen)
{
	memset(screen, 0, sizeof(*screen));
	erase_below(screen);
}

static void move(struct vt52 *screen, int row, int column)
{
	if (row >= 0 && row < VT52_ROWS)
		screen->row = row;
	if (column >= 0 && column < VT52_COLUMNS)
		screen->column = column;
}

static void line_feed(struct vt52 *screen)
{
	if (screen->row < VT52_ROWS - 1) {
		screen->row++;
		return;
	}
	memmove(screen->cell[0], screen->cell[1], sizeof(screen->cell) - sizeof(screen->cell[0]));
	erase(screen, VT52_ROWS - 1, 0);
}

static void reverse_line_feed(struct vt52 *screen)
{
	if (screen->row > 0) {
		screen->row--;
		return;
	}
	memmove(screen->cell[1], screen->cell[0], sizeof(screen->cell) - sizeof(screen->cell[0]));
	erase(screen, 0, 0);
}

/* What follows ESC, as far as curses sends it; graphics mode and keypad mode are nothing to us. */
static void obey(struct vt52 *screen, const char *sequence)
{
	switch (sequence[0]) {
	case 'A':
		move(screen, screen->row - 1, screen->column);
		break;
	case 'B':
		move(screen, screen->row + 1, screen->column);
		break;
	case 'C':
		move(screen, screen->row, screen->column + 1);
		break;
	case 'D':
		move(screen, screen->row, screen->column - 1);
		break;
	case 'H':
		move(screen, 0, 0);
		break;
	case 'I':
		reverse_line_feed(screen);
		break;
	case 'J':
		erase_below(screen);
		break;
	case 'K':
		erase(screen, screen->row, screen->column);
		break;
	case 'Y':
		move(screen, sequence[1] - ' ', sequence[2] - ' ');
		break;
	}
}

static void control(struct vt52 *screen, char c)
{
	switch (c) {
	case '\b':
		move(screen, screen->row, screen->column - 1);
		break;
	case '\t':
		move(screen, screen->row, (screen->column | 7) + 1);
		break;
	case '\n':
		line_feed(screen);
		break;
	case '\r':
		move(screen, screen->row, 0);
		break;
	}
}

/* At the right margin it stays. */
static void print(struct vt52 *screen, char c)
{
	screen->cell[screen->row][screen->column] = c;
	move(screen, screen->row, screen->column + 1);
}

static void go_on(struct vt52 *screen, char c)
{
	size_t whole;

	screen->sequence[screen->length - 1] = c;
	whole = screen->sequence[0] == 'Y' ? 3 : 1;
	if (screen->length++ < whole)
		return;
	screen->length = 0;
	obey(screen, screen->sequence);
}

void vt52_write(struct vt52 *screen, const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		char c = text[i];

		if (screen->length)
			go_on(screen, c);
		else if (c == ESCAPE)
			screen->length = 1;
		else if (c >= 0 && c < ' ')
			control(screen, c);
		else
			print(screen, c);
	}
}
