// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/text.h"

#define INITIAL_CAPACITY	65536u
#define REPLACEMENT	"\xef\xbf\xbd"

/* ---- growing ---- */

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

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){ 0 };
}

/* ---- numbers ---- */

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

/* Divides @part, most significant word first, in place and returns the remainder. */
static unsigned int divide(uint32_t part[3], unsigned int by)
{
	uint64_t rest = 0;
	int i;

	for (i = 0; i < 3; i++) {
		rest = rest << 32 | part[i];
		part[i] = (uint32_t)(rest / by);
		rest %= by;
	}
	return (unsigned int)rest;
}

void text_put_wide(struct text *text, struct wide_sum sum)
{
	uint32_t part[3] = { sum.high, (uint32_t)(sum.low >> 32), (uint32_t)sum.low };
	char digits[32];
	size_t at = sizeof(digits);

	if (!sum.high) {
		text_put_number(text, sum.low);
		return;
	}
	do {
		digits[--at] = (char)('0' + divide(part, 10));
	} while (part[0] || part[1] || part[2]);
	text_add(text, digits + at, sizeof(digits) - at);
}

/*
 * Copies the digits from the first to the last nonzero one. @power is the power of ten of the
 * first digit. Returns the number of digits.
 */
static size_t significant_digits(const char *decimal, char *digits, int *power)
{
	size_t whole = strcspn(decimal, ".");
	size_t count = 0, zeros = 0;
	size_t i;

	*power = 0;
	for (i = 0; decimal[i]; i++) {
		if (decimal[i] == '.')
			continue;
		if (decimal[i] == '0') {
			zeros += count > 0;
			continue;
		}
		if (!count)
			*power = i < whole ? (int)(whole - i) - 1 : -(int)(i - whole);
		for (; zeros; zeros--)
			digits[count++] = '0';
		digits[count++] = decimal[i];
	}
	digits[count] = '\0';
	return count;
}

static void scientific(const char *digits, size_t count, int power, char *buf)
{
	snprintf(buf, CANONICAL_SIZE, "%c%s%.170se%c%02d", digits[0], count > 1 ? "." : "",
		 digits + 1, power < 0 ? '-' : '+', abs(power));
}

static void positional(const char *digits, size_t count, int power, char *buf)
{
	int whole = power + 1;
	size_t n = 0;
	int i;

	if (whole <= 0)
		buf[n++] = '0';
	for (i = 0; i < whole; i++)
		buf[n++] = i < (int)count ? digits[i] : '0';
	buf[n++] = '.';
	for (i = whole; i < 0; i++)
		buf[n++] = '0';
	for (i = whole > 0 ? whole : 0; i < (int)count; i++)
		buf[n++] = digits[i];
	if (buf[n - 1] == '.')
		buf[n++] = '0';
	buf[n] = '\0';
}

void canonical_number(const char *decimal, char *buf)
{
	char digits[CANONICAL_SIZE];
	int power;
	size_t count = significant_digits(decimal, digits, &power);

	if (count && (power < -4 || power >= 6))
		scientific(digits, count, power, buf);
	else
		positional(digits, count, power, buf);
}

/* ---- label values ---- */

static bool continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Returns the length of the character at @s in bytes, or 0 if it is not valid UTF-8. */
static size_t utf8_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return continues(s[1]) ? 2 : 0;
	if ((s[0] & 0xf0) == 0xe0) {
		bool overlong = s[0] == 0xe0 && s[1] < 0xa0;
		bool surrogate = s[0] == 0xed && s[1] >= 0xa0;

		return continues(s[1]) && continues(s[2]) && !overlong && !surrogate ? 3 : 0;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		bool overlong = s[0] == 0xf0 && s[1] < 0x90;
		bool too_large = s[0] == 0xf4 && s[1] >= 0x90;

		return continues(s[1]) && continues(s[2]) && continues(s[3]) && !overlong &&
		       !too_large ? 4 : 0;
	}
	return 0;
}

static void put_escaped(struct text *text, const char *value)
{
	while (*value) {
		size_t len = utf8_length((const unsigned char *)value);

		if (!len)
			text_puts(text, REPLACEMENT);
		else if (*value == '\n')
			text_puts(text, "\\n");
		else if (*value == '"' || *value == '\\')
			text_printf(text, "\\%c", *value);
		else
			text_add(text, value, len);
		value += len ? len : 1;
	}
}

void text_put_label(struct text *text, const char *name, const char *value)
{
	char last = text->size ? text->data[text->size - 1] : '\0';

	if (last == '"')
		text_puts(text, ",");
	text_puts(text, name);
	text_puts(text, "=\"");
	put_escaped(text, value);
	text_puts(text, "\"");
}
