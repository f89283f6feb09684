/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The full screen, inside of this folder. The screen shows a page: the guests, the VMs and vCPUs of
 * a guest, statistics, or the bars of a histogram. All pages are tables of lines and columns. The
 * view of kvm_stat is two more pages, with keys of its own.
 */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/fd_reserve.h"
#include "monitor/monitor.h"
#include "proc/host.h"
#include "proc/process.h"
#include "top/number.h"
#include "top/top.h"
#include "values/totals.h"

#define NAME_SIZE	128
#define PROBLEM_SIZE	2048
#define MESSAGE_SIZE	512
#define CELL_SIZE	512

/* ---- what a page or a line is of ---- */

/*
 * All VMMs, one VMM, or one VM or vCPU. Contains no pointers, because VMMs and targets can end
 * while the page is on the screen.
 */
struct top_scope {
	bool one_vmm;
	bool one_target;
	uint64_t key;			/* of the VMM, see vmm_key() */
	pid_t pid;			/* for the title */
	char label[LABEL_SIZE];
	enum origin origin;
	char guest[64];			/* for the title, also after the end; "": no name */
};

struct top_scope scope_of_vmm(const struct vmm *vmm);
struct top_scope scope_of_target(const struct target *target);
/* @arg is the scope. */
bool scope_selects(const struct target *target, void *arg);
/* Returns NULL if the scope is all VMMs, or if the VMM has ended. */
const struct vmm *scope_vmm(const struct top_scope *scope, const struct monitor *monitor);
/* Whether the scope contains a VM or vCPU whose statistics can be read. */
bool scope_has_targets(const struct top_scope *scope, const struct monitor *monitor);

/* ---- exits and times, of one line or of a page ---- */

#define EXIT_KINDS	64	/* at most so many kinds of exits are counted */
#define EXIT_NAME_SIZE	24
#define TOP_KINDS	3	/* in the column of the most frequent exits */

/*
 * A kind of exits. While exit statistics are on, the kinds are classes, and each exit is in one of
 * them. The other kinds overlap with the classes.
 */
struct exit_kind {
	char name[EXIT_NAME_SIZE];	/* "io" for io_exits and for exit_io */
	double rate;
	double ns;			/* time of a class, per second */
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

/* Where the time of vCPUs goes, while exit statistics are on. */
struct vcpu_times {
	size_t vcpus;			/* that exit statistics have counted */
	double percent[TIME_PARTS];	/* the sums over these vCPUs */
};

struct exit_kinds {
	struct exit_kind kind[EXIT_KINDS];
	size_t kinds;
};

/* ---- columns ---- */

enum column_id {
	/* of guests and vCPUs */
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
	TABLE_COLUMNS,
	/* of statistics */
	COLUMN_VALUE = TABLE_COLUMNS,
	COLUMN_SHARE,
	COLUMN_RATE,
	COLUMN_RATES,		/* the history of COLUMN_RATE */
	COLUMN_MEANING,
	/* of histograms */
	COLUMN_FROM,
	COLUMN_BELOW,
	COLUMN_SAMPLES,
	COLUMN_PART,
	COLUMN_BAR,
	COLUMNS,
};

#define COLUMN_BIT(id)		(1u << (id))
#define ALL_COLUMNS		(COLUMN_BIT(TABLE_COLUMNS) - 1)
#define DEFAULT_COLUMNS		(ALL_COLUMNS & ~COLUMN_BIT(COLUMN_USER))

enum column_format {
	FORMAT_PERCENT,
	FORMAT_COUNT,
	FORMAT_RATE,
	FORMAT_BYTES,
};

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
	bool optional;		/* long names are more important */
	enum column_format format;
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
	bool wide;		/* the wide headings fit */
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

/* ---- lines ---- */

/* Groups of statistics, in their order. Values of different groups are not comparable. */
enum stat_group {
	GROUP_EVENTS,	/* counters without a unit; they have a share */
	GROUP_AMOUNTS,	/* counters of times and sizes */
	GROUP_HISTOGRAMS,
	GROUP_GAUGES,	/* current values and peaks */
};

/*
 * A guest, a VM or vCPU, a statistic, a bar, or a sum. A line exists as long as what it shows, so
 * that it has a history. It keeps its values after the end of that.
 */
struct line {
	const void *key;		/* the VMM, target, total or bucket; NULL: it has ended */
	const struct vmm *vmm;		/* NULL: not of one VMM, or it has ended */
	const struct target *target;	/* the same for VMs and vCPUs */
	char name[NAME_SIZE];
	char stat[NAME_SIZE];		/* full name of the statistic; "": not one statistic */
	struct top_scope scope;
	double number[COLUMNS];		/* negative: unknown */
	struct history history;		/* of exits, or of the statistic */
	bool has_history;
	struct exit_kind kind[TOP_KINDS];	/* the most frequent ones; the rest has rate 0 */
	uint64_t kinds_time;		/* of the sample that @kind is of */
	struct process process;		/* of a guest */
	enum stat_group group;
	enum origin origin;
	enum number_unit unit;
	const char *meaning;		/* of the statistic, or "" */
	char below[NUMBER_SIZE];	/* upper bound of a bar; "": it has no bound */
	double added;			/* what the last interval added to the samples of a bar */
	bool sum;
	bool child;			/* of the statistic above, such as "HLT" of kvm_exit(HLT) */
	bool cleared;
	bool appeared;			/* in the last interval */
	bool lacks_only_vms;		/* what is missing are statistics of VMs only */
	char problem[NAME_SIZE];	/* why there are no statistics, or "" */
	bool seen;			/* by the last update */
	bool filtered;			/* the filter hides it */
};

enum page_kind {
	PAGE_GUESTS,
	PAGE_PARTS,		/* the VMs and vCPUs of a guest */
	PAGE_STATISTICS,	/* of a VM or vCPU, of a guest, or of all guests */
	PAGE_HISTOGRAM,
	PAGE_EVENTS,		/* the statistics, as kvm_stat shows them */
	PAGE_MEMBERS,		/* the same for guests, or for the VMs and vCPUs of one */
	PAGE_KINDS,
};

#define MAX_PAGES	8

struct page {
	enum page_kind kind;
	struct top_scope scope;
	char stat[NAME_SIZE];		/* of the histogram or of the members; "": sum of events */
	struct line **line;		/* those that the filter hides are last */
	size_t lines;			/* without those that the filter hides */
	size_t all;
	size_t capacity;
	struct line sum;		/* below the lines of kvm_stat's pages */
	size_t at;			/* line of the cursor */
	const struct line *selected;	/* the cursor stays on it if the order changes; or NULL */
	size_t first;			/* first line on the screen */
	struct vcpu_times times;
	struct exit_kinds classes;	/* of these vCPUs, those with the most time first */
	char problem[PROBLEM_SIZE];	/* why the guest cannot be read */
	char summary[160];		/* of the histogram */
};

/* Finds or adds the line of @key. Returns NULL if memory is exhausted. */
struct line *page_line(struct page *page, const void *key, const char *name);
/* Call these before and after page_line() has been called for all lines. */
void page_begin(struct page *page);
bool page_finish(struct page *page, const regex_t *filter, enum column_id column, bool reversed);
void page_free(struct page *page);
/* Whether the statistic is a part of another one, such as kvm_exit(HLT) of kvm_exit. */
bool line_is_child_of(const struct line *child, const struct line *parent);

/* ---- prompts ---- */

#define PROMPT_SIZE	256

enum prompt_kind {
	PROMPT_NONE,
	PROMPT_FILTER,
	PROMPT_SEARCH,
	PROMPT_INTERVAL,
	PROMPT_REGEX,		/* of kvm_stat's view */
	PROMPT_GUEST,
};

enum prompt_result {
	PROMPT_PENDING,
	PROMPT_DONE,
	PROMPT_CANCELLED,
};

struct prompt {
	enum prompt_kind kind;
	char text[PROMPT_SIZE];
	size_t len;
	size_t at;			/* the byte in @text that the cursor is on */
	bool initial;			/* the first character replaces @text */
	char error[PROMPT_SIZE];	/* why the last answer was rejected, or "" */
};

/* Opens a prompt with an answer that the user can edit, or replace by typing another one. */
void prompt_begin(struct prompt *prompt, enum prompt_kind kind, const char *text);
/* @key is a byte or a KEY_ constant of curses. */
enum prompt_result prompt_key(struct prompt *prompt, int key);

/* ---- the screen ---- */

struct order {
	enum column_id column;
	bool reversed;		/* against the usual order of the column */
};

struct filter_text {
	char text[PROMPT_SIZE];		/* "": no filter */
	regex_t regex;
};

/* A guest that the prompt of kvm_stat's view offers. */
struct guest_choice {
	pid_t pid;			/* 0: not known */
	bool named;
	char name[NAME_SIZE];		/* of the guest if named, otherwise of the program */
};

struct top {
	struct filter *filter;		/* of VMMs and statistics, from the command line */
	enum sources sources;
	uint64_t interval;
	bool kvm_stat;			/* the keys and pages of kvm_stat */
	struct monitor *monitor;
	struct fd_reserve reserve;	/* for the terminal and /proc */
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
	struct filter_text names[PAGE_KINDS];	/* the filters of names */
	unsigned int columns;		/* the chosen ones of the table */
	size_t skipped_columns;
	bool counts_growth;		/* values count from the start or the last reset */
	bool has_baselines;
	bool children;			/* kvm_stat's view shows child events */
	bool awaiting_guest;		/* the guest of kvm_stat's view has ended; it may return */
	char guest[NAME_SIZE];		/* if the filter selects one PID: its guest's name, or "" */
	struct guest_choice *choice;	/* while kvm_stat's prompt asks for a guest */
	size_t choices;
	bool utf8;
	bool help;
	bool choosing;			/* the list of columns is on the screen */
	int chosen;
	bool paused;
	bool quit;
	bool sample_now;
	uint64_t deadline;		/* of the next sample, in ns of CLOCK_MONOTONIC */
	struct prompt prompt;
	char search[PROMPT_SIZE];	/* the last text searched for */
	size_t search_from;		/* where the cursor was before the search */
	char message[MESSAGE_SIZE];	/* shown in the bottom line */
	uint64_t message_until;
	int rows;			/* of the table on the screen */
	int width;
};

static inline struct page *top_page(const struct top *top)
{
	return (struct page *)&top->page[top->depth];
}

void top_message(struct top *top, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* ---- model.c: samples. Functions that return int return 0, or -errno if top must end. ---- */

/* Returns false after printing an error. */
bool model_open(struct top *top);
void model_close(struct top *top);
/* Frees the lines of all pages as well. */
void model_free(struct top *top);

/* Reads a new sample and updates the page. */
int model_sample(struct top *top);
/* Updates the page from the last sample, after the page, the order or a filter has changed. */
int model_update(struct top *top);
/* Call this when monitor_fd() is readable: a VMM has ended. */
int model_refresh(struct top *top);
/* Counts the values of statistics from the last sample on. */
int model_reset(struct top *top);

/* Opens a page above the current one, and closes it. */
int model_push(struct top *top, enum page_kind kind, const struct top_scope *scope,
	       const char *stat);
void model_pop(struct top *top);

/* Whether the guest, VM or vCPU of the page has ended. Its last values stay on the screen. */
bool page_has_ended(const struct top *top, const struct page *page);

/* ---- stats.c: what lines show. They return false if memory is exhausted. ---- */

bool stats_update_guests(struct top *top, struct page *page);
bool stats_update_parts(struct top *top, struct page *page);
bool stats_update_statistics(struct top *top, struct page *page);
bool stats_update_members(struct top *top, struct page *page);
bool stats_update_histogram(struct top *top, struct page *page);
bool stats_update_times(struct top *top, struct page *page);
void stats_update_kinds(struct top *top, struct line *line);
void stats_free(struct top *top);

/* Writes the short name of a kind of exits to @buf. Returns false if @name is not one. */
bool exit_kind_name(char *buf, const char *name);

/* Shares the time of an interval out to the parts, see stats.c. */
void fit_interval(double *percent, bool blocking);

/* ---- table.c: columns and their cells ---- */

/* Returns the columns of the page: the chosen ones, without those that have no values. */
unsigned int table_columns(const struct top *top);
/* Writes a cell to @buf, which has CELL_SIZE bytes. The result can be longer than @width. */
void column_text(char *buf, enum column_id id, const struct line *line, int width, uint64_t now,
		 bool utf8);
const char *column_heading(const struct top *top, enum column_id id, bool wide);
/* Returns the column with this option name, or -1. */
int column_of_option(const char *name, size_t len);

/* Each returns whether the order has changed. @by is 1 or -1: the next or the previous column. */
bool table_sort_by_key(struct top *top, int key);
bool table_sort_by_next(struct top *top, int by);
void table_sort_by(struct top *top, enum column_id id);

/* ---- draw.c ---- */

/* Writes what cannot be read to @buf, each part after ", ", or "". Returns its color. */
int draw_put_problems(char *buf, size_t size, const struct monitor *monitor);

void draw_colors(void);
void draw_screen(struct top *top);
/* Shows @text immediately, before a slow operation: closing tracepoints takes seconds. */
void draw_now(const char *text);
/*
 * Returns the first line to show in a table of @rows, so that line @at is visible. @first is
 * the current one.
 */
size_t draw_first(size_t first, size_t at, size_t lines, int rows);
/* Returns the length of a bar, in eighths of a cell. A nonzero count has at least one. */
unsigned int draw_eighths(double count, double largest, int width);
/*
 * Copies as much of @text as fits into @width cells. Replaces what cannot be shown by '?'.
 * Returns the number of cells used.
 */
int draw_fit(char *buf, size_t size, const char *text, int width);

/* ---- input.c ---- */

/* Handles all keys that have been typed. Returns 0, or -errno if top must end. */
int input_read(struct top *top);

/* ---- kvm_stat.c ---- */

/* Handles a key that does not have the same meaning in all views. */
int kvm_stat_key(struct top *top, int key);
int kvm_stat_open(struct top *top, const struct line *line);
/* Uses the answer to PROMPT_REGEX or PROMPT_GUEST. */
int kvm_stat_answer(struct top *top);
/*
 * Call it after each sample. If the selected process has ended, opens the monitor again, which
 * waits for its guest. Returns 0 or -errno.
 */
int kvm_stat_await_guest(struct top *top);
void kvm_stat_free_choices(struct top *top);

/* ---- screen.c: the terminal ---- */

/*
 * Returns the messages since the last call, without the program's name, or "". The result is @buf.
 * Standard error is captured while top runs. Messages that it did not show are printed at its end.
 */
const char *top_errors(char *buf, size_t size);

#endif /* TOP_SCREEN_H */
