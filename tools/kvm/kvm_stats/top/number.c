// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "top/number.h"

void number_count(char *buf, int width, uint64_t value)
{
	static const char prefix[] = "kMGTPE";
	int len = snprintf(buf, NUMBER_SIZE, "%" PRIu64, value);
	size_t i;

	for (i = 0; len > width && prefix[i]; i++) {
		value /= 1000;
		len = snprintf(buf, NUMBER_SIZE, "%" PRIu64 "%c", value, prefix[i]);
	}
}

void number_rate(char *buf, int width, double rate)
{
	if (rate >= 9.95)
		number_count(buf, width, (uint64_t)(rate + 0.5));
	else if (rate < 0.05)
		snprintf(buf, NUMBER_SIZE, "%s", rate > 0 ? "<0.1" : "0");
	else
		snprintf(buf, NUMBER_SIZE, "%.1f", rate);
}

/* Writes three digits without trailing zeros. @integer: without decimal places. */
static void put(char *buf, double value, bool integer, const char *unit)
{
	int places = integer || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	char number[NUMBER_SIZE];
	int len = snprintf(number, sizeof(number), "%.*f", places, value);

	while (places && number[len - 1] == '0') {
		number[--len] = '\0';
		places--;
	}
	if (len && number[len - 1] == '.')
		number[len - 1] = '\0';
	snprintf(buf, NUMBER_SIZE, "%.20s%.8s", number, unit);
}

void number_seconds(char *buf, double value, bool utf8)
{
	if (value <= 0)
		put(buf, 0, true, "s");
	else if (value * 1e9 < 999.5)
		put(buf, value * 1e9, value * 1e9 >= 1, "ns");
	else if (value * 1e6 < 999.5)
		put(buf, value * 1e6, false, utf8 ? "µs" : "us");
	else if (value * 1e3 < 999.5)
		put(buf, value * 1e3, false, "ms");
	else
		put(buf, value, false, "s");
}

void number_bytes(char *buf, double value)
{
	static const char * const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	size_t i = 0;

	while (value >= 1023.5 && i + 1 < ARRAY_SIZE(unit)) {
		value /= 1024;
		i++;
	}
	put(buf, value, !i, unit[i]);
}

void number_percent(char *buf, double percent)
{
	snprintf(buf, NUMBER_SIZE, "%.*f", percent < 99.95 ? 1 : 0, percent);
}

enum number_unit number_unit_of(const struct kvmstats_stat *stat, double *factor)
{
	unsigned int unit = kvmstats_stat_unit(stat);
	unsigned int base = kvmstats_stat_base(stat);

	*factor = 1;
	if ((unit != KVMSTATS_UNIT_SECONDS && unit != KVMSTATS_UNIT_BYTES) ||
	    (base != KVMSTATS_BASE_POW10 && base != KVMSTATS_BASE_POW2))
		return NUMBER_COUNT;
	*factor = pow(base == KVMSTATS_BASE_POW2 ? 2 : 10, kvmstats_stat_exponent(stat));
	return unit == KVMSTATS_UNIT_SECONDS ? NUMBER_SECONDS : NUMBER_BYTES;
}

/* ---- history ---- */

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
