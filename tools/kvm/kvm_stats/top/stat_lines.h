/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of the page of statistics. */
#ifndef TOP_STAT_LINES_H
#define TOP_STAT_LINES_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "top/history.h"
#include "top/view.h"

enum stat_column {
	STAT_NAME,
	STAT_VALUE,
	STAT_RATE,
	STAT_COLUMNS,
};

struct stat_order {
	enum stat_column column;
	bool reversed;
};

/* The history of one statistic, from the time on at which the page was opened */
struct stat_history {
	const struct total *total;
	struct history history;
};

struct stat_line {
	struct view_line view;
	const char *meaning;		/* "" if it is unknown */
};

struct stat_lines {
	struct stat_line *line;
	size_t lines;
	size_t capacity;
	struct stat_history *history;
	size_t histories;
	size_t history_capacity;
	struct view view;
};

/*
 * Call it after each totals_update() with the times of the last two samples (0: there is no
 * previous sample). Returns false if there is not enough memory.
 */
bool stat_lines_remember(struct stat_lines *lines, const struct totals *totals, uint64_t before,
			 uint64_t now);

/*
 * Returns NULL if the statistic has no rate. The history is valid until the next call of
 * stat_lines_remember().
 */
const struct history *stat_lines_history(const struct stat_lines *lines,
					 const struct view_line *line);

/* Call it when the totals are of another guest, VM or vCPU. */
void stat_lines_forget(struct stat_lines *lines);

/* Makes a line for each statistic that is not 0 and whose name matches @filter. */
bool stat_lines_make(struct stat_lines *lines, const struct totals *totals, const regex_t *filter,
		     const struct stat_order *order, const struct view_options *options);

void stat_lines_free(struct stat_lines *lines);

#endif /* TOP_STAT_LINES_H */
