/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of the commands. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model.h"

/* The exit status of kvm-stats. */
enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/* ---- numbers: @option is the name for messages, such as "-i" ---- */

#define MAX_SECONDS	86400.0
#define MIN_INTERVAL	0.1	/* in seconds, of log, serve, top and kvm_stat */

/*
 * Parses a number of seconds from @min to MAX_SECONDS, and stores it in ns. Prints a message and
 * returns false if @text is not one.
 */
bool parse_seconds(const char *option, const char *text, double min, uint64_t *ns);

/* ---- the options of a command, from which getopt_long() and --help know them ---- */

enum option_kind {
	OPTION_OTHER,		/* handled by command_options.set() */
	OPTION_FLAG,		/* sets a bool */
	OPTION_TEXT,		/* stores the argument in a const char * */
	OPTION_COUNT,		/* stores a number of intervals in an unsigned long */
	OPTION_SECONDS,		/* parse_seconds() stores it in a uint64_t */
	OPTION_SOURCE,		/* adds @source to an enum sources */
};

/* The options of a command that have no letter are numbered from here. */
#define FIRST_LONG_OPTION	512

struct command_option {
	int letter;			/* or such a number */
	const char *name;		/* NULL: the end of the table */
	const char *argument;		/* for the help: "FILE"; "[=FILE]" if it may be omitted */
	const char *help;		/* lines, separated by '\n'; NULL: not in the help */
	enum option_kind kind;
	size_t member;			/* its offset in the struct that the option changes */
	double min;			/* of OPTION_SECONDS */
	enum sources source;
};

/*
 * What a command accepts in addition to -h and to the options that select VMs, vCPUs and
 * statistics, which all commands have.
 */
struct command_options {
	const char *command;		/* its name, such as "read"; NULL: without a command */
	const char *usage;		/* the help text before the options */
	const char *advice;		/* one more sentence after a usage error, or NULL */
	const struct command_option *table;
	/*
	 * Handles an option of the kind OPTION_OTHER. Prints a message and returns false if
	 * @value is not valid. NULL: there is no such option.
	 */
	bool (*set)(int option, const char *value, void *arg);
};

/*
 * Sets members of @arg and @filter. Returns -1 to continue, or the exit status: after --help, or
 * after a message about a wrong option or argument.
 */
int options_parse(int argc, char **argv, const struct command_options *options, void *arg,
		  struct filter *filter);

/* Prints the lines of the help that describe the options. */
void options_help(const struct command_options *options, FILE *to);

/* ---- the options of a log ---- */

struct log_options {
	const struct filter *filter;
	enum sources sources;
	const char *file;	/* NULL: standard output */
	bool csv;
	bool skip_zero;		/* omit records in which all values are 0 */
	bool kvm_stat_stamps;	/* the time without its fraction and zone, as in kvm_stat */
	uint64_t interval;	/* in ns */
	unsigned long count;	/* of records; 0: no limit */
};

/* ---- the options of the Python program kvm_stat, with the same meaning ---- */

struct kvm_stat_options {
	struct filter filter;		/* -f, -p, -g, --vm, --vcpu */
	bool include_past;		/* -i: totals since the VM was created */
	bool list_names;		/* -f help */
	bool once;			/* -1 */
	bool logs;			/* -l, -L */
	struct log_options log;		/* -d, -t, -L, -c, -z, -s, and -n, not in kvm_stat */
};

/* Accepted without a command, and with "top --classic". */
extern const struct command_options kvm_stat_accepted;

/* Sets the defaults, and parses like options_parse(). */
int kvm_stat_options_parse(struct kvm_stat_options *options, int argc, char **argv);

#endif /* OPTIONS_H */
