// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
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

static void put_seconds(char *buf, double value, bool utf8)
{
	if (value * 1e9 < 999.5)
		put(buf, value * 1e9, value * 1e9 >= 1, "ns");
	else if (value * 1e6 < 999.5)
		put(buf, value * 1e6, false, utf8 ? "µs" : "us");
	else if (value * 1e3 < 999.5)
		put(buf, value * 1e3, false, "ms");
	else
		put(buf, value, false, "s");
}

static void put_bytes(char *buf, double value)
{
	static const char * const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	size_t i = 0;

	while (value >= 1023.5 && i + 1 < ARRAY_SIZE(unit)) {
		value /= 1024;
		i++;
	}
	put(buf, value, !i, unit[i]);
}

void number_bytes(char *buf, double bytes)
{
	put_bytes(buf, bytes);
}

void number_percent(char *buf, double percent)
{
	snprintf(buf, NUMBER_SIZE, "%.*f", percent < 99.95 ? 1 : 0, percent);
}

void number_ns(char *buf, double ns, bool utf8)
{
	put_seconds(buf, ns / 1e9, utf8);
}

bool number_has_unit(const struct kvmstats_stat *stat)
{
	unsigned int unit = kvmstats_stat_unit(stat);
	unsigned int base = kvmstats_stat_base(stat);

	return (unit == KVMSTATS_UNIT_SECONDS || unit == KVMSTATS_UNIT_BYTES) &&
	       (base == KVMSTATS_BASE_POW10 || base == KVMSTATS_BASE_POW2);
}

void number_amount(char *buf, const struct kvmstats_stat *stat, double value, bool utf8)
{
	double base = kvmstats_stat_base(stat) == KVMSTATS_BASE_POW2 ? 2 : 10;

	value *= pow(base, kvmstats_stat_exponent(stat));
	if (value <= 0)
		put(buf, 0, true, kvmstats_stat_unit(stat) == KVMSTATS_UNIT_SECONDS ? "s" : "B");
	else if (kvmstats_stat_unit(stat) == KVMSTATS_UNIT_SECONDS)
		put_seconds(buf, value, utf8);
	else
		put_bytes(buf, value);
}
