/* SPDX-License-Identifier: GPL-2.0-only */
/* How often tracepoints were hit. */
#ifndef SOURCES_TRACEPOINTS_H
#define SOURCES_TRACEPOINTS_H

#include "targets/source.h"

extern const struct source source_tracepoints;

#endif /* SOURCES_TRACEPOINTS_H */
