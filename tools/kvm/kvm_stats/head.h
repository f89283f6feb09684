/* SPDX-License-Identifier: GPL-2.0-only */
/* A line of comment on whose numbers follow, and where they come from. */
#ifndef HEAD_H
#define HEAD_H

#include "monitor.h"

void print_head(const struct vmm *vmm);

#endif /* HEAD_H */
