/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as they stand in the columns of top. */
#ifndef TOP_NUMBER_H
#define TOP_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "kvmstats.h"

#define NUMBER_SIZE	32

/* In full if that takes at most @width columns, or shortened: 1234, 98765k, 43M. */
void number_count(char *buf, int width, uint64_t value);

/* Below 10 with a decimal place. */
void number_rate(char *buf, int width, double rate);

/* Whether values of @stat are times or sizes. */
bool number_has_unit(const struct kvmstats_stat *stat);

/*
 * @value of such a statistic, with the prefix that suits it: 1.02us, 37ms, 4s, 1.5MiB.  In
 * UTF-8 microseconds are told by their own letter.
 */
void number_amount(char *buf, const struct kvmstats_stat *stat, double value, bool utf8);

#endif /* TOP_NUMBER_H */
