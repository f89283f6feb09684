/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats numbers for the columns of top. */
#ifndef TOP_NUMBER_H
#define TOP_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "kvmstats.h"

#define NUMBER_SIZE	32

/* Formats @value in at most @width characters, shortened if necessary: 1234, 98765k, 43M. */
void number_count(char *buf, int width, uint64_t value);

/* Like number_count(), but rates below 10 have one decimal place. */
void number_rate(char *buf, int width, double rate);

/* Whether the values of @stat are times or sizes. */
bool number_has_unit(const struct kvmstats_stat *stat);

/* Percentages: 12.3, 100. */
void number_percent(char *buf, double percent);

/* Sizes: 12KiB, 1.5GiB. */
void number_bytes(char *buf, double bytes);

/* Times: 1.02us, 37ms, 4s. With @utf8, microseconds are "µs". */
void number_ns(char *buf, double ns, bool utf8);

/*
 * Formats a value of such a statistic with a suitable unit prefix: 1.02us, 37ms, 4s, 1.5MiB.
 */
void number_amount(char *buf, const struct kvmstats_stat *stat, double value, bool utf8);

#endif /* TOP_NUMBER_H */
