/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that grows, and the parts of an exposition: numbers and label values.
 *
 * What cannot be added for want of memory is told by @failed alone, once, at the end.
 */
#ifndef OPENMETRICS_TEXT_H
#define OPENMETRICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CANONICAL_SIZE	192

struct text {
	char *data;		/* without a NUL at the end */
	size_t size;
	size_t room;
	bool failed;
};

void text_add(struct text *text, const char *data, size_t size);
void text_puts(struct text *text, const char *string);
void text_printf(struct text *text, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

void text_put_number(struct text *text, uint64_t number);

/* A sum of 64-bit values, which may have more bits than these. */
struct wide_sum {
	uint64_t low;
	uint32_t high;
};

static inline void wide_add(struct wide_sum *sum, uint64_t value)
{
	sum->low += value;
	sum->high += sum->low < value;
}

void text_put_wide(struct text *text, struct wide_sum sum);

/* NAME="VALUE", with a comma before if a label is there; what is no UTF-8 becomes U+FFFD. */
void text_put_label(struct text *text, const char *name, const char *value);

void text_free(struct text *text);

/*
 * @decimal ("12", "0.00025") as OpenMetrics wants numbers in labels to be, the way Go's %g
 * writes a float: "12.0", "0.00025", "2.5e-05"; all digits are kept.  @buf has
 * CANONICAL_SIZE.
 */
void canonical_number(const char *decimal, char *buf);

#endif /* OPENMETRICS_TEXT_H */
