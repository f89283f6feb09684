/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_TOP_H
#define TOP_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "targets/filter.h"
#include "targets/source.h"

struct top_options {
	struct filter filter;
	enum sources sources;
	uint64_t interval;	/* in ns */
	const char *columns;	/* names of columns, separated by commas; NULL: the usual ones */
	const char *sort;	/* name of a column, NULL: CPU */
};

/* The table of guests. Runs until the user quits. Returns the exit status. */
int top_run(struct top_options *options);

#endif /* TOP_TOP_H */
