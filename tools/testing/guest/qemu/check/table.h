/* SPDX-License-Identifier: GPL-2.0-only */
/* Run a table of checks in order. Each check is a test case. */
#ifndef QEMU_CHECK_TABLE_H
#define QEMU_CHECK_TABLE_H

#include <stddef.h>

enum verdict {
	PASS,
	FAIL,
	SKIP,
};

struct check {
	const char *name;
	enum verdict (*run)(void *ctx);
};

/* For checks: prints a line of explanation after the result of the running check. */
void note(const char *fmt, ...) __attribute__((__format__(__printf__, 1, 2)));

/* For checks: stores the reason and returns SKIP. */
enum verdict skip(const char *fmt, ...) __attribute__((__format__(__printf__, 1, 2)));

/* Returns the exit status of the test program. */
int run_checks(const struct check *checks, size_t count, void *ctx);

#endif /* QEMU_CHECK_TABLE_H */
