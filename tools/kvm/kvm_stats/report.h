/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of values, and of how fast they grow. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>

#include "monitor.h"

struct report {
	bool rates;		/* from the sample before to the last one */
	bool whole_units;	/* seconds and bytes */
	int label_width;
	int name_width;
};

/* Sets the widths. */
void report_measure(struct report *report, const struct monitor *monitor);

void report_print(const struct report *report, const struct vmm *vmm);

#endif /* REPORT_H */
