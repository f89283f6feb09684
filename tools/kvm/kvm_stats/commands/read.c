// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats read */
#include <stdio.h>

#include "commands/command.h"
#include "commands/samples.h"
#include "options/filter.h"
#include "options/options.h"
#include "options/status.h"
#include "print/heading.h"
#include "print/json.h"
#include "print/stamp.h"
#include "print/table.h"
#include "util.h"

struct read_options {
	struct samples_options samples;
	struct report report;
	bool json;
};

static const char usage[] =
	"Usage: kvm-stats read [OPTION]...\n"
	"\n"
	"Prints the statistics of VMs and vCPUs. With -i, prints them after each\n"
	"interval, with their growth per second.\n"
	"\n"
	SAMPLES_HELP
	"  -j, --json          print JSON, one line per sample\n"
	"  -b, --base-units    print seconds and bytes, not ns and KiB\n"
	FILTER_HELP
	"  -h, --help          print this help\n";

static bool start(const struct monitor *monitor, void *arg)
{
	struct read_options *options = arg;

	options->report.rates = options->samples.interval;
	report_measure(&options->report, monitor);
	if (options->samples.interval && monitor->options.filter->pids == 1 && !options->json)
		print_heading(monitor->vmm[0]);
	return true;
}

static void print_tables(const struct report *report, const struct monitor *monitor, bool headings)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (!vmm->targets)
			continue;
		if (headings)
			print_heading(vmm);
		report_print(report, vmm);
	}
}

static void print(const struct monitor *monitor, unsigned long interval, void *arg)
{
	struct read_options *options = arg;
	double seconds = (double)(interval * options->samples.interval) / 1e9;
	char stamp[STAMP_SIZE];
	bool many = monitor->vmms > 1 || !monitor->options.filter->pids;

	if (options->json) {
		json_print_values(monitor, interval);
		return;
	}
	if (interval)
		printf("%s# after %.1f s, %s\n", interval > 1 ? "\n" : "", seconds,
		       stamp_of(monitor->time, stamp));
	report_measure(&options->report, monitor);
	print_tables(&options->report, monitor, many || !interval);
}

static bool set_option(int option, const char *value, void *arg)
{
	struct read_options *options = arg;

	switch (option) {
	case 'j':
		return options->json = true;
	case 'b':
		return options->report.base_units = true;
	default:
		return samples_option(&options->samples, option, value);
	}
}

static bool check_combination(const struct read_options *options)
{
	if (!options->json || !options->report.base_units)
		return true;
	complain("--json and --base-units cannot be combined: JSON has the unit of each value");
	return false;
}

int command_read(int argc, char **argv)
{
	static const struct samples_printer printer = { .start = start, .print = print };
	static const struct option table[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'c' },
		{ "json", no_argument, NULL, 'j' },
		{ "base-units", no_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "read", .letters = SAMPLES_LETTERS "jbh", .table = table,
		.usage = usage, .set = set_option,
	};
	struct read_options options = { 0 };
	int status = options_parse(argc, argv, &accepted, &options);

	if (status < 0 && !check_combination(&options))
		status = STATUS_USAGE;
	if (status < 0)
		status = samples_run(&options.samples, &printer, &options);
	filter_free(&options.samples.filter);
	return status;
}
