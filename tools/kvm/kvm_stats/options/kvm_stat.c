// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "options/filter.h"
#include "options/kvm_stat.h"
#include "options/number.h"
#include "options/options.h"
#include "options/status.h"
#include "util.h"

#define DEFAULT_DELAY	(3 * SECOND)
#define MIN_DELAY	0.1

bool kvm_stat_parse_delay(struct kvm_stat_options *options, const char *text)
{
	return parse_seconds("-s", text, MIN_DELAY, &options->delay);
}

static bool parse_fields(struct kvm_stat_options *options, const char *text)
{
	if (strcmp(text, "help"))
		return filter_option(&options->filter, 'f', text);
	options->list_names = true;
	return filter_set_regex(&options->filter, NULL);
}

static bool set_option(int option, const char *value, void *arg)
{
	struct kvm_stat_options *options = arg;

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
		return kvm_stat_parse_delay(options, value);
	case 'n':
		return parse_count("-n", value, &options->count);
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
	*options = (struct kvm_stat_options){ .delay = DEFAULT_DELAY };
	options->filter.from_start = true;
}

int kvm_stat_options_parse(struct kvm_stat_options *options, int argc, char **argv,
			   const char *command, const char *usage)
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
	const struct command_options accepted = {
		.command = command,
		.letters = "1lL:czs:n:dtih",
		.table = table,
		.usage = usage,
		.set = set_option,
	};
	int status = options_parse(argc, argv, &accepted, options);

	return status < 0 && !check_combination(options) ? STATUS_USAGE : status;
}

void kvm_stat_options_free(struct kvm_stat_options *options)
{
	filter_free(&options->filter);
}
