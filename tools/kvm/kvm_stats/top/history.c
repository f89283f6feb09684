// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "top/history.h"

static void set(struct history *history, uint64_t second, double rate)
{
	history->rate[second % HISTORY_SECONDS] = (float)rate;
}

void history_add(struct history *history, uint64_t from, uint64_t to, double rate)
{
	uint64_t first = from / SECOND + 1;
	uint64_t last = to / SECOND;
	uint64_t second = history->end;

	if (first > last)
		first = last;
	if (!second || second + HISTORY_SECONDS < first)
		second = first > HISTORY_SECONDS ? first - HISTORY_SECONDS : 0;
	for (; second < first; second++)
		set(history, second, -1);
	if (last - first >= HISTORY_SECONDS)
		first = last - HISTORY_SECONDS + 1;
	for (second = first; second <= last; second++)
		set(history, second, rate);
	history->end = last + 1;
}

static double rate_of(const struct history *history, uint64_t second)
{
	if (second >= history->end || history->end - second > HISTORY_SECONDS)
		return -1;
	return history->rate[second % HISTORY_SECONDS];
}

double history_mean(const struct history *history, uint64_t now, int cell, int cells)
{
	uint64_t start = now / SECOND + 1;	/* a minute after the first second */
	int from = cell * HISTORY_SECONDS / cells;
	int to = (cell + 1) * HISTORY_SECONDS / cells;
	double sum = 0;
	int count = 0;
	int i;

	for (i = from; i < (to > from ? to : from + 1); i++) {
		uint64_t second = start + (uint64_t)i;
		double rate = second < HISTORY_SECONDS ? -1 :
			      rate_of(history, second - HISTORY_SECONDS);

		if (rate < 0)
			continue;
		sum += rate;
		count++;
	}
	return count ? sum / count : -1;
}

static const char *character(double rate, double highest, bool utf8)
{
	static const char * const blocks[] = {
		"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█",
	};
	static const char * const ascii[] = { "_", ".", "-", "~", "=", "+", "*", "#" };
	size_t level;

	if (rate < 0)
		return " ";
	level = highest > 0 ? (size_t)(rate / highest * 7 + 0.999) : 0;
	if (level >= ARRAY_SIZE(blocks))
		level = ARRAY_SIZE(blocks) - 1;
	return utf8 ? blocks[level] : ascii[level];
}

void history_draw(char *buf, size_t size, const struct history *history, uint64_t now, int cells,
		  bool utf8)
{
	double highest = 0;
	size_t used = 0;
	int i;

	for (i = 0; i < cells; i++) {
		double rate = history_mean(history, now, i, cells);

		highest = rate > highest ? rate : highest;
	}
	for (i = 0; i < cells; i++) {
		const char *text = character(history_mean(history, now, i, cells), highest, utf8);
		size_t len = strlen(text);

		if (used + len >= size)
			break;
		memcpy(buf + used, text, len);
		used += len;
	}
	buf[used] = '\0';
}
