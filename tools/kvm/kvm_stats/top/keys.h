/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_KEYS_H
#define TOP_KEYS_H

#include "top/state.h"

/* Handles all keys that have been typed. Returns 0, or -errno if top must end. */
int top_read_keys(struct top *top);

#endif /* TOP_KEYS_H */
