/* SPDX-License-Identifier: GPL-2.0-only */
/* The table that "kvm-stats read" prints: values and rates. */
#ifndef PRINT_TABLE_H
#define PRINT_TABLE_H

#include <stdbool.h>

#include "model.h"

struct report {
	bool rates;		/* print growth per second since the previous sample */
	bool base_units;	/* print seconds and bytes, not ns and KiB */
	int label_width;
	int name_width;
};

/* Sets the widths of the columns. */
void report_measure(struct report *report, const struct monitor *monitor);

void report_print(const struct report *report, const struct vmm *vmm);

#endif /* PRINT_TABLE_H */
