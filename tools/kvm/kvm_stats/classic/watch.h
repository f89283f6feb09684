/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples the statistics and updates what top shows. Functions that return int return 0, or
 * -errno if top must end.
 */
#ifndef CLASSIC_WATCH_H
#define CLASSIC_WATCH_H

#include "classic/state.h"

/* Returns false after printing an error. */
bool watch_open(struct classic *classic);
void watch_close(struct classic *classic);

/* Reads a new sample and updates the view. */
int watch_sample(struct classic *classic);

/* Call this when monitor_fd() is readable: a VMM has ended. */
int watch_ended(struct classic *classic);

/* Updates the view from the last sample, after a change of the page or of options. */
int watch_update_view(struct classic *classic);

/* Counts totals from the last sample on. */
int watch_reset(struct classic *classic);

/* Applies a changed regular expression of the filter. */
int watch_select(struct classic *classic);

/* Opens a new monitor, after the filter selects other processes or guests. */
int watch_restart(struct classic *classic);

#endif /* CLASSIC_WATCH_H */
