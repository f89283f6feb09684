/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads everything that a recording has of a host. */
#ifndef RECORD_CAPTURE_H
#define RECORD_CAPTURE_H

#include "model.h"
#include "record/sample.h"

/*
 * Replaces @sample by what the host is now. @monitor has PROCESSES_ALL. Times are rounded as it
 * suits the interval, in ns. Returns 0, or -errno with the reason in monitor->problem.
 */
int capture_sample(struct monitor *monitor, uint64_t interval, struct sample *sample);

#endif /* RECORD_CAPTURE_H */
