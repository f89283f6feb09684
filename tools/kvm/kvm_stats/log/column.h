/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The columns of a log, sorted by name. Each column has the change of one statistic since the
 * previous sample; if the statistic does not count up, the change may be negative. Histograms
 * have no column.
 */
#ifndef LOG_COLUMN_H
#define LOG_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sums.h"

struct column {
	char name[96];		/* "exits", or "exits@debugfs" if two sources have the name */
	const struct total *total;
	int64_t change;
	uint64_t last;
	bool has_last;
};

struct columns {
	struct column *column;
	size_t columns;
};

/*
 * Makes a column for each suitable statistic in @totals. Columns that exist keep their state;
 * new ones get the values of the last sample. Returns false if memory is exhausted.
 */
bool columns_set(struct columns *columns, const struct totals *totals);

/* Whether @totals has statistics that have no column yet. */
bool columns_differ(const struct columns *columns, const struct totals *totals);

/* Call it after totals_update(). */
void columns_update(struct columns *columns);
bool columns_all_zero(const struct columns *columns);

/* Prints one line if statistics were reset since the previous sample. */
void columns_report_cleared(const struct totals *totals);

void columns_free(struct columns *columns);

#endif /* LOG_COLUMN_H */
