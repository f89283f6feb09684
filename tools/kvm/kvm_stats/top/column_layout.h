/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the columns of a table that fit into the width of the screen. */
#ifndef TOP_COLUMN_LAYOUT_H
#define TOP_COLUMN_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "top/columns.h"

struct column_place {
	enum column_id id;
	int x;
	int width;
};

struct column_layout {
	struct column_place place[COLUMNS_OF_TABLE];
	size_t places;
	bool wide;		/* the wide headings fit */
	size_t hidden;		/* number of chosen columns that do not fit, or are skipped */
};

/*
 * @chosen is a mask of columns. After the first column, @skipped ones of the others are left out,
 * so that those that do not fit can be reached. @longest_name is the width of the longest name.
 */
struct column_layout column_layout(unsigned int chosen, size_t skipped, int width,
				   int longest_name);

/* Returns how many columns to skip to show the next ones, or 0 to start again. */
size_t column_layout_next(unsigned int chosen, size_t skipped, int width);

#endif /* TOP_COLUMN_LAYOUT_H */
