/* SPDX-License-Identifier: GPL-2.0-only */
/* The comment line above the statistics of a VMM: process, guest and source. */
#ifndef HEADING_H
#define HEADING_H

#include "monitor.h"

void print_heading(const struct vmm *vmm);

#endif /* HEADING_H */
