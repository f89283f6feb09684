// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats log */
#include <stdio.h>

#include "commands/command.h"
#include "log/log.h"
#include "notice.h"
#include "options/filter.h"
#include "options/number.h"
#include "options/options.h"
#include "options/status.h"
#include "util.h"

#define DEFAULT_INTERVAL	(3 * SECOND)
#define MIN_INTERVAL		0.1

#define OPTION_CSV		258
#define OPTION_TRACEPOINTS	259

struct options {
	struct filter filter;
	enum sources sources;
	struct log_options log;
};

static const char usage[] =
	"Usage: kvm-stats log [OPTION]...\n"
	"\n"
	"Prints after each interval how much each statistic grew, summed over all VMs and\n"
	"vCPUs.\n"
	"\n"
	"  -i, --interval=SEC  interval in seconds (default: 3)\n"
	"  -c, --count=N       stop after N intervals\n"
	"  -o, --output=FILE   append to FILE; SIGHUP opens the file again\n"
	"      --csv           print comma-separated values\n"
	"  -z, --skip-zeros    omit lines in which all values are 0\n"
	"  -d, --debugfs       read the statistics from debugfs\n"
	"      --tracepoints   count tracepoints; with -d, do both\n"
	FILTER_HELP
	"  -h, --help          print this help\n";

static bool set_option(int option, const char *value, void *arg)
{
	struct options *options = arg;

	switch (option) {
	case 'i':
		return parse_seconds("-i", value, MIN_INTERVAL, &options->log.interval);
	case 'c':
		return parse_count("-c", value, &options->log.count);
	case 'o':
		options->log.file = value;
		return true;
	case OPTION_CSV:
		return options->log.csv = true;
	case 'z':
		return options->log.skip_zero = true;
	case 'd':
		return options->sources |= SOURCES_DEBUGFS;
	case OPTION_TRACEPOINTS:
		return options->sources |= SOURCES_TRACEPOINTS;
	default:
		return filter_option(&options->filter, option, value);
	}
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option table[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'c' },
		{ "output", required_argument, NULL, 'o' },
		{ "csv", no_argument, NULL, OPTION_CSV },
		{ "skip-zeros", no_argument, NULL, 'z' },
		{ "debugfs", no_argument, NULL, 'd' },
		{ "tracepoints", no_argument, NULL, OPTION_TRACEPOINTS },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "log", .letters = "i:c:o:zdh", .table = table, .usage = usage,
		.set = set_option,
	};

	return options_parse(argc, argv, &accepted, options);
}

static int run(const struct options *options)
{
	const struct monitor_options monitor_options = {
		.filter = &options->filter,
		.sources = options->sources,
	};
	struct monitor *monitor = require_monitor(&monitor_options);
	int status = monitor ? log_write(&options->log, monitor) : STATUS_FAILED;

	monitor_close(monitor);
	return status;
}

int command_log(int argc, char **argv)
{
	struct options options = { .log.interval = DEFAULT_INTERVAL };
	int status;

	options.log.filter = &options.filter;
	status = parse(argc, argv, &options);
	if (status < 0)
		status = run(&options);
	filter_free(&options.filter);
	return status;
}
