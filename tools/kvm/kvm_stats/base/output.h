/* SPDX-License-Identifier: GPL-2.0-only */
/* Standard output and standard error. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Prints one line to standard error, after the name of the program. */
void complain(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* Call it once, before anything is printed. */
void start_output(void);

/*
 * Flushes standard output. If data is lost, returns false, and prints a message the first time,
 * except if the reader of a pipe has closed it. Call it often when printing much.
 */
bool flush_output(void);

/* Returns the ending of a noun after the number @n: "" or "s". */
const char *plural(size_t n);

/*
 * Copies @text to @buf, and replaces by '?' what a terminal could interpret: control characters,
 * bidirectional controls and bytes that are not UTF-8. Returns @buf. Every name that another
 * program chose must pass through it, such as the name of a guest.
 */
const char *sanitize(const char *text, char *buf, size_t size);

#endif /* BASE_OUTPUT_H */
