/* SPDX-License-Identifier: GPL-2.0-only */
/* A file for node_exporter's textfile collector. */
#ifndef SERVE_TEXTFILE_H
#define SERVE_TEXTFILE_H

#include <stdbool.h>

#include "openmetrics_text.h"

/*
 * Makes @text the content of the file @name, all at once: who reads it sees the old text or
 * the new one.  False, after a complaint if @report, and then the old file is still there.
 */
bool textfile_write(const char *name, const struct text *text, bool report);

#endif /* SERVE_TEXTFILE_H */
