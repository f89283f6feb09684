/* SPDX-License-Identifier: GPL-2.0-only */
/* The comment line above the statistics of a VMM: process, guest and source. */
#ifndef PRINT_HEADING_H
#define PRINT_HEADING_H

#include "model.h"

void print_heading(const struct vmm *vmm);

#endif /* PRINT_HEADING_H */
