/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers, and the history of a number, as text. */
#ifndef TOP_NUMBER_H
#define TOP_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "kvmstats.h"

#define NUMBER_SIZE	32
#define CELL_SIZE	512

enum unit {
	UNIT_COUNT,	/* 1234, 98765k, 43M */
	UNIT_RATE,	/* the same, but below 10 with one decimal place */
	UNIT_PERCENT,	/* 12.3, 100 */
	UNIT_BYTES,	/* 12KiB, 1.5GiB */
	UNIT_SECONDS,	/* 1.02us, 37ms, 4s; in UTF-8 "µs" */
};

/* Counts and rates are shortened to @width characters, if necessary. */
void number_put(char *buf, enum unit unit, double number, int width);

/* Returns the unit of a statistic, and in @factor how many of it a value of 1 is. */
enum unit number_unit_of(const struct kvmstats_stat *stat, double *factor);

/* Whether the terminal shows UTF-8. */
bool is_utf8(void);

#define HISTORY_SAMPLES	60

/* The rates of the last samples. */
struct history {
	uint64_t time;			/* of the last sample */
	int samples;			/* how many entries of @rate are used: the last ones */
	float rate[HISTORY_SAMPLES];	/* the last one is the newest; negative: unknown */
};

/*
 * Adds the rate of the time between two samples, or replaces that of the same time. If other
 * samples are missing in between, there is a gap. An earlier time begins another history.
 */
void history_add(struct history *history, uint64_t from, uint64_t to, double rate);

/*
 * Writes @cells characters to @buf, which has CELL_SIZE bytes. The highest character stands for the
 * highest rate in these cells, a space for an unknown rate.
 */
void history_draw(char *buf, const struct history *history, int cells);

#endif /* TOP_NUMBER_H */
