/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands that print statistics: list, schema, read, query, log, and those of kvm_stat. */
#ifndef READ_READ_H
#define READ_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "options.h"
#include "sums.h"

/* ---- the commands: they return the exit status ---- */

int command_list(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_query(int argc, char **argv);
int command_read(int argc, char **argv);
int command_log(int argc, char **argv);

/* ---- samples: what the user selected, once or after each interval, for read and query ---- */

struct samples_options {
	uint64_t interval;	/* in ns; 0: one sample, no rates */
	unsigned long count;	/* of intervals; 0: until all VMMs of -p end */
	struct filter filter;
};

/* What a command does with the samples. @arg is that of samples_run(). */
struct samples_printer {
	/* Called after the first sample. Prints a message and returns false if it fails. */
	bool (*start)(const struct monitor *monitor, void *arg);
	/* Prints a sample. @interval is 1 after the first interval, 0 without intervals. */
	void (*print)(const struct monitor *monitor, unsigned long interval, void *arg);
};

/* Returns the exit status. */
int samples_run(struct samples_options *options, const struct samples_printer *printer, void *arg);

/* Prints the comment line above the statistics of a VMM: process, guest and source. */
void print_heading(const struct vmm *vmm);

/* ---- JSON on standard output, one line for all VMMs ---- */

/* Prints a string in quotes. Characters that utf8_is_harmless() rejects are escaped. */
void json_print_string(const char *text);

/* Prints the value of @row, or an array if it has several. */
void json_print_value(const struct row *row);

/* Prints the VMMs, without statistics. */
void json_print_vmms(const struct monitor *monitor);

/* Prints the time, and the statistics of all VMMs; with @rates, also their growth per second. */
void json_print_values(const struct monitor *monitor, bool rates);

/* ---- the format of QMP: kvm-stats(1) describes it ---- */

/* An answer describes one VMM. Prints a message and returns false if more are selected. */
bool query_stats_require_one(const struct monitor *monitor);
/* The same if @filter cannot select just one, whichever VMMs exist. */
bool query_stats_check(const struct filter *filter);

void query_stats_print_schemas(const struct monitor *monitor);

/* Prints a message for each statistic that is omitted because QMP cannot describe it. */
void query_stats_warn_unknown(const struct monitor *monitor);

/* ---- logs: the columns are sorted by name; histograms do not have one ---- */

struct column {
	char name[96];		/* "exits", or "exits@debugfs" if two sources have the name */
	const struct total *total;
};

struct columns {
	struct column *column;
	size_t columns;
};

/*
 * Makes a column for each suitable statistic in @totals. Prints a message and returns false if
 * memory is exhausted.
 */
bool columns_set(struct columns *columns, const struct totals *totals);

/* Whether @totals has statistics that have no column yet. */
bool columns_differ(const struct columns *columns, const struct totals *totals);

/* Reads a sample and its sums. Prints a message and returns false if that fails. */
bool sample_totals(struct monitor *monitor, struct totals *totals);

bool columns_all_zero(const struct columns *columns);

/* Prints one line if statistics were reset since the previous sample. */
void columns_report_cleared(const struct totals *totals);

void columns_free(struct columns *columns);

/*
 * Writes a record for each interval to standard output or to a file. Returns the exit status, as
 * the next functions do.
 */
int log_write(const struct log_options *options);

/*
 * Prints two samples, one second apart, like kvm_stat -1, or the names that -f can select, like
 * kvm_stat -f help.
 */
int once_print(const struct kvm_stat_options *options);

#endif /* READ_READ_H */
