/* SPDX-License-Identifier: GPL-2.0-only */
/* A line of comment on whose numbers follow, and where they come from. */
#ifndef HEADING_H
#define HEADING_H

#include "monitor.h"

void print_heading(const struct vmm *vmm);

#endif /* HEADING_H */
