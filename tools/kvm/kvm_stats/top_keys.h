/* SPDX-License-Identifier: GPL-2.0-only */
/* What keys do. */
#ifndef TOP_KEYS_H
#define TOP_KEYS_H

#include "top.h"

/* All that have been typed: 0, or -errno if there is nothing to go on with. */
int keys_read(struct top *top);

/* How keys are explained: lines, ended by NULL. */
extern const char * const keys_help[];

#endif /* TOP_KEYS_H */
