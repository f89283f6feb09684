// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stat.h"
#include "top/number.h"

bool is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static void put_whole(char *buf, double number, int width)
{
	static const char prefix[] = "kMGTPE";
	/* 2^64, which a sum can be rounded to, does not fit. */
	uint64_t value = number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
	int len = snprintf(buf, NUMBER_SIZE, "%" PRIu64, value);
	size_t i;

	for (i = 0; len > width && prefix[i]; i++) {
		value /= 1000;
		len = snprintf(buf, NUMBER_SIZE, "%" PRIu64 "%c", value, prefix[i]);
	}
}

/* Writes three digits, with the first of the units that is large enough. */
static void put_prefixed(char *buf, double value, double step, const char * const *unit)
{
	while (value >= step - 0.5 && unit[1]) {
		value /= step;
		unit++;
	}
	snprintf(buf, NUMBER_SIZE, value < 999.5 ? "%.3g%s" : "%.0f%s", value, *unit);
}

static void put_seconds(char *buf, double value)
{
	const char * const units[] = { "ns", is_utf8() ? "µs" : "us", "ms", "s", NULL };

	if (value > 0)
		put_prefixed(buf, value * 1e9, 1000, units);
	else
		strcpy(buf, "0s");
}

void number_put(char *buf, enum unit unit, double number, int width)
{
	static const char * const bytes[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL };

	if (unit == UNIT_SECONDS)
		put_seconds(buf, number);
	else if (unit == UNIT_BYTES)
		put_prefixed(buf, number, 1024, bytes);
	else if (unit == UNIT_PERCENT)
		snprintf(buf, NUMBER_SIZE, "%.*f", number < 99.95 ? 1 : 0, number);
	else if (unit == UNIT_COUNT || number >= 9.95)
		put_whole(buf, unit == UNIT_COUNT ? number : number + 0.5, width);
	else if (number < 0.05)
		snprintf(buf, NUMBER_SIZE, "%s", number > 0 ? "<0.1" : "0");
	else
		snprintf(buf, NUMBER_SIZE, "%.1f", number);
}

enum unit number_unit_of(const struct kvmstats_stat *stat, double *factor)
{
	unsigned int unit = kvmstats_stat_unit(stat);

	*factor = 1;
	if ((unit != KVMSTATS_UNIT_SECONDS && unit != KVMSTATS_UNIT_BYTES) ||
	    !kvmstats_base_name(kvmstats_stat_base(stat)))
		return UNIT_COUNT;
	*factor = stat_factor(stat);
	return unit == KVMSTATS_UNIT_SECONDS ? UNIT_SECONDS : UNIT_BYTES;
}

/* ---- history ---- */

static void push_rate(struct history *history, double rate)
{
	memmove(history->rate, history->rate + 1, sizeof(history->rate) - sizeof(*history->rate));
	history->rate[HISTORY_SAMPLES - 1] = (float)rate;
	history->samples += history->samples < HISTORY_SAMPLES;
}

void history_add(struct history *history, uint64_t from, uint64_t to, double rate)
{
	/* A step back in a recording */
	if (to < history->time)
		*history = (struct history){ 0 };
	if (history->time && history->time != from && history->time != to)
		push_rate(history, -1);
	if (history->time != to)
		push_rate(history, rate);
	history->rate[HISTORY_SAMPLES - 1] = (float)rate;
	history->time = to;
}

void history_draw(char *buf, const struct history *history, int cells)
{
	static const char * const blocks[] = {
		"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█",
	};
	static const char * const ascii[] = { "_", ".", "-", "~", "=", "+", "*", "#" };
	int first = HISTORY_SAMPLES - cells, known = HISTORY_SAMPLES - history->samples, i;
	float highest = 0;

	*buf = '\0';
	for (i = known > first ? known : first; i < HISTORY_SAMPLES; i++)
		highest = fmaxf(highest, history->rate[i]);
	for (i = first; i < HISTORY_SAMPLES; i++) {
		float rate = i < known ? -1 : history->rate[i];
		int level = highest > 0 ? (int)(rate / highest * 7 + 0.999f) : 0;

		buf = stpcpy(buf, rate < 0 ? " " : is_utf8() ? blocks[level] : ascii[level]);
	}
}
