/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of a log, and their values for one guest. */
#ifndef READ_COLUMNS_H
#define READ_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

struct column {
	char name[96];		/* of the statistic, in CSV */
	char heading[96];	/* in a table */
	bool is_rate;		/* the statistic counts up */
	double value;		/* or growth per second; NAN: not known */
};

/* The column of each statistic of a set, or NULL */
struct column_map {
	const struct stat_set *set;
	struct column **column;
};

/* Initialize it with zeros. */
struct columns {
	struct column *column;
	size_t columns;
	bool selected;		/* by -f; otherwise they are those that matter most */
	size_t sets;		/* those of the monitor that were examined */
	size_t resets;		/* values that decreased; the user clears it */
	const char *reset;	/* the name of the first one */
	struct column_map map[2];	/* for each enum scope, of the last VM or vCPU */
};

/*
 * Makes the columns: those that matter most, or one for each statistic that -f selects, by name;
 * histograms do not have one. Before the first VM, -f selects none. Returns false if memory is
 * exhausted.
 */
bool columns_make(struct columns *columns, const struct monitor *monitor);

/* Sets the values to those of a guest. Returns false if memory is exhausted. */
bool columns_set(struct columns *columns, const struct vmm *vmm);

/* Whether all rates are 0 or not known. */
bool columns_are_zero(const struct columns *columns);
void columns_free(struct columns *columns);

#endif /* READ_COLUMNS_H */
