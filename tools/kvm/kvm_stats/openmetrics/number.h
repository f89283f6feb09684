/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats of numbers in an exposition. */
#ifndef OPENMETRICS_NUMBER_H
#define OPENMETRICS_NUMBER_H

#include <stdint.h>

#include "base/text.h"

#define CANONICAL_SIZE	192

/* A sum of 64-bit values, which can exceed 64 bits. */
struct wide_sum {
	uint64_t low;
	uint32_t high;
};

static inline void wide_add(struct wide_sum *sum, uint64_t value)
{
	sum->low += value;
	sum->high += sum->low < value;
}

void put_wide(struct text *text, struct wide_sum sum);

/*
 * Converts @decimal ("12", "0.00025", "0.000025") to the form that OpenMetrics recommends for
 * numbers in labels, which is Go's %g: "12.0", "0.00025", "2.5e-05". Keeps all digits. @buf
 * has CANONICAL_SIZE bytes.
 */
void canonical_number(const char *decimal, char *buf);

#endif /* OPENMETRICS_NUMBER_H */
