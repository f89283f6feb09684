/* SPDX-License-Identifier: GPL-2.0-only */
/* TAP 13 on stdout, for the test programs of the boot. */
#ifndef BOOT_TESTS_TAP_H
#define BOOT_TESTS_TAP_H

#include <stdio.h>

enum tap_verdict { TAP_OK, TAP_NOT_OK, TAP_SKIP };

static unsigned int tap_point;
static unsigned int tap_failed;

static inline void tap_plan(unsigned int points)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%u\n", points);
}

/* @why: of a point that failed or was skipped */
static inline void tap_report(enum tap_verdict verdict, const char *suite,
			      const char *name, const char *why)
{
	printf("%sok %u - %s%s%s", verdict == TAP_NOT_OK ? "not " : "",
	       ++tap_point, suite, *suite ? "." : "", name);
	if (verdict == TAP_SKIP)
		printf(" # SKIP %s", why);
	printf("\n");
	if (verdict == TAP_NOT_OK) {
		printf("# %s\n", why);
		tap_failed++;
	}
}

static inline int tap_skip_all(const char *why)
{
	printf("TAP version 13\n1..0 # SKIP %s\n", why);
	return 0;
}

/* For the table of what was tried, how often, at the end of `check`. */
static inline void tap_tried(unsigned long count, const char *what)
{
	printf("# tried: %lu %s\n", count, what);
}

static inline int tap_end(void)
{
	return tap_failed ? 1 : 0;
}

#endif /* BOOT_TESTS_TAP_H */
