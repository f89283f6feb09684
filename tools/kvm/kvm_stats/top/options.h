/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOP_OPTIONS_H
#define TOP_OPTIONS_H

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

#endif /* TOP_OPTIONS_H */
