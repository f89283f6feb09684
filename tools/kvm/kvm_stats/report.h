/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of values, and of how fast they grow. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>

#include "filter.h"
#include "session.h"

struct report {
	const struct filter *filter;
	bool rates;		/* from the sample before to the last one */
	bool whole_units;	/* seconds and bytes */
	int label_width;
	int name_width;
};

/* Sets the widths; false if nothing of what there is has been asked for. */
bool report_measure(struct report *report, const struct session *session);

void report_print(const struct report *report, const struct session *session);

#endif /* REPORT_H */
