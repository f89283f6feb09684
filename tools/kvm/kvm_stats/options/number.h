/* SPDX-License-Identifier: GPL-2.0-only */
/* The arguments of options that are numbers. @option is the name for messages, such as "-i". */
#ifndef OPTIONS_NUMBER_H
#define OPTIONS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_SECONDS	86400.0

/*
 * Parses a number of seconds from @min to MAX_SECONDS, and stores it in ns. Prints a message and
 * returns false if @text is not one.
 */
bool parse_seconds(const char *option, const char *text, double min, uint64_t *ns);

/* The same for a number of intervals above 0. */
bool parse_count(const char *option, const char *text, unsigned long *count);

#endif /* OPTIONS_NUMBER_H */
