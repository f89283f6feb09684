/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of tables: which are shown, and their cells. */
#ifndef TOP_TABLE_H
#define TOP_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "message.h"
#include "top/number.h"
#include "top/page.h"

/* The user can choose these, and the name is always shown. */
#define FIRST_CHOICE		COLUMN_PID
#define LAST_CHOICE		COLUMN_MEMORY
#define ALL_COLUMNS		(COLUMN_BIT(LAST_CHOICE + 1) - COLUMN_BIT(FIRST_CHOICE) + \
				 COLUMN_BIT(COLUMN_NAME))
#define DEFAULT_COLUMNS		(ALL_COLUMNS & ~COLUMN_BIT(COLUMN_USER))

struct column_type {
	const char *option;	/* its name on the command line, or NULL */
	char key;		/* sorts by this column; 0: the column has no order */
	const char *heading;
	int width;		/* of a cell, without the space before it */
	int widest;		/* of text and pictures, which are aligned to the left; others: 0 */
	enum unit unit;
	const char *meaning;
};

extern const struct column_type column_types[COLUMNS];

/* Returns the column with this option name, or -1. */
int column_of_option(const char *name);

/* ---- which columns ---- */

/* What the user has chosen */
struct table {
	unsigned int columns;	/* a mask */
	size_t skipped;		/* so many columns after the first one, to reach others */
	bool has_values;	/* false: the host has no statistics */
};

/* @list is the argument of --columns, or NULL. Returns false with a message. */
bool table_choose(struct table *table, const char *list, struct message *why);

struct column_place {
	enum column_id id;
	int x;
	int width;
};

struct column_layout {
	struct column_place place[COLUMNS];
	size_t places;
	unsigned int shown;	/* mask of columns */
	size_t hidden;		/* number of columns that do not fit, or are skipped */
};

#define NARROW	30	/* up to this width, there is no mark of columns that do not fit */

/*
 * Chooses the columns that fit, and a cell for the mark of those that do not. @chosen is a mask of
 * columns. @longest_name is the width of the longest name.
 */
struct column_layout column_layout(unsigned int chosen, size_t skipped, int width,
				   int longest_name);
struct column_layout table_layout(const struct table *table, const struct page *page, int width);

/* Skips columns to show the next ones, or starts again. */
void table_skip(struct table *table, const struct page *page, int width);

/* Writes a cell to @buf, which has CELL_SIZE bytes. The result can be longer than @width. */
void column_text(char *buf, enum column_id id, const struct line *line, int width);
const char *column_heading(enum column_id id, enum page_kind kind);

/* ---- the order ---- */

/* @name is the argument of --sort. Returns false with a message. */
bool order_parse(struct order *order, const char *name, struct message *why);
/* Sorting by the current column again reverses the order. */
void order_by(struct order *order, enum column_id id);
/* Sorts by the column that has this key. Returns false if no column has it. */
bool order_by_key(struct order *order, const struct table *table, const struct page *page, int key);
/* @by is 1 or -1: the next or the previous column. */
void order_by_next(struct order *order, const struct table *table, const struct page *page, int by);

#endif /* TOP_TABLE_H */
