/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the file for node_exporter's textfile collector. */
#ifndef SERVE_TEXTFILE_H
#define SERVE_TEXTFILE_H

#include <stdbool.h>

#include "base/text.h"

/*
 * Prints a message and returns false if the file @name cannot be written, because its directory
 * does not exist or is not writable, or because it is itself a directory.
 */
bool textfile_check(const char *name);

/*
 * Replaces the content of the file @name with @text atomically: a reader sees either the
 * previous or the new text. If that fails, keeps the previous file, prints an error if @report
 * is set, and returns false.
 */
bool textfile_write(const char *name, const struct text *text, bool report);

#endif /* SERVE_TEXTFILE_H */
