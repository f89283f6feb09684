// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define INITIAL_CAPACITY	4096u

static bool grow(struct text *text, size_t size)
{
	size_t capacity = text->capacity ? text->capacity : INITIAL_CAPACITY;
	char *more;

	if (text->failed)
		return false;
	if (size <= text->capacity - text->size)
		return true;
	while (capacity - text->size < size)
		capacity *= 2;
	more = realloc(text->data, capacity);
	if (!more) {
		text->failed = true;
		return false;
	}
	text->data = more;
	text->capacity = capacity;
	return true;
}

void text_add(struct text *text, const char *data, size_t size)
{
	if (!grow(text, size))
		return;
	memcpy(text->data + text->size, data, size);
	text->size += size;
}

void text_puts(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

void text_printf(struct text *text, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0 || !grow(text, (size_t)len + 1))
		return;
	va_start(args, format);
	text->size += vsnprintf(text->data + text->size, (size_t)len + 1, format, args);
	va_end(args);
}

void text_drop(struct text *text, size_t size)
{
	text->size -= size;
	memmove(text->data, text->data + size, text->size);
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){ 0 };
}

void text_put_number(struct text *text, uint64_t number)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	text_add(text, digits + at, sizeof(digits) - at);
}
