/* SPDX-License-Identifier: GPL-2.0-only */
/* Which format a client wants. */
#ifndef SERVE_ACCEPT_H
#define SERVE_ACCEPT_H

#include "openmetrics.h"

/*
 * From the value of an Accept header, or NULL: OpenMetrics where it is named and liked no
 * less than plain text, else the text format, which all that ask for neither get as well.
 */
enum exposition_format accept_format(const char *accept);

const char *format_content_type(enum exposition_format format);

#endif /* SERVE_ACCEPT_H */
