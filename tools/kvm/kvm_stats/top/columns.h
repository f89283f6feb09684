/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of the tables of guests and vCPUs. */
#ifndef TOP_COLUMNS_H
#define TOP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "top/activity.h"

enum column_id {
	COLUMN_NAME,
	COLUMN_PID,
	COLUMN_VCPUS,
	COLUMN_MISSING,
	COLUMN_CPU,
	COLUMN_GUEST,
	COLUMN_KERNEL,
	COLUMN_USER,
	COLUMN_HALTED,
	COLUMN_WAITING,
	COLUMN_EXITS,
	COLUMN_HISTORY,
	COLUMN_KINDS,
	COLUMN_POLLS,
	COLUMN_FAULTS,
	COLUMN_MEMORY,
	COLUMNS_OF_TABLE,
};

/* Bit masks of columns. The first column is always shown. */
#define COLUMN_BIT(id)		(1u << (id))
#define ALL_COLUMNS		(COLUMN_BIT(COLUMNS_OF_TABLE) - 1)
#define DEFAULT_COLUMNS		(ALL_COLUMNS & ~COLUMN_BIT(COLUMN_USER))

struct column_type {
	const char *option;	/* its name on the command line */
	char key;		/* sorts by this column; 0: the column has no order */
	const char *heading;
	const char *wide_heading;
	int width;		/* of a cell, without the space before it */
	int wide;		/* with the wide heading */
	int widest;		/* what the column can use; 0: not more than the above */
	bool left;		/* aligned */
	bool ascending;		/* the usual order */
	const char *meaning;
};

extern const struct column_type column_types[COLUMNS_OF_TABLE];

/* A line: a guest, a VM or vCPU, or the sum of all guests. */
struct table_line {
	char name[ACTIVITY_NAME_SIZE];
	pid_t pid;			/* 0: not known */
	size_t vcpus;
	size_t missing;
	bool lacks_only_vms;		/* what is missing are statistics of VMs only */
	struct figures figures;
	const struct history *history;	/* valid until the next sample */
	bool sum;			/* always the first line */
	bool appeared;
	char problem[128];		/* why there are no statistics, or "" */
	struct top_scope scope;
};

/* What formatting needs to know. */
struct column_context {
	uint64_t now;
	bool utf8;
};

#define CELL_SIZE	512

/* Writes a cell to @buf, which has CELL_SIZE bytes. The result can be longer than @width. */
void column_format(char *buf, enum column_id id, const struct table_line *line, int width,
		   const struct column_context *context);

/* Compares two lines, as qsort() does. */
int column_compare(enum column_id id, const struct table_line *a, const struct table_line *b);

enum column_load {
	LOAD_NORMAL,
	LOAD_HIGH,
	LOAD_CRITICAL,
};

enum column_load column_load(enum column_id id, const struct table_line *line);

/* Returns the column with this key or option name, or -1. */
int column_of_key(int key);
int column_of_option(const char *name, size_t len);

#endif /* TOP_COLUMNS_H */
