/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples the statistics and /proc, and updates the lines of the page. Functions that return int
 * return 0, or -errno if top must end.
 */
#ifndef TOP_SAMPLES_H
#define TOP_SAMPLES_H

#include "top/state.h"

/* Returns false after printing an error. */
bool samples_open(struct top *top);
void samples_close(struct top *top);

/* Reads a new sample and updates the page. */
int samples_read(struct top *top);

/* Call this when monitor_fd() is readable: a VMM has ended. */
int samples_refresh(struct top *top);

/* Updates the page from the last sample, after the page, the order or a filter has changed. */
int samples_update_page(struct top *top);

/* Counts the values of statistics from the last sample on, or since the creation of the VM. */
int samples_reset(struct top *top);
int samples_include_past(struct top *top);

#endif /* TOP_SAMPLES_H */
