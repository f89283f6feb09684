/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands that print statistics: list, schema, read, query, log. */
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

/* ---- samples: what the user selected, once or after each interval ---- */

struct samples_options {
	struct filter filter;
	const char *from;	/* see monitor_options */
	struct replay_options replay;	/* the same; without the interval */
	bool exits;		/* the same */
	bool switches;		/* the same */
	bool verbose;		/* print details of what cannot be read */
	uint64_t interval;	/* in ns; 0: one sample, no rates */
	enum monitor_processes processes;
	unsigned long count;	/* of intervals; 0: until all VMMs of -p end */
};

/* What a command does with the samples. @arg is that of samples_run(). */
struct samples_printer {
	/* Whether statistics are selected that are not KVM's, see guests.h. May be NULL. */
	bool (*has_others)(const struct monitor *monitor, void *arg);
	/* Called after the first sample. Prints a message and returns false if it fails. */
	bool (*start)(const struct monitor *monitor, void *arg);
	/* Prints a sample. @interval is 1 after the first interval, 0 without intervals. */
	void (*print)(const struct monitor *monitor, unsigned long interval, void *arg);
};

/* Opens the host and reads the first sample. Returns NULL after printing why that fails. */
struct monitor *samples_open(const struct samples_options *options);

/* Returns the exit status. */
int samples_run(struct samples_options *options, const struct samples_printer *printer, void *arg);

/*
 * Waits until @deadline (ns of CLOCK_MONOTONIC). Returns false after a signal. A copy is read
 * without waiting.
 */
bool samples_wait(const struct monitor *monitor, uint64_t deadline);

/* Prints the comment line above the statistics of a VMM: process, guest and source. */
void print_heading(const struct monitor *monitor, const struct vmm *vmm);

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
/* Before a sample: prints a message and returns false if @filter can select several VMMs. */
bool query_stats_check(const struct filter *filter);

void query_stats_print_schemas(const struct monitor *monitor);

/* Prints a message for each statistic that is omitted because QMP cannot describe it. */
void query_stats_warn_unknown(const struct monitor *monitor);

#endif /* READ_READ_H */
