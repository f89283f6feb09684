/* SPDX-License-Identifier: GPL-2.0-only */
/* The rate in each second of the last minute, and its picture in one line of text. */
#ifndef TOP_HISTORY_H
#define TOP_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_SECONDS	60

struct history {
	uint64_t end;			/* the second after the last one with a rate; 0: empty */
	float rate[HISTORY_SECONDS];	/* of second S in entry S % 60; negative: unknown */
};

/* Adds the rate of the time between two samples, in ns of CLOCK_MONOTONIC. */
void history_add(struct history *history, uint64_t from, uint64_t to, double rate);

/*
 * Returns the mean rate in part @cell of @cells of the minute that ends at @now, or a negative
 * number if it is unknown.
 */
double history_mean(const struct history *history, uint64_t now, int cell, int cells);

/*
 * Writes a line of @cells characters to @buf. The highest character stands for the highest rate
 * of this history, a space for an unknown rate.
 */
void history_draw(char *buf, size_t size, const struct history *history, uint64_t now, int cells,
		  bool utf8);

#endif /* TOP_HISTORY_H */
