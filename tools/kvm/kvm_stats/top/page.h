/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the screen shows: a page with lines. It is a list of the guests, of the VMs and vCPUs of a
 * guest, of statistics, or of the bars of a histogram.
 */
#ifndef TOP_PAGE_H
#define TOP_PAGE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "proc.h"
#include "top/exits.h"
#include "top/number.h"
#include "why/verdict.h"

#define NAME_SIZE	128

/* ---- what a page or a line is of ---- */

/*
 * All VMMs, one VMM, or one VM or vCPU. Contains no pointers, because VMMs and targets can end
 * while the page is on the screen.
 */
struct top_scope {
	uint64_t vmm;			/* its ID; 0: all VMMs */
	char label[LABEL_SIZE];		/* of the VM or vCPU; "": not only one */
};

/* @arg is the scope. */
bool scope_selects(const struct target *target, void *arg);
/* Returns the only VM or vCPU of the scope. NULL: it has ended, or the scope has more. */
const struct target *scope_target(const struct top_scope *scope, const struct monitor *monitor);
/* Returns NULL if the scope is all VMMs, or if the VMM has ended. */
const struct vmm *scope_vmm(const struct top_scope *scope, const struct monitor *monitor);
/* Whether the guest, VM or vCPU has ended. */
bool scope_has_ended(const struct top_scope *scope, const struct monitor *monitor);

/* ---- lines ---- */

/* The numbers of a line. Columns of a table show them, in this order. */
enum column_id {
	COLUMN_NAME,
	/* of statistics and histograms */
	COLUMN_BELOW,	/* upper bound of a bar; the name is the lower bound */
	COLUMN_VALUE,
	COLUMN_SHARE,
	COLUMN_RATE,
	/* of guests and vCPUs */
	COLUMN_PID,
	COLUMN_VCPUS,
	COLUMN_STATE,
	COLUMN_CPU,
	/* in the order of enum time_part */
	COLUMN_GUEST,
	COLUMN_KERNEL,
	COLUMN_USER,
	COLUMN_HALTED,
	COLUMN_WAITING,
	COLUMN_THROTTLED,
	COLUMN_EXITS,
	COLUMN_VERDICT,	/* its number is the order: the largest loss first */
	COLUMN_HISTORY,	/* of the exits, or of the rate of a statistic */
	COLUMN_KINDS,
	COLUMN_POLLS,
	COLUMN_FAULTS,
	COLUMN_MEMORY,
	/* of statistics and histograms */
	COLUMN_MEANING,
	COLUMN_BAR,	/* its number is the index of the bucket */
	COLUMNS,
};

#define COLUMN_BIT(id)		(1u << (id))

/* Groups of statistics, in their order. Values of different groups are not comparable. */
enum stat_group {
	GROUP_EVENTS,	/* counters without a unit */
	GROUP_AMOUNTS,	/* counters of times and sizes */
	GROUP_HISTOGRAMS,
	GROUP_GAUGES,	/* current values and peaks */
};

#define TOP_KINDS	2	/* in the column of the most frequent exits */

/*
 * A guest, a VM or vCPU, a statistic, a bar, or a sum. A line exists as long as what it shows, so
 * that it has a history. It keeps its values after the end of that.
 */
struct line {
	struct top_scope scope;
	char stat[NAME_SIZE];		/* the statistic, or the number of a bar; "": neither */
	char name[NAME_SIZE];
	double number[COLUMNS];		/* negative: unknown */
	const char *state;		/* of a guest, VM or vCPU: one word, or "" */
	const char *verdict;		/* of a guest or vCPU: its name, or "" */
	struct tally tally;		/* of a guest, VM or vCPU */
	struct history history;		/* of exits, or of the statistic */
	struct exit_kind kind[TOP_KINDS];	/* the most frequent ones; the rest has rate 0 */
	enum stat_group group;
	enum unit unit;			/* of a statistic */
	const char *meaning;		/* of a statistic or of the state, or "" */
	char below[NUMBER_SIZE];	/* upper bound of a bar; "": it has no bound */
	double added;			/* what the last interval added to the samples of a bar */
	bool sum;
	bool cleared;
	bool appeared;			/* in the last interval */
	bool new_verdict;		/* another one than at the last update */
	bool seen;			/* by the last update */
	bool hidden;			/* by the filter */
};

/* ---- pages ---- */

enum page_kind {
	PAGE_GUESTS,
	PAGE_TARGETS,		/* the VMs and vCPUs of a guest */
	PAGE_STATISTICS,	/* of a VM or vCPU, of a guest, or of all guests */
	PAGE_HISTOGRAM,
	PAGE_KINDS,
};

struct order {
	enum column_id column;
	bool reversed;		/* against the usual order of the column */
};

struct page {
	enum page_kind kind;
	struct top_scope scope;
	char title[NAME_SIZE];		/* name and PID of the guest, also after its end, or "" */
	char stat[NAME_SIZE];		/* the histogram, or "" */
	struct line **line;		/* hidden ones are last */
	size_t lines;			/* without hidden ones */
	size_t all;
	size_t capacity;
	bool no_memory;			/* for some lines */
	size_t at;			/* line of the cursor */
	const struct line *selected;	/* the cursor stays on it if the order changes; or NULL */
	size_t first;			/* first line on the screen */
	struct verdict verdict;		/* on the guest or vCPU; without a text: none */
	struct tally times;		/* where the time of the vCPUs goes */
	struct exit_kinds classes;	/* of these vCPUs, those with the most time first */
	char summary[160];		/* of the histogram */
};

/* Frees the lines, and makes it an empty page of all guests. */
void page_free(struct page *page);

/* Returns the line of a scope and statistic, which is added if necessary. */
struct line *page_line(struct page *page, const struct top_scope *scope, const char *stat);
void line_clear_numbers(struct line *line);

/* Call these before and after page_line() has been called for all lines. */
void page_begin(struct page *page);
#define NAME_FILTER	(REG_EXTENDED | REG_ICASE | REG_NOSUB)
void page_finish(struct page *page, const char *filter, struct order order);

/* Moves the cursor to this line, or to the nearest one. */
void page_select(struct page *page, long at);

/*
 * Moves the cursor to the next line whose name contains the text, regardless of case, from line
 * @from on. Returns false if no line does.
 */
bool page_search(struct page *page, const char *text, size_t from);

/*
 * Returns the first line to show in a list of @rows, so that line @at is visible. @first is the
 * current one.
 */
size_t first_of_rows(size_t first, size_t at, size_t lines, int rows);

#endif /* TOP_PAGE_H */
