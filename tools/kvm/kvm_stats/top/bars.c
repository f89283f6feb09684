// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/bars.h"
#include "top/number.h"

unsigned int bar_eighths(uint64_t count, uint64_t largest, unsigned int width)
{
	unsigned int eighths;

	if (!count || !largest || !width)
		return 0;
	eighths = (unsigned int)((double)count / (double)largest * width * 8 + 0.5);
	return eighths ? eighths : 1;
}

static void put_bound(char *buf, const struct kvmstats_stat *stat, double value, bool utf8)
{
	if (number_has_unit(stat))
		number_amount(buf, stat, value, utf8);
	else
		snprintf(buf, BARS_LABEL_SIZE, "%.0f", value);
}

static void set_bounds(struct bar *bar, const struct kvmstats_stat *stat, unsigned int n,
		       bool utf8)
{
	uint64_t min, max;

	if (kvmstats_stat_bucket(stat, n, &min, &max)) {
		snprintf(bar->from, sizeof(bar->from), "#%u", n);
		return;
	}
	put_bound(bar->from, stat, (double)min, utf8);
	if (max != UINT64_MAX)
		put_bound(bar->to, stat, (double)max + 1, utf8);
}

static void find_range(const uint64_t *values, unsigned int size, unsigned int *first,
		       unsigned int *end)
{
	*first = 0;
	*end = size;
	while (*first < *end && !values[*first])
		++*first;
	while (*end > *first && !values[*end - 1])
		--*end;
}

/* Returns the first bar that, together with those before it, has @part of all samples. */
static size_t quantile(const struct bars *bars, double part)
{
	double wanted = (double)bars->samples * part;
	double sum = 0;
	size_t i;

	for (i = 0; i + 1 < bars->bars; i++) {
		sum += (double)bars->bar[i].count;
		if (sum >= wanted)
			break;
	}
	return i;
}

static void count(struct bars *bars, const uint64_t *values, const uint64_t *deltas,
		  unsigned int first)
{
	size_t i;

	for (i = 0; i < bars->bars; i++) {
		struct bar *bar = &bars->bar[i];

		bar->count = values[first + i];
		bar->delta = deltas[first + i] < bar->count ? deltas[first + i] : bar->count;
		bars->samples += bar->count;
		bars->delta += bar->delta;
		if (bar->count > bars->largest)
			bars->largest = bar->count;
	}
}

bool bars_make(struct bars *bars, const struct kvmstats_stat *stat, const uint64_t *values,
	       const uint64_t *deltas, bool utf8)
{
	unsigned int first, end, n;

	find_range(values, kvmstats_stat_size(stat), &first, &end);
	bars_free(bars);
	bars->bar = calloc(end - first + 1, sizeof(*bars->bar));
	if (!bars->bar)
		return false;
	bars->bars = end - first;
	for (n = first; n < end; n++)
		set_bounds(&bars->bar[n - first], stat, n, utf8);
	count(bars, values, deltas, first);
	bars->median = quantile(bars, 0.5);
	bars->p99 = quantile(bars, 0.99);
	return true;
}

void bars_free(struct bars *bars)
{
	free(bars->bar);
	*bars = (struct bars){ 0 };
}
