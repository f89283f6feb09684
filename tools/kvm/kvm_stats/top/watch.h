/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples the statistics and updates what top shows. Functions that return int return 0, or
 * -errno if top must end.
 */
#ifndef TOP_WATCH_H
#define TOP_WATCH_H

#include "top/state.h"

/* Returns false after printing an error. */
bool watch_open(struct top *top);
void watch_close(struct top *top);

/* Reads a new sample and updates the view. */
int watch_sample(struct top *top);

/* Call this when monitor_fd() is readable: a VMM has ended. */
int watch_ended(struct top *top);

/* Updates the view from the last sample, after a change of the page or of options. */
int watch_update_view(struct top *top);

/* Counts totals from the last sample on. */
int watch_reset(struct top *top);

/* Applies a changed regular expression of the filter. */
int watch_select(struct top *top);

/* Opens a new monitor, after the filter selects other processes or guests. */
int watch_restart(struct top *top);

#endif /* TOP_WATCH_H */
