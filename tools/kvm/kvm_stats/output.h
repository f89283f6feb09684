/* SPDX-License-Identifier: GPL-2.0-only */
/* Standard output and standard error. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* One line on standard error, with the program's name before. */
void complain(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* False, and said once, if something of the output is lost. */
bool flush_output(void);

/* @text with all that could confuse a terminal or a table made '?'. */
const char *sanitize(const char *text, char *buf, size_t size);

#endif /* OUTPUT_H */
