/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_TOP_H
#define TOP_TOP_H

#include "top/options.h"

/* The table of guests. Runs until the user quits. Returns the exit status. */
int top_run(struct top_options *options);

#endif /* TOP_TOP_H */
