/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The columns of a log, by name: how much each statistic grew since the last sample.  Of what
 * does not count up it is the difference, which may be negative.  Histograms have none.
 */
#ifndef COLUMN_H
#define COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "total.h"

struct column {
	char name[96];		/* with "@debugfs", … behind if there are several of the name */
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
 * For all that @totals has by now: false if there is no memory.  Old ones keep their state, new
 * ones are up to date.
 */
bool columns_set(struct columns *columns, const struct totals *totals);

/* Whether @totals has other statistics by now. */
bool columns_differ(const struct columns *columns, const struct totals *totals);

/* After totals_update(). */
void columns_update(struct columns *columns);
bool columns_all_zero(const struct columns *columns);
void columns_free(struct columns *columns);

#endif /* COLUMN_H */
