/* SPDX-License-Identifier: GPL-2.0-only */
/* Selects format and encoding by the headers of a request. */
#ifndef SERVE_ACCEPT_H
#define SERVE_ACCEPT_H

#include <stdbool.h>

#include "openmetrics/format.h"

/*
 * @accept is the value of the header, NULL if the request does not have it. Returns OpenMetrics
 * if the header names it with at least the quality of plain text, otherwise the text format.
 */
enum exposition_format accept_format(const char *accept);

/* The same for the header Accept-Encoding. Returns whether to compress with gzip. */
bool accept_gzip(const char *accept);

const char *format_content_type(enum exposition_format format);

#endif /* SERVE_ACCEPT_H */
