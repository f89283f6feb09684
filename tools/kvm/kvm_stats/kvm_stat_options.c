// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "kvm_stat_options.h"
#include "output.h"
#include "require.h"

#define DEFAULT_DELAY	3.0
#define MIN_DELAY	0.1
#define MAX_DELAY	86400.0

const char kvm_stat_options_help[] =
	"  -1, --once          two readings, one second apart: totals and growth\n"
	"  -l, --log           a line for each interval, like vmstat\n"
	"  -L, --log-to-file=FILE  the same, appended to FILE, opened anew on SIGHUP\n"
	"  -c, --csv           with -l or -L: comma-separated values\n"
	"  -z, --skip-zero-records  with -l or -L: no lines in which all is zero\n"
	"  -s, --set-delay=SEC seconds between readings, 3 unless told\n"
	"  -n, --count=N       with -l or -L: end after N readings\n"
	"  -d, --debugfs       from debugfs\n"
	"  -t, --tracepoints   from tracepoints; with -d from both\n"
	"  -i, --debugfs-include-past  totals since the VM was created, not since now\n"
	"  -p, --pid=PID       only this process; may be repeated\n"
	"  -g, --guest=NAME    only guests with this name (QEMU's -name); may be repeated\n"
	"  -f, --fields=REGEX  only names that match from their beginning; 'help' lists them\n"
	"      --vm            only VMs\n"
	"      --vcpu=LIST     only these vCPUs: all, or like 0,2-3\n"
	"  -h, --help          this text\n";

static bool parse_delay(struct kvm_stat_options *options, const char *text)
{
	char *end;
	double delay = strtod(text, &end);

	if (end == text || *end || !(delay >= MIN_DELAY && delay <= MAX_DELAY)) {
		complain("-s takes seconds between %g and %g, not '%s'", MIN_DELAY, MAX_DELAY,
			 text);
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
	complain("-n takes how many readings, a number above 0, not '%s'", text);
	return false;
}

static bool parse_fields(struct kvm_stat_options *options, const char *text)
{
	if (strcmp(text, "help"))
		return filter_option(&options->filter, 'f', text);
	options->list_names = true;
	return filter_set_regex(&options->filter, NULL);
}

static bool take(struct kvm_stat_options *options, int option, const char *value)
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

static bool fit_together(const struct kvm_stat_options *options)
{
	const char *what = options->csv ? "-c" : options->skip_zero ? "-z" :
			   options->count ? "-n" : NULL;

	if (what && !options->log) {
		complain("%s is for logging: it takes -l or -L as well", what);
		return false;
	}
	if (options->once && options->log) {
		complain("-1 and %s exclude each other", options->file ? "-L" : "-l");
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
		FILTER_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, FILTER_LETTERS "1lL:czs:n:dtih", table,
				     NULL)) != -1) {
		if (option == 'h') {
			usage();
			return STATUS_OK;
		}
		if (option == '?') {
			complain("'kvm-stats --help' shows the options");
			return STATUS_USAGE;
		}
		if (!take(options, option, optarg))
			return STATUS_USAGE;
	}
	return require_no_arguments(argc, argv) && fit_together(options) ? -1 : STATUS_USAGE;
}

void kvm_stat_options_free(struct kvm_stat_options *options)
{
	filter_free(&options->filter);
}
