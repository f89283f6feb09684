/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of the tables of guests and vCPUs: which ones, and their order. */
#ifndef TOP_TABLE_H
#define TOP_TABLE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "top/activity.h"
#include "top/columns.h"

struct table {
	struct table_line *line;
	size_t lines;
	size_t capacity;
};

struct table_order {
	enum column_id column;
	bool reversed;		/* against the usual order of the column */
};

/*
 * Makes a line for each guest whose name matches @filter (NULL: all), and one for the sum if
 * there are several. Returns false if there is not enough memory.
 */
bool table_guests(struct table *table, const struct activities *activities, const regex_t *filter,
		  const struct table_order *order);

/* The same for the VMs and vCPUs of a guest. */
bool table_parts(struct table *table, const struct guest_activity *guest, const regex_t *filter,
		 const struct table_order *order);

/* Returns the line with this scope, or @fallback if no line has it. */
size_t table_find(const struct table *table, const struct top_scope *scope, size_t fallback);

void table_free(struct table *table);

#endif /* TOP_TABLE_H */
