/* SPDX-License-Identifier: GPL-2.0-only */
/* How often tracepoints were hit. */
#ifndef SOURCE_TRACEPOINTS_H
#define SOURCE_TRACEPOINTS_H

#include "targets/source.h"

extern const struct source source_tracepoints;

#endif /* SOURCE_TRACEPOINTS_H */
