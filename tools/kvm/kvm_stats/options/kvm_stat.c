// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "commands/command.h"
#include "messages/require.h"
#include "options/kvm_stat.h"

#define DEFAULT_DELAY	3.0
#define MIN_DELAY	0.1
#define MAX_DELAY	86400.0

const char kvm_stat_options_help[] =
	"  -1, --once          print totals and growth of one second, and exit\n"
	"  -l, --log           print a line for each interval, like vmstat\n"
	"  -L, --log-to-file=FILE  append the log to FILE; SIGHUP reopens the file\n"
	"  -c, --csv           with -l or -L: print comma-separated values\n"
	"  -z, --skip-zero-records  with -l or -L: omit lines in which all values are 0\n"
	"  -s, --set-delay=SEC interval in seconds (default: 3)\n"
	"  -n, --count=N       with -l or -L: stop after N intervals\n"
	"  -d, --debugfs       read the statistics from debugfs\n"
	"  -t, --tracepoints   count tracepoints; with -d, do both\n"
	"  -i, --debugfs-include-past  show totals since the VM was created\n"
	"  -p, --pid=PID       only the VMM with this process ID; may be repeated\n"
	"  -g, --guest=NAME    only guests with this name (QEMU's -name); may be repeated\n"
	"  -f, --fields=REGEX  only statistics whose names start with a match of this\n"
	"                      extended regex; 'help' lists the names\n"
	"      --vm            only VMs\n"
	"      --vcpu=LIST     only these vCPUs, for example 0,2-3, or all\n"
	"  -h, --help          print this help\n";

static bool parse_delay(struct kvm_stat_options *options, const char *text)
{
	char *end;
	double delay = strtod(text, &end);

	if (end == text || *end || !(delay >= MIN_DELAY && delay <= MAX_DELAY)) {
		complain("-s must be a number of seconds from %g to %g, not '%s'", MIN_DELAY,
			 MAX_DELAY, text);
		return false;
	}
	options->delay = (uint64_t)(delay * 1e9);
	return true;
}

static bool parse_count(struct kvm_stat_options *options, const char *text)
{
	char *end;

	errno = 0;
	options->count = strtoul(text, &end, 10);
	if (!errno && *text >= '0' && *text <= '9' && !*end && options->count)
		return true;
	complain("-n must be a number of intervals above 0, not '%s'", text);
	return false;
}

static bool parse_fields(struct kvm_stat_options *options, const char *text)
{
	if (strcmp(text, "help"))
		return filter_option(&options->filter, 'f', text);
	options->list_names = true;
	return filter_set_regex(&options->filter, NULL);
}

static bool set_option(struct kvm_stat_options *options, int option, const char *value)
{
	switch (option) {
	case '1':
		return options->once = true;
	case 'L':
		options->file = value;
		return options->log = true;
	case 'l':
		return options->log = true;
	case 'c':
		return options->csv = true;
	case 'z':
		return options->skip_zero = true;
	case 'd':
		return options->sources |= SOURCES_DEBUGFS;
	case 't':
		return options->sources |= SOURCES_TRACEPOINTS;
	case 'i':
		return options->include_past = true;
	case 's':
		return parse_delay(options, value);
	case 'n':
		return parse_count(options, value);
	case 'f':
		return parse_fields(options, value);
	default:
		return filter_option(&options->filter, option, value);
	}
}

static bool check_combination(const struct kvm_stat_options *options)
{
	const char *what = options->csv ? "-c" : options->skip_zero ? "-z" :
			   options->count ? "-n" : NULL;

	if (what && !options->log) {
		complain("%s needs -l or -L", what);
		return false;
	}
	if (options->once && options->log) {
		complain("-1 and %s cannot be combined", options->file ? "-L" : "-l");
		return false;
	}
	return true;
}

void kvm_stat_options_init(struct kvm_stat_options *options)
{
	*options = (struct kvm_stat_options){ .delay = (uint64_t)(DEFAULT_DELAY * 1e9) };
	options->filter.from_start = true;
}

int kvm_stat_options_parse(struct kvm_stat_options *options, int argc, char **argv,
			   void (*usage)(void))
{
	static const struct option table[] = {
		{ "once", no_argument, NULL, '1' },
		{ "batch", no_argument, NULL, '1' },
		{ "log", no_argument, NULL, 'l' },
		{ "log-to-file", required_argument, NULL, 'L' },
		{ "csv", no_argument, NULL, 'c' },
		{ "skip-zero-records", no_argument, NULL, 'z' },
		{ "set-delay", required_argument, NULL, 's' },
		{ "count", required_argument, NULL, 'n' },
		{ "debugfs", no_argument, NULL, 'd' },
		{ "tracepoints", no_argument, NULL, 't' },
		{ "debugfs-include-past", no_argument, NULL, 'i' },
		{ "fields", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	optind = 1;
	while ((option = filter_getopt(argc, argv, "1lL:czs:n:dtih", table)) != -1) {
		if (option == 'h') {
			usage();
			return STATUS_OK;
		}
		if (option == '?') {
			complain("Run 'kvm-stats --help' for the options.");
			return STATUS_USAGE;
		}
		if (!set_option(options, option, optarg))
			return STATUS_USAGE;
	}
	return require_no_arguments(argc, argv) && check_combination(options) ? -1 : STATUS_USAGE;
}

void kvm_stat_options_free(struct kvm_stat_options *options)
{
	filter_free(&options->filter);
}
