/* SPDX-License-Identifier: GPL-2.0-only */
/* TAP 13: a table of points, judged in order and printed as they are. */
#ifndef QEMU_TAP_H
#define QEMU_TAP_H

#include <stddef.h>

enum verdict {
	PASS,
	FAIL,
	SKIP,
};

struct point {
	const char *what;
	enum verdict (*check)(void *ctx);
};

/* A line that explains the point being judged; from within its check only. */
void tap_note(const char *fmt, ...) __attribute__((__format__(__printf__, 1, 2)));

/* The verdict SKIP, and its reason. */
enum verdict tap_skip(const char *fmt, ...) __attribute__((__format__(__printf__, 1, 2)));

/* Judge all @points of a table; returns how many failed. */
size_t tap_run(const struct point *points, size_t count, void *ctx);

#endif /* QEMU_TAP_H */
