/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * Print test results on stdout in the Test Anything Protocol (TAP), version 13.
 *
 * A program that knows the number of its test cases calls tap_plan() first. Otherwise
 * tap_end() prints the plan.
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum tap_verdict { TAP_OK, TAP_NOT_OK, TAP_SKIP };

static unsigned int tap_count;
static unsigned int tap_failed;
static bool tap_planned;

static inline void tap_plan(unsigned int count)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%u\n", count);
	tap_planned = true;
}

static inline void tap_result(bool passed)
{
	if (!tap_count && !tap_planned)
		puts("TAP version 13");
	printf("%sok %u - ", passed ? "" : "not ", ++tap_count);
	tap_failed += !passed;
}

/* With TEST_CASE in the environment, only the test case that it names runs. */
static inline bool tap_selected(const char *group, const char *name)
{
	const char *only = getenv("TEST_CASE");
	size_t len = strlen(group);

	if (!only || !*only)
		return true;
	if (len && (strncmp(only, group, len) || only[len++] != '.'))
		return false;
	return !strcmp(only + len, name);
}

/*
 * Report the test case @group.@name, or @name if @group is empty. @why is the reason of a
 * test case that failed or was skipped.
 */
static inline void tap_report(enum tap_verdict verdict, const char *group, const char *name,
			      const char *why)
{
	tap_result(verdict != TAP_NOT_OK);
	printf("%s%s%s", group, *group ? "." : "", name);
	if (verdict == TAP_SKIP)
		printf(" # SKIP %s", why);
	putchar('\n');
	if (verdict == TAP_NOT_OK)
		printf("# %s\n", why);
}

static inline bool __attribute__((__format__(__printf__, 2, 3)))
tap_ok(bool passed, const char *format, ...)
{
	va_list args;

	tap_result(passed);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	return passed;
}

static inline bool tap_is(long long found, long long expected, const char *what)
{
	bool passed = tap_ok(found == expected, "%s", what);

	if (!passed)
		printf("# expected %lld, found %lld\n", expected, found);
	return passed;
}

/* NULL is the text "none". */
static inline bool tap_text(const char *found, const char *expected, const char *what)
{
	bool passed = tap_ok(!strcmp(found ? found : "none", expected), "%s", what);

	if (!passed)
		printf("# expected '%s', found '%s'\n", expected, found ? found : "none");
	return passed;
}

/* Skip all test cases. Returns the exit status. */
static inline int tap_skip_all(const char *why)
{
	printf("TAP version 13\n1..0 # SKIP %s\n", why);
	return 0;
}

/* Report how often an operation was repeated. results.md, see tests/results, has the sums. */
static inline void tap_tried(unsigned long count, const char *what)
{
	printf("# tried: %lu %s\n", count, what);
}

/* Returns the exit status. */
static inline int tap_end(void)
{
	if (!tap_planned)
		printf("1..%u\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif /* TAP_H */
