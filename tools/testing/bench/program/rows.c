// SPDX-License-Identifier: GPL-2.0-only
/* Print each row as a test case in TAP: "ok N - NAME VALUE". */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

static int rows, failures;
static char reason[256];

void set_why(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
}

const char *why(void)
{
	return reason;
}

void row_value(const char *name, double value)
{
	printf("ok %d - %s %.10g\n", ++rows, name, value);
}

void rows_missing(const char *names, const char *reason)
{
	while (*names) {
		int length = strcspn(names, " ");

		printf("ok %d - %.*s # SKIP %s\n", ++rows, length, names, reason);
		names += length + strspn(names + length, " ");
	}
}

void row_failed(const char *name)
{
	failures++;
	printf("not ok %d - %s\n# %s\n", ++rows, name, reason);
}

void row_count(const char *name, const struct bench_op *op)
{
	double count = count_op(op);

	if (count > 0)
		row_value(name, count);
	else
		row_failed(name);
}

int rows_end(void)
{
	printf("1..%d\n", rows);
	return failures > 0;
}
