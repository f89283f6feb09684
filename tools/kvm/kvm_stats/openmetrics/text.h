/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growing text buffer, and the formats of numbers and labels in an exposition.
 *
 * The functions do not return errors. If memory runs out, @failed is set and later additions
 * are ignored; check it once at the end.
 */
#ifndef OPENMETRICS_TEXT_H
#define OPENMETRICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CANONICAL_SIZE	192

struct text {
	char *data;		/* not NUL-terminated */
	size_t size;
	size_t capacity;
	bool failed;
};

void text_add(struct text *text, const char *data, size_t size);
void text_puts(struct text *text, const char *string);
void text_printf(struct text *text, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

void text_put_number(struct text *text, uint64_t number);

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

void text_put_wide(struct text *text, struct wide_sum sum);

/*
 * Writes NAME="VALUE", after a comma if another label precedes it. Bytes that are not valid
 * UTF-8 become U+FFFD.
 */
void text_put_label(struct text *text, const char *name, const char *value);

void text_free(struct text *text);

/*
 * Converts @decimal ("12", "0.00025", "0.000025") to the form that OpenMetrics recommends for
 * numbers in labels, which is Go's %g: "12.0", "0.00025", "2.5e-05". Keeps all digits. @buf
 * has CANONICAL_SIZE bytes.
 */
void canonical_number(const char *decimal, char *buf);

#endif /* OPENMETRICS_TEXT_H */
