/* SPDX-License-Identifier: GPL-2.0-only */
/* A histogram as bars: which buckets, what they count, how long each bar is. */
#ifndef TOP_BARS_H
#define TOP_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kvmstats.h"

#define BARS_LABEL_SIZE	32

struct bar {
	char from[BARS_LABEL_SIZE];	/* the bucket's bounds: "1.02us", ... */
	char to[BARS_LABEL_SIZE];	/* not in the bucket any more; "": it has no end */
	uint64_t count;
	uint64_t delta;			/* of it, in the last interval */
};

/* From the first bucket with something in it to the last. */
struct bars {
	struct bar *bar;
	size_t bars;
	uint64_t samples;
	uint64_t largest;
	uint64_t delta;
	size_t median;			/* the bar by which half of the samples are reached, and */
	size_t p99;			/* 99 % of them */
};

/* False if there is no memory. */
bool bars_make(struct bars *bars, const struct kvmstats_stat *stat, const uint64_t *values,
	       const uint64_t *deltas, bool utf8);
void bars_free(struct bars *bars);

/*
 * How long the bar of @count is if that of @largest is @width cells long, in eighths of a
 * cell; what is not 0 is never 0 long.
 */
unsigned int bar_eighths(uint64_t count, uint64_t largest, unsigned int width);

#endif /* TOP_BARS_H */
