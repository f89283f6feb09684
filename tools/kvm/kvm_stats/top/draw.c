// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "top/draw.h"
#include "top/text.h"

static bool has_pairs;

void draw_colors(void)
{
	has_pairs = has_colors() && COLORS >= 8 && COLOR_PAIRS >= DRAW_COLORS;
	if (!has_pairs)
		return;
	init_pair(DRAW_CLEARED, COLOR_YELLOW, -1);
	init_pair(DRAW_APPEARED, COLOR_GREEN, -1);
	init_pair(DRAW_ERROR, COLOR_RED, -1);
	init_pair(DRAW_NEW, COLOR_CYAN, -1);
	init_pair(DRAW_HIGH, COLOR_YELLOW, -1);
	init_pair(DRAW_CRITICAL, COLOR_RED, -1);
	init_pair(DRAW_GUEST, COLOR_GREEN, -1);
	init_pair(DRAW_USER, COLOR_BLUE, -1);
	init_pair(DRAW_KERNEL, COLOR_RED, -1);
}

int draw_color(enum draw_color color)
{
	return has_pairs && color ? (int)COLOR_PAIR(color) : 0;
}

int draw_text(int y, int x, int width, int attributes, const char *text)
{
	char buf[1024];
	int cells;

	if (width <= 0 || y < 0 || y >= LINES || x >= COLS)
		return 0;
	if (x + width > COLS)
		width = COLS - x;
	cells = text_fit(buf, sizeof(buf), text, width);
	attrset(attributes);
	mvaddstr(y, x, buf);
	attrset(A_NORMAL);
	return cells;
}

void draw_right(int y, int x, int width, int attributes, const char *text)
{
	char buf[256];
	int cells = text_fit(buf, sizeof(buf), text, width);

	draw_text(y, x + width - cells, cells, attributes, buf);
}

int draw_wrapped(int y, struct area area, const char *text)
{
	int width = area.columns - 1;

	while (*text && y < area.y + area.rows && width > 0) {
		size_t len = strcspn(text, "\n");
		char line[512];

		if (len > (size_t)width) {
			size_t space = (size_t)width;

			while (space && text[space] != ' ')
				space--;
			len = space ? space : (size_t)width;
		}
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		draw_text(y++, 1, width, 0, line);
		text += len;
		text += *text == ' ' || *text == '\n';
	}
	return y;
}

void draw_spaces(int y, int x, int width, int attributes)
{
	for (; width > 0; width--, x++)
		draw_text(y, x, 1, attributes, " ");
}

void draw_text_lines(struct area area, const char * const *lines, int count)
{
	int i;

	for (i = 0; i < count && i < area.rows; i++)
		draw_text(area.y + i, 1, area.columns - 1, 0, lines[i]);
}

size_t draw_first(size_t first, size_t at, size_t lines, int rows)
{
	size_t shown = rows > 0 ? (size_t)rows : 1;

	if (at < first)
		first = at;
	if (at >= first + shown)
		first = at - shown + 1;
	if (first + shown > lines)
		first = lines > shown ? lines - shown : 0;
	return first;
}
