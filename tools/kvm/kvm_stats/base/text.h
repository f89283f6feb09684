/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growing text buffer.
 *
 * The functions do not return errors. If memory runs out, @failed is set and later additions
 * are ignored; check it once at the end.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Removes @size bytes from the start. */
void text_drop(struct text *text, size_t size);

void text_free(struct text *text);

#endif /* BASE_TEXT_H */
