/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SERVE_EXPOSE_H
#define SERVE_EXPOSE_H

#include "openmetrics/format.h"

/* Appends an exposition of the current statistics to @text. Returns 0 or -errno. */
typedef int (*expose_fn)(enum exposition_format format, struct text *text, void *arg);

#endif /* SERVE_EXPOSE_H */
