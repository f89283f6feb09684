// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats query */
#include <stdio.h>

#include "commands/command.h"
#include "commands/samples.h"
#include "options/filter.h"
#include "options/options.h"
#include "options/status.h"
#include "print/query_stats.h"

static const char usage[] =
	"Usage: kvm-stats query [OPTION]...\n"
	"\n"
	"Prints the statistics of one VMM in the format of QEMU's query-stats: one line\n"
	"of JSON or, with -i, one line after each interval.\n"
	"\n"
	SAMPLES_HELP
	FILTER_HELP
	"  -h, --help          print this help\n";

static bool start(const struct monitor *monitor, void *arg)
{
	(void)arg;
	if (!query_stats_require_one(monitor))
		return false;
	query_stats_warn_unknown(monitor);
	return true;
}

static void print(const struct monitor *monitor, unsigned long interval, void *arg)
{
	(void)interval;
	(void)arg;
	query_stats_print(monitor);
}

static bool set_option(int option, const char *value, void *options)
{
	return samples_option(options, option, value);
}

int command_query(int argc, char **argv)
{
	static const struct samples_printer printer = { .start = start, .print = print };
	static const struct option table[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "query", .letters = SAMPLES_LETTERS "h", .table = table,
		.usage = usage, .set = set_option,
	};
	struct samples_options options = { 0 };
	int status = options_parse(argc, argv, &accepted, &options);

	if (status < 0 && !query_stats_check(&options.filter))
		status = STATUS_USAGE;
	if (status < 0)
		status = samples_run(&options, &printer, NULL);
	filter_free(&options.filter);
	return status;
}
