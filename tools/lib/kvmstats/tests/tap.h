/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Results in the Test Anything Protocol, version 13. */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_points, tap_failures;

static inline bool __attribute__((__format__(__printf__, 2, 3)))
tap_ok(bool good, const char *format, ...)
{
	va_list args;

	if (!tap_points)
		puts("TAP version 13");
	printf("%s %d - ", good ? "ok" : "not ok", ++tap_points);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	if (!good)
		tap_failures++;
	return good;
}

static inline bool tap_is(long long found, long long expected, const char *what)
{
	bool good = tap_ok(found == expected, "%s", what);

	if (!good)
		printf("# expected %lld, found %lld\n", expected, found);
	return good;
}

/* For main() to return. */
static inline int tap_done(void)
{
	printf("1..%d\n", tap_points);
	return tap_failures ? 1 : 0;
}

#endif /* TAP_H */
