/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers that top shows.  What returns 0 or -errno leaves nothing to go on with. */
#ifndef TOP_WATCH_H
#define TOP_WATCH_H

#include "top.h"

/* False after a complaint. */
bool watch_open(struct top *top);
void watch_close(struct top *top);

/* A new sample, and the view of it. */
int watch_sample(struct top *top);

/* monitor_fd() says that a VMM has ended. */
int watch_ended(struct top *top);

/* Another page, other options: the view of the sample that there is. */
int watch_update_view(struct top *top);

/* The filter's regular expression has changed. */
int watch_select(struct top *top);

/* Other processes or guests are asked for: a new beginning. */
int watch_restart(struct top *top);

#endif /* TOP_WATCH_H */
