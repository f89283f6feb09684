/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts a histogram to bars: their bounds, counts and lengths. */
#ifndef TOP_BARS_H
#define TOP_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kvmstats.h"

#define BARS_LABEL_SIZE	32

struct bar {
	char from[BARS_LABEL_SIZE];	/* lower bound of the bucket, such as "1.02us" */
	char to[BARS_LABEL_SIZE];	/* upper bound, exclusive; "": no upper bound */
	uint64_t count;
	uint64_t delta;			/* samples of count that the last interval added */
};

/* The bars from the first bucket that is not empty to the last. */
struct bars {
	struct bar *bar;
	size_t bars;
	uint64_t samples;
	uint64_t largest;		/* largest count of a bar */
	uint64_t delta;
	size_t median;			/* the bar that contains the median */
	size_t p99;			/* the bar that contains the 99th percentile */
};

/* Returns false if there is not enough memory. */
bool bars_make(struct bars *bars, const struct kvmstats_stat *stat, const uint64_t *values,
	       const uint64_t *deltas, bool utf8);
void bars_free(struct bars *bars);

/*
 * Returns the length of the bar for @count, in eighths of a cell, if the bar for @largest is
 * @width cells long. A nonzero count gets at least one eighth.
 */
unsigned int bar_eighths(uint64_t count, uint64_t largest, unsigned int width);

#endif /* TOP_BARS_H */
