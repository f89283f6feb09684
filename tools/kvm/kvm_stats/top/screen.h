/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The full screen, inside of this folder. The screen shows a page: the guests, the VMs and vCPUs of
 * a guest, statistics, or the bars of a histogram. All pages are tables of lines and columns. The
 * view of kvm_stat has the same pages, with other columns and with keys of its own.
 */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "proc.h"
#include "sums.h"
#include "top/top.h"
#include "util.h"

#define NAME_SIZE	128
#define PROBLEM_SIZE	2048
#define MESSAGE_SIZE	512
#define CELL_SIZE	512
#define PROMPT_SIZE	256

/* ---- number.c: numbers, and the history of a number, as text ---- */

#define NUMBER_SIZE	32

enum unit {
	UNIT_COUNT,	/* 1234, 98765k, 43M */
	UNIT_RATE,	/* the same, but below 10 with one decimal place */
	UNIT_PERCENT,	/* 12.3, 100 */
	UNIT_BYTES,	/* 12KiB, 1.5GiB */
	UNIT_SECONDS,	/* 1.02us, 37ms, 4s; in UTF-8 "µs" */
};

/* Counts and rates are shortened to @width characters, if necessary. */
void number_put(char *buf, enum unit unit, double number, int width);

/* Returns the unit of a statistic, and in @factor how many of it a value of 1 is. */
enum unit number_unit_of(const struct kvmstats_stat *stat, double *factor);

/* Whether the terminal shows UTF-8. */
bool is_utf8(void);

#define HISTORY_SAMPLES	60

/* The rates of the last samples. */
struct history {
	uint64_t time;			/* of the last sample */
	int samples;			/* how many entries of @rate are used: the last ones */
	float rate[HISTORY_SAMPLES];	/* the last one is the newest; negative: unknown */
};

/*
 * Adds the rate of the time between two samples, or replaces that of the same time. If other
 * samples are missing in between, there is a gap.
 */
void history_add(struct history *history, uint64_t from, uint64_t to, double rate);

/*
 * Writes @cells characters to @buf, which has CELL_SIZE bytes. The highest character stands for the
 * highest rate in these cells, a space for an unknown rate.
 */
void history_draw(char *buf, const struct history *history, int cells);

/* ---- what a page or a line is of ---- */

/*
 * All VMMs, one VMM, or one VM or vCPU. Contains no pointers, because VMMs and targets can end
 * while the page is on the screen.
 */
struct top_scope {
	uint64_t vmm;			/* its ID; 0: all VMMs */
	char label[LABEL_SIZE];		/* of the VM or vCPU; "": not only one */
	enum origin origin;		/* of the VM or vCPU, or of a statistic */
};

struct top_scope scope_of_target(const struct target *target);
/* @arg is the scope. */
bool scope_selects(const struct target *target, void *arg);
bool scope_has_targets(const struct top_scope *scope, const struct monitor *monitor);
/* Returns NULL if the scope is all VMMs, or if the VMM has ended. */
struct vmm *scope_vmm(const struct top_scope *scope, const struct monitor *monitor);

/* ---- exits and times, of one line or of a page ---- */

#define EXIT_KINDS	64	/* at most so many kinds of exits are counted */
#define EXIT_NAME_SIZE	24
#define TOP_KINDS	2	/* in the column of the most frequent exits */

/*
 * A kind of exits. While exit statistics are on, the kinds are classes, and each exit is in one of
 * them. The other kinds overlap with the classes.
 */
struct exit_kind {
	char name[EXIT_NAME_SIZE];	/* "io" for io_exits and for exit_io */
	double rate;
	double ns;			/* time of a class, per second */
};

struct exit_kinds {
	struct exit_kind kind[EXIT_KINDS];
	size_t kinds;
};

/* At each moment a vCPU is in one of these. */
enum time_part {
	TIME_GUEST,
	TIME_EXITS,	/* KVM handles exits */
	TIME_VMM,
	TIME_HALTED,
	TIME_WAITING,	/* for a CPU */
	TIME_PARTS,
};

enum tally_id {
	TALLY_EXITS,
	TALLY_FAULTS,
	TALLY_POLLS,
	TALLY_GOOD_POLLS,
	TALLY_DELAY,		/* ns */
	TALLY_TIMES,		/* TIME_PARTS entries, in percent of the time of a vCPU */
	TALLIES = TALLY_TIMES + TIME_PARTS,
};

/* The rates of several VMs and vCPUs together, per second. */
struct tally {
	double sum[TALLIES];
	size_t known[TALLIES];	/* of how many; for all times in TALLY_TIMES */
};

/* ---- columns ---- */

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
	COLUMN_MISSING,
	COLUMN_CPU,
	/* in the order of enum time_part */
	COLUMN_GUEST,
	COLUMN_KERNEL,
	COLUMN_USER,
	COLUMN_HALTED,
	COLUMN_WAITING,
	COLUMN_EXITS,
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

struct column_place {
	enum column_id id;
	int x;
	int width;
};

struct column_layout {
	struct column_place place[COLUMNS];
	size_t places;
	unsigned int shown;	/* mask of columns */
	size_t hidden;		/* number of chosen columns that do not fit, or are skipped */
};

/*
 * Chooses the columns that fit. @chosen is a mask of columns. After the first column, @skipped ones
 * of the others are left out, so that those that do not fit can be reached. @longest_name is the
 * width of the longest name.
 */
struct column_layout column_layout(unsigned int chosen, size_t skipped, int width,
				   int longest_name);

/* Returns how many columns to skip to show the next ones, or 0 to start again. */
size_t column_layout_next(unsigned int chosen, size_t skipped, int width);

/* ---- lines and pages ---- */

/* Groups of statistics, in their order. Values of different groups are not comparable. */
enum stat_group {
	GROUP_EVENTS,	/* counters without a unit; they have a share */
	GROUP_AMOUNTS,	/* counters of times and sizes */
	GROUP_HISTOGRAMS,
	GROUP_GAUGES,	/* current values and peaks */
	GROUPS,
};

/*
 * A guest, a VM or vCPU, a statistic, a bar, or a sum. A line exists as long as what it shows, so
 * that it has a history. It keeps its values after the end of that.
 */
struct line {
	struct top_scope scope;
	char stat[NAME_SIZE];		/* the statistic, or the number of a bar; "": neither */
	char name[NAME_SIZE];
	bool child;			/* of another statistic, such as kvm_exit(HLT) */
	const struct line *parent;	/* of a child; NULL: it is not on the page */
	double number[COLUMNS];		/* negative: unknown */
	struct tally tally;		/* of a guest, VM or vCPU */
	struct history history;		/* of exits, or of the statistic */
	struct exit_kind kind[TOP_KINDS];	/* the most frequent ones; the rest has rate 0 */
	struct process process;		/* of a guest */
	enum stat_group group;
	enum unit unit;			/* of a statistic */
	const char *meaning;		/* of a statistic, or "" */
	char below[NUMBER_SIZE];	/* upper bound of a bar; "": it has no bound */
	double added;			/* what the last interval added to the samples of a bar */
	char problem[NAME_SIZE];	/* why there are no statistics, or "" */
	bool sum;
	bool cleared;
	bool appeared;			/* in the last interval */
	bool lacks_only_vms;		/* what is missing are statistics of VMs only */
	bool seen;			/* by the last update */
	bool hidden;			/* by the filter, or without its parent */
};

enum page_kind {
	PAGE_GUESTS,
	PAGE_TARGETS,		/* the VMs and vCPUs of a guest */
	PAGE_STATISTICS,	/* of a VM or vCPU, of a guest, or of all guests */
	PAGE_HISTOGRAM,
	PAGE_KINDS,
};

#define MAX_PAGES	4	/* guests, vCPUs, statistics, a histogram */

struct page {
	enum page_kind kind;
	struct top_scope scope;
	char title[NAME_SIZE];		/* name and PID of the guest, also after its end, or "" */
	char stat[NAME_SIZE];		/* the histogram, or "" */
	struct line **line;		/* hidden ones are last */
	size_t lines;			/* without hidden ones */
	size_t all;
	size_t capacity;
	struct line sum;		/* below the lines of kvm_stat's view */
	size_t at;			/* line of the cursor */
	const struct line *selected;	/* the cursor stays on it if the order changes; or NULL */
	size_t first;			/* first line on the screen */
	struct tally times;		/* where the time of the vCPUs goes */
	struct exit_kinds classes;	/* of these vCPUs, those with the most time first */
	char summary[160];		/* of the histogram */
};

/* ---- prompts ---- */

enum prompt_kind {
	PROMPT_NONE,
	/* These show a list in place of the page, the first two without a question. */
	PROMPT_HELP,
	PROMPT_COLUMNS,
	PROMPT_GUEST,		/* of kvm_stat's view, as is the next one */
	PROMPT_REGEX,
	PROMPT_FILTER,
	PROMPT_SEARCH,
	PROMPT_INTERVAL,
};

struct prompt {
	enum prompt_kind kind;
	char text[PROMPT_SIZE];
	bool initial;			/* the first character replaces @text */
	char error[PROMPT_SIZE];	/* why the last answer was rejected, or "" */
};

/* ---- the screen ---- */

struct order {
	enum column_id column;
	bool reversed;		/* against the usual order of the column */
};

struct top {
	struct filter *filter;		/* of VMMs and statistics, from the command line */
	enum sources sources;
	uint64_t interval;
	bool kvm_stat;			/* the keys and columns of kvm_stat */
	struct monitor *monitor;
	struct host host;
	struct totals *totals;
	struct top_scope scope;		/* the scope that the totals were selected by */
	enum exits_state exits_state;	/* at the last sample */
	struct exit_stats *exits;	/* the statistics of exits in each schema in use */
	size_t schemas;
	size_t schemas_capacity;
	struct page page[MAX_PAGES];	/* a stack; page[depth] is on the screen */
	size_t depth;
	struct order order[PAGE_KINDS];
	char names[PAGE_KINDS][PROMPT_SIZE];	/* the filters of names; "": none */
	unsigned int columns;		/* the chosen ones of the table */
	size_t skipped_columns;
	struct column_layout layout;	/* of the page on the screen */
	int rows;			/* for lines on the screen */
	bool counts_growth;		/* values count from the start or the last reset */
	bool children;			/* kvm_stat's view shows child events */
	bool awaiting_guest;		/* kvm_stat's view waits for its guest to start */
	char guest[NAME_SIZE];		/* if the filter selects one PID: its guest's name, or "" */
	struct monitor *choices;	/* while kvm_stat's prompt asks for a guest; or NULL */
	int chosen;			/* in the list of columns */
	bool paused;
	bool quit;
	uint64_t deadline;		/* of the next sample, in ns of CLOCK_MONOTONIC; 0: now */
	struct prompt prompt;
	char search[PROMPT_SIZE];	/* the last text searched for */
	size_t search_from;		/* where the cursor was before the search */
	char message[MESSAGE_SIZE];	/* shown in the bottom line */
	uint64_t message_until;
};

static inline struct page *top_page(const struct top *top)
{
	return (struct page *)&top->page[top->depth];
}

/* ---- model.c: samples ---- */

/* Returns false after printing an error. */
bool model_open(struct top *top);
void model_close(struct top *top);
/* Frees the lines of all pages as well. */
void model_free(struct top *top);

/* Reads a new sample and updates the page. */
void model_sample(struct top *top);
/* Updates the page from the last sample, after the page, the order or a filter has changed. */
void model_update(struct top *top);
/* Updates the totals, which are the sums over the scope. */
void model_sum_up(struct top *top, const struct top_scope *scope);
/* Call this when kvmstats_monitor_fd() is readable: a VMM has ended. */
void model_refresh(struct top *top);
/* Counts the values of statistics from the last sample on. */
void model_reset(struct top *top);

/* Opens a page above the current one, and closes it. */
void model_push(struct top *top, enum page_kind kind, const struct top_scope *scope,
		const char *stat);
void model_pop(struct top *top);

/* Returns the line of a scope and statistic, or NULL. */
struct line *page_find(const struct page *page, const struct top_scope *scope, const char *stat);
/* Finds or adds the line. */
struct line *page_line(struct page *page, const struct top_scope *scope, const char *stat);
void line_clear_numbers(struct line *line);
/* Call these before and after page_line() has been called for all lines. */
void page_begin(struct page *page);
#define NAME_FILTER	(REG_EXTENDED | REG_ICASE | REG_NOSUB)
void page_finish(struct page *page, const char *filter, struct order order);
void page_free(struct page *page);
/* Whether the guest, VM or vCPU of the page has ended. Its last values stay on the screen. */
bool page_has_ended(const struct top *top, const struct page *page);

/* Writes the name of the guest, or else that of the program, and returns @buf. */
const char *guest_name(const struct vmm *vmm, char *buf, size_t size);
/* The same after the PID, as kvm_stat lists guests. */
const char *guest_choice(const struct vmm *vmm, char *buf, size_t size);
/* Writes the name and the PID, or only the PID. Returns @buf. */
const char *put_title(char *buf, size_t size, const struct vmm *vmm);

void top_message(struct top *top, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* ---- guests.c: guests and vCPUs ---- */

void guests_update(struct top *top, struct page *page);
/* Updates the times of the vCPUs, and the classes of exits. */
void guests_update_times(struct top *top, struct page *page);
/* draw.c calls it for the lines on the screen only, because there are many kinds. */
void guests_update_kinds(struct top *top, struct line *line);
void guests_free(struct top *top);

/* Writes the short name of a kind of exits to @buf. Returns false if @name is not one. */
bool exit_kind_name(char *buf, const char *name);

/* Shares the time of an interval out to the parts, see guests.c. */
void fit_interval(double *percent, bool blocking);

/* ---- stats.c: statistics ---- */

void stats_update(struct top *top, struct page *page);
/* Sets the sum and the shares of a page of kvm_stat's view. */
void stats_set_shares(struct top *top, struct page *page);
/* Adds the statistics of a guest, VM or vCPU up in its line of kvm_stat's view. */
void stats_add_up(struct top *top, struct line *line);
void stats_update_histogram(struct top *top, struct page *page);

/* ---- table.c: columns and their cells ---- */

/* Returns the columns of the page: the chosen ones, without those that have no values. */
unsigned int table_columns(const struct top *top);
/* Chooses the columns that fit on the screen. */
struct column_layout table_layout(const struct top *top);
/* Writes a cell to @buf, which has CELL_SIZE bytes. The result can be longer than @width. */
void column_text(char *buf, enum column_id id, const struct line *line, int width);
const char *column_heading(const struct top *top, enum column_id id);
/* Returns the column with this option name, or -1. */
int column_of_option(const char *name);

/* Sorts lines; @arg is the order. */
int line_compare(const void *a, const void *b, void *arg);
/* Sorting by the current column again reverses the order. */
void table_sort_by(struct top *top, enum column_id id);
/* Returns false if no column has this key. */
bool table_sort_by_key(struct top *top, int key);
/* @by is 1 or -1: the next or the previous column. */
void table_sort_by_next(struct top *top, int by);

/* ---- draw.c ---- */

/* Writes what cannot be read to @buf, each part after ", ", or "". Returns its color. */
int draw_put_problems(char *buf, size_t size, const struct monitor *monitor);

void draw_screen(struct top *top);
/*
 * Returns the first line to show in a table of @rows, so that line @at is visible. @first is
 * the current one.
 */
size_t draw_first(size_t first, size_t at, size_t lines, int rows);
/*
 * Copies as much of @text as fits into @width cells. Replaces what cannot be shown by '?'.
 * Returns the number of cells used.
 */
int draw_fit(char *buf, size_t size, const char *text, int width);

/* ---- input.c ---- */

/* Handles all keys that have been typed. */
void input_read(struct top *top);

/* Opens a prompt with an answer that the user can keep, edit, or replace by typing. */
void prompt_begin(struct prompt *prompt, enum prompt_kind kind, const char *text);
/* @key is a byte or a KEY_ constant of curses. */
void prompt_key(struct prompt *prompt, int key);

/* ---- kvm_stat.c ---- */

/* Handles a key that does not have the same meaning in all views. */
void kvm_stat_key(struct top *top, int key);
/*
 * Uses the answer to PROMPT_REGEX or PROMPT_GUEST. Returns false if it is wrong, with the reason on
 * standard error or in the prompt.
 */
bool kvm_stat_apply(struct top *top);
/*
 * Call it after each sample. If the selected process has ended, opens another monitor, which waits
 * for its guest, and returns true.
 */
bool kvm_stat_await_guest(struct top *top);

/* ---- screen.c: the terminal ---- */

/*
 * Returns the messages since the last call, without the program's name, or "". The result is @buf.
 * Standard error is captured while top runs. Messages that it did not show are printed at its end.
 */
const char *top_errors(char *buf, size_t size);

/* Restores the terminal, and ends the program with a message. @err is 0 if it was printed. */
void top_fail(int err) __attribute__((__noreturn__));

/* Ends the program if @good is false, because memory is exhausted. */
static inline void require_memory(bool good)
{
	if (!good)
		top_fail(-ENOMEM);
}

#endif /* TOP_SCREEN_H */
