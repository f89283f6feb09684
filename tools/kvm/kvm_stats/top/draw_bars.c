// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "top/draw_bars.h"
#include "top/layout.h"
#include "top/number.h"

#define HEAD	1	/* rows above the bars */

/* ---- one bar ---- */

/* Fills @buf with @cells copies of @cell, which can have several bytes. */
static void repeat(char *buf, size_t size, const char *cell, unsigned int cells)
{
	size_t len = strlen(cell);

	for (*buf = '\0'; cells && size > len; cells--, buf += len, size -= len)
		memcpy(buf, cell, len + 1);
}

/* @old and @all are lengths in eighths of a cell. */
static void draw_utf8(int y, int x, unsigned int old, unsigned int all)
{
	static const char * const part[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	/* The color changes only between two cells. */
	unsigned int border = old / 8;
	char buf[1024];

	if (all == old)
		border = all / 8;
	repeat(buf, sizeof(buf), "█", border);
	draw_text(y, x, (int)border, 0, buf);
	repeat(buf, sizeof(buf), "█", all / 8 - border);
	draw_text(y, x + (int)border, (int)(all / 8 - border), draw_color(DRAW_NEW), buf);
	draw_text(y, x + (int)(all / 8), 1, all > old ? draw_color(DRAW_NEW) : 0, part[all % 8]);
}

static void draw_ascii(int y, int x, unsigned int old, unsigned int all)
{
	unsigned int cells = all ? (all + 7) / 8 : 0;
	unsigned int border = all == old ? cells : old / 8;
	char buf[1024];

	repeat(buf, sizeof(buf), "#", border);
	draw_text(y, x, (int)border, 0, buf);
	repeat(buf, sizeof(buf), "+", cells - border);
	draw_text(y, x + (int)border, (int)(cells - border), draw_color(DRAW_NEW), buf);
}

static void draw_bar(const struct bars *bars, const struct bar *bar, int y,
		     const struct bars_layout *layout, bool utf8)
{
	char count[NUMBER_SIZE], share[NUMBER_SIZE];
	unsigned int width = layout->bar > 2 ? layout->bar - 2 : 0;
	unsigned int all = bar_eighths(bar->count, bars->largest, width);
	unsigned int old = bar_eighths(bar->count - bar->delta, bars->largest, width);
	int x = layout->from;

	draw_right(y, 0, layout->from, 0, bar->from);
	draw_right(y, x, layout->to, 0, *bar->to ? bar->to : "-");
	x += layout->to;
	number_count(count, layout->count - 1, bar->count);
	draw_right(y, x, layout->count, bar->count ? 0 : A_DIM, count);
	x += layout->count;
	snprintf(share, sizeof(share), "%.1f", 100.0 * (double)bar->count / (double)bars->samples);
	draw_right(y, x, layout->share, bar->count ? 0 : A_DIM, share);
	x += layout->share + 1;
	if (utf8)
		draw_utf8(y, x, old, all);
	else
		draw_ascii(y, x, old, all);
}

/* ---- all ---- */

static void draw_head(int y, int columns)
{
	struct bars_layout layout = layout_bars(columns);
	int x = layout.from;
	int i;

	for (i = 0; i < columns; i++)
		draw_text(y, i, 1, A_STANDOUT, " ");
	draw_right(y, 0, layout.from, A_STANDOUT, "From");
	draw_right(y, x, layout.to, A_STANDOUT, "Below");
	draw_right(y, x + layout.to, layout.count, A_STANDOUT, "Samples");
	draw_right(y, x + layout.to + layout.count, layout.share, A_STANDOUT, "%");
}

/* Writes the bound of a percentile that is in @bar, such as "< 2.05us". */
static void put_bound(char *buf, size_t size, const struct bar *bar)
{
	if (*bar->to)
		snprintf(buf, size, "< %s", bar->to);
	else
		snprintf(buf, size, ">= %s", bar->from);
}

void draw_bars_summary(const struct bars *bars, int y, int columns)
{
	char median[64], p99[64], text[256];

	if (!bars->bars)
		return;
	put_bound(median, sizeof(median), &bars->bar[bars->median]);
	put_bound(p99, sizeof(p99), &bars->bar[bars->p99]);
	snprintf(text, sizeof(text), "%" PRIu64 " samples, %" PRIu64 " new; p50 %s, p99 %s",
		 bars->samples, bars->delta, median, p99);
	draw_text(y, 0, columns, 0, text);
}

void draw_bars(const struct bars *bars, struct area area, size_t *first, bool utf8)
{
	struct bars_layout layout = layout_bars(area.columns);
	int rows = area.rows > HEAD ? area.rows - HEAD : 0;
	int i;

	if (*first + rows > bars->bars)
		*first = bars->bars > (size_t)rows ? bars->bars - rows : 0;
	for (i = 0; i < rows && *first + i < bars->bars; i++)
		draw_bar(bars, &bars->bar[*first + i], area.y + HEAD + i, &layout, utf8);
	draw_head(area.y, area.columns);
}
