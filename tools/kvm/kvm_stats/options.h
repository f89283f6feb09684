/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of the commands. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "model.h"

/* The exit status of kvm-stats. */
enum exit_status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/* ---- numbers: @option is the name for messages, such as "-i" ---- */

#define MAX_SECONDS	86400.0

/*
 * Parses a number of seconds from @min to MAX_SECONDS, and stores it in ns. Prints a message and
 * returns false if @text is not one.
 */
bool parse_seconds(const char *option, const char *text, double min, uint64_t *ns);

/* The same for a number of intervals above 0. */
bool parse_count(const char *option, const char *text, unsigned long *count);

/* ---- the options that select VMs, vCPUs and statistics; all commands have them ---- */

/* For getopt_long(). The table ends with an entry without a name. */
#define FILTER_LETTERS	"p:g:f:"
extern const struct option filter_options[];

#define FILTER_VMM_HELP	\
	"  -p, --pid=LIST      only VMMs with these process IDs, for example 47,4711\n" \
	"  -g, --guest=LIST    only guests with these names (see list), for example\n" \
	"                      web,db*; ',,' is a comma in a name\n"

#define FILTER_QMP_HELP	\
	"      --qmp[=SOCKET]  if statistics fds cannot be opened, ask QEMU on its QMP\n" \
	"                      socket, such as /run/%g.qmp; %g is the guest, %p the PID\n"

#define FILTER_HELP	\
	FILTER_VMM_HELP \
	"  -f, --filter=REGEX  only statistics whose names match this extended regex\n" \
	"      --vm            only VMs\n" \
	"      --vcpu=LIST     only these vCPUs, for example 0,2-3, or all\n" \
	FILTER_QMP_HELP

/* Handles one of these options. Prints a message and returns false if @value is not valid. */
bool filter_option(struct filter *filter, int option, const char *value);

/* ---- all options of a command ---- */

/* What a command accepts in addition to filter_options. */
struct command_options {
	const char *command;		/* its name, such as "read"; NULL: without a command */
	const char *letters;		/* for getopt_long(), with "h" for help */
	const struct option *table;
	const char *usage;		/* how to use the command */
	const char *advice;		/* one more sentence after a usage error, or NULL */
	/*
	 * Handles an option, also one of filter_options. Prints a message and returns false if
	 * @value is not valid.
	 */
	bool (*set)(int option, const char *value, void *arg);
};

/*
 * Returns -1 to continue, or the exit status: after --help, or after a message about a wrong
 * option or argument. @arg is passed to options->set().
 */
int options_parse(int argc, char **argv, const struct command_options *options, void *arg);

/* ---- the options of the Python program kvm_stat, with the same meaning ---- */

struct kvm_stat_options {
	struct filter filter;		/* -f, -p, -g, --vm, --vcpu */
	enum sources sources;		/* -d, -t */
	bool include_past;		/* -i: totals since the VM was created */
	bool list_names;		/* -f help */
	bool once;			/* -1 */
	bool log;			/* -l, -L */
	const char *file;		/* -L */
	bool csv;			/* -c */
	bool skip_zero;			/* -z */
	uint64_t delay;			/* -s, in ns */
	unsigned long count;		/* -n, not in kvm_stat: number of records; 0: no limit */
};

/* For usage texts. */
#define KVM_STAT_HELP	\
	"  -1, --once          print totals and growth of one second, and exit\n" \
	"  -l, --log           print a line for each interval, like vmstat\n" \
	"  -L, --log-to-file=FILE\n" \
	"                      append the log to FILE; SIGHUP reopens the file\n" \
	"  -c, --csv           with -l or -L: print comma-separated values\n" \
	"  -z, --skip-zero-records\n" \
	"                      with -l or -L: omit lines in which all values are 0\n" \
	"  -s, --set-delay=SEC interval in seconds (default: 3)\n" \
	"  -n, --count=N       with -l or -L: stop after N intervals\n" \
	"  -d, --debugfs       read the statistics from debugfs\n" \
	"  -t, --tracepoints   count tracepoints; with -d, do both\n" \
	"  -i, --debugfs-include-past\n" \
	"                      show totals since the VM was created\n" \
	FILTER_VMM_HELP \
	"  -f, --fields=REGEX  only statistics whose names start with a match of this\n" \
	"                      extended regex; 'help' lists the names\n" \
	"      --vm            only VMs\n" \
	"      --vcpu=LIST     only these vCPUs, for example 0,2-3, or all\n" \
	FILTER_QMP_HELP \
	"  -h, --help          print this help\n"

void kvm_stat_options_init(struct kvm_stat_options *options);

/*
 * Returns -1 to continue, or the exit status: after a message about a wrong option, or after
 * @usage was printed for --help. @command is "top --classic", or NULL without a command.
 */
int kvm_stat_options_parse(struct kvm_stat_options *options, int argc, char **argv,
			   const char *command, const char *usage);
/* The argument of -s. Prints a message and returns false if it is not valid. */
bool kvm_stat_parse_delay(struct kvm_stat_options *options, const char *text);

void kvm_stat_options_free(struct kvm_stat_options *options);

#endif /* OPTIONS_H */
