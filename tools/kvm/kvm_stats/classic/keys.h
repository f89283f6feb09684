/* SPDX-License-Identifier: GPL-2.0-only */
/* Handles the keys. */
#ifndef CLASSIC_KEYS_H
#define CLASSIC_KEYS_H

#include "classic/state.h"

/* Handles all keys that have been typed. Returns 0, or -errno if top must end. */
int keys_read(struct classic *classic);

#endif /* CLASSIC_KEYS_H */
