/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers, and the history of a number, as text. */
#ifndef TOP_NUMBER_H
#define TOP_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kvmstats.h"

#define NUMBER_SIZE	32

/* Formats @value in at most @width characters, shortened if necessary: 1234, 98765k, 43M. */
void number_count(char *buf, int width, uint64_t value);

/* Like number_count(), but rates below 10 have one decimal place. */
void number_rate(char *buf, int width, double rate);

/* Percentages: 12.3, 100. */
void number_percent(char *buf, double percent);

/* Sizes: 12KiB, 1.5GiB. */
void number_bytes(char *buf, double bytes);

/* Times: 1.02us, 37ms, 4s. With @utf8, microseconds are "µs". */
void number_seconds(char *buf, double seconds, bool utf8);

enum number_unit {
	NUMBER_COUNT,
	NUMBER_SECONDS,
	NUMBER_BYTES,
};

/* Returns the unit of a statistic, and in @factor how many of it a value of 1 is. */
enum number_unit number_unit_of(const struct kvmstats_stat *stat, double *factor);

/* ---- history ---- */

#define HISTORY_SECONDS	60

/* The rate in each second of the last minute. */
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

#endif /* TOP_NUMBER_H */
