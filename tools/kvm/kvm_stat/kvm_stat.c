// SPDX-License-Identifier: GPL-2.0-only
/* kvm_stat: shows how often events of KVM happen. It has the options of the program in Linux. */
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kvm_stat.h"

struct options {
	unsigned int uses;
	bool include_past;
	bool once;
	bool logs;
	const char *regex;
	pid_t pid;
	struct log_options log;
};

static const char usage[] =
	"Usage: kvm_stat [OPTION]...\n"
	"\n"
	"Shows how often events of KVM happen, on the terminal or, with -1, -l or -L, as\n"
	"text. The events are tracepoints or, with -d, statistics from debugfs.\n"
	"\n"
	"  -1, --once, --batch   print totals and the growth of one second, and exit\n"
	"  -l, --log             print a line for each interval, like vmstat\n"
	"  -L, --log-to-file=FILE\n"
	"                        append the log to FILE; SIGHUP opens the file again\n"
	"  -c, --csv             with -l or -L: print comma-separated values\n"
	"  -z, --skip-zero-records\n"
	"                        with -l or -L: omit lines in which all values are 0\n"
	"  -s, --set-delay=SEC   interval in seconds, from 0.1 to 25.5 (default: 3)\n"
	"  -d, --debugfs         read statistics from debugfs\n"
	"  -t, --tracepoints     count tracepoints (default); with -d, do both\n"
	"  -i, --debugfs-include-past\n"
	"                        with -d: totals include what was before the start\n"
	"  -f, --fields=REGEX    only events whose names start with a match of this regular\n"
	"                        expression; 'help' lists the names\n"
	"  -p, --pid=PID         only this process\n"
	"  -g, --guest=NAME      only the guest with this name (QEMU's option -name)\n"
	"  -V, --version         print the version\n"
	"  -h, --help            print this help\n"
	"\n"
	"kvm_stat needs root, or CAP_PERFMON and read access to tracefs or debugfs. Each\n"
	"event that it counts slows down the guests.\n";

enum {
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/* ---- options ---- */

static void usage_error(void)
{
	complain("Run 'kvm_stat --help' for the options.");
	exit(STATUS_USAGE);
}

static pid_t find_guest(const char *name)
{
	pid_t pid;
	size_t found = guest_find(name, &pid);

	if (found == 1)
		return pid;
	if (found)
		complain("%zu processes run a guest named '%s'. Select one with -p.", found, name);
	else
		complain("no guest is named '%s'. -g finds names of QEMU's option -name; for "
			 "others, use -p.", name);
	exit(STATUS_FAILED);
}

static pid_t find_process(const char *text)
{
	pid_t pid;

	if (!parse_pid(text, &pid)) {
		complain("-p must be a process ID, not '%s'", text);
		usage_error();
	}
	if (process_exists(pid))
		return pid;
	complain("no process has the ID %d", (int)pid);
	exit(STATUS_FAILED);
}

static void set_option(struct options *options, int letter)
{
	char why[PROBLEM_SIZE];

	switch (letter) {
	case '1':
		options->once = true;
		break;
	case 'L':
		options->log.file = optarg;
		options->logs = true;
		break;
	case 'l':
		options->logs = true;
		break;
	case 'c':
		options->log.csv = true;
		break;
	case 'z':
		options->log.skip_zeros = true;
		break;
	case 'd':
		options->uses |= USE_DEBUGFS;
		break;
	case 't':
		options->uses |= USE_TRACEPOINTS;
		break;
	case 'i':
		options->include_past = true;
		break;
	case 'f':
		options->regex = optarg;
		break;
	case 'p':
		options->pid = find_process(optarg);
		break;
	case 'g':
		options->pid = find_guest(optarg);
		break;
	case 's':
		if (parse_delay(optarg, &options->log.delay, why, sizeof(why)))
			break;
		complain("-s: %s", why);
		usage_error();
		break;
	case 'V':
		puts("kvm_stat " KVM_STATS_VERSION);
		exit(0);
	case 'h':
		printf("%s\n%s", usage, screen_keys);
		exit(0);
	default:
		usage_error();
	}
}

static void check_options(const struct options *options)
{
	char why[PROBLEM_SIZE];
	regex_t pattern;

	if (!options->logs && (options->log.csv || options->log.skip_zeros)) {
		complain("%s needs -l or -L.", options->log.csv ? "-c" : "-z");
		usage_error();
	}
	if (options->logs && options->once) {
		complain("-1 and %s cannot be combined.", options->log.file ? "-L" : "-l");
		usage_error();
	}
	if (!pattern_compile(&pattern, options->regex, why, sizeof(why))) {
		complain("-f: %s", why);
		usage_error();
	}
	regfree(&pattern);
}

static void parse_options(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {
		{ "once", no_argument, NULL, '1' },
		{ "batch", no_argument, NULL, '1' },
		{ "csv", no_argument, NULL, 'c' },
		{ "debugfs", no_argument, NULL, 'd' },
		{ "debugfs-include-past", no_argument, NULL, 'i' },
		{ "fields", required_argument, NULL, 'f' },
		{ "guest", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ "log", no_argument, NULL, 'l' },
		{ "log-to-file", required_argument, NULL, 'L' },
		{ "pid", required_argument, NULL, 'p' },
		{ "set-delay", required_argument, NULL, 's' },
		{ "skip-zero-records", no_argument, NULL, 'z' },
		{ "tracepoints", no_argument, NULL, 't' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 }
	};
	int letter;

	while ((letter = getopt_long(argc, argv, "1cdf:g:hilL:p:s:tVz", names, NULL)) != -1)
		set_option(options, letter);
	if (optind < argc) {
		complain("unexpected argument '%s'", argv[optind]);
		usage_error();
	}
	check_options(options);
}

/* ---- the program ---- */

static int run(struct stats *stats, const struct options *options)
{
	if (!strcmp(options->regex, "help"))
		return print_names(stats);
	if (!stats_select(stats, options->regex, options->pid)) {
		complain("%s", stats->problem);
		return STATUS_FAILED;
	}
	if (options->once)
		return print_once(stats);
	if (options->logs)
		return write_log(stats, &options->log);
	return screen_run(stats, options->log.delay);
}

int main(int argc, char **argv)
{
	struct options options = { .regex = "", .log.delay = DEFAULT_DELAY };
	struct stats stats;
	int status;

	setlocale(LC_CTYPE, "");
	parse_options(&options, argc, argv);
	status = stats_open(&stats, options.uses, options.include_past) ?
		 run(&stats, &options) : STATUS_FAILED;
	stats_close(&stats);
	return status;
}
