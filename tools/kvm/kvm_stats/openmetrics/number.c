// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/number.h"

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

void put_wide(struct text *text, struct wide_sum sum)
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
