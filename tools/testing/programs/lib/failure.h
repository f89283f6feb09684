/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FAILURE_H
#define GUEST_FAILURE_H

#include <stdbool.h>

/* The message of the last call of fail(). */
extern char failure[512];

/* Stores a message. Always returns false, so that a check can return the result of fail(). */
bool fail(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

#endif /* GUEST_FAILURE_H */
