/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SERVE_PROCESS_H
#define SERVE_PROCESS_H

#include "openmetrics/format.h"

/* Stores what this process uses. A figure that cannot be read is 0. */
void process_read(struct process_figures *figures);

#endif /* SERVE_PROCESS_H */
