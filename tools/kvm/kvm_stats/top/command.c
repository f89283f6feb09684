// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats top */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "top/top.h"
#include "util.h"

#define DEFAULT_INTERVAL	(3 * SECOND)

#define OPTION_COLUMNS	301
#define OPTION_SORT	302
#define OPTION_TRACEPOINTS	303

static const char usage[] =
	"Usage: kvm-stats top [OPTION]...\n"
	"       kvm-stats top --classic [OPTION OF kvm_stat]...\n"
	"\n"
	"Shows what the guests of this host do: a line for each guest, with its use of\n"
	"CPUs, exits, page faults and memory. Press 'h' there for a list of the keys.\n"
	"\n"
	FILTER_HELP
	"  -i, --interval=SEC  interval in seconds (default: 3)\n"
	"  -d, --debugfs       read the statistics from debugfs\n"
	"      --tracepoints   count tracepoints\n"
	"      --sort=COLUMN   sort the guests by this column (default: cpu)\n"
	"      --columns=LIST  show only these columns, for example cpu,exits: pid,\n"
	"                      vcpus, unread, cpu, guest, kernel, vmm, halted, waiting,\n"
	"                      exits, history, kinds, polls, faults, memory\n"
	"      --classic       show the view of kvm_stat, with its options and keys\n"
	"  -h, --help          print this help\n";

static const char classic_usage[] =
	"Usage: kvm-stats top --classic [OPTION]...\n"
	"\n"
	"Shows the view of kvm_stat. Press 'h' there for a list of the keys.\n"
	"\n"
	"  -s, --set-delay=SEC interval in seconds (default: 3)\n"
	"  -d, --debugfs       read the statistics from debugfs\n"
	"  -t, --tracepoints   count tracepoints; with -d, do both\n"
	"  -i, --debugfs-include-past\n"
	"                      show totals since the VM was created\n"
	FILTER_HELP
	"  -h, --help          print this help\n";

/* ---- the view of kvm_stat ---- */

int kvm_stat_run(struct kvm_stat_options *options)
{
	const struct top_options top_options = {
		.filter = &options->filter,
		.sources = options->sources,
		.interval = options->delay,
		.kvm_stat = true,
		.include_past = options->include_past,
	};

	return top_run(&top_options);
}

static bool check_options(const struct kvm_stat_options *options)
{
	if (!options->once && !options->log && !options->list_names)
		return true;
	complain("top does not support -1, -l, -L and -f help. Use them without the command "
		 "'top'.");
	return false;
}

static int run_classic(int argc, char **argv)
{
	struct kvm_stat_options options;
	int status;

	kvm_stat_options_init(&options);
	status = kvm_stat_options_parse(&options, argc, argv, "top --classic", classic_usage);
	if (status < 0)
		status = check_options(&options) ? kvm_stat_run(&options) : STATUS_USAGE;
	kvm_stat_options_free(&options);
	return status;
}

/* Removes --classic from the arguments. Returns whether it was there. */
static bool take_classic(int *argc, char **argv)
{
	bool found = false;
	int kept = 1;
	int i;

	for (i = 1; i < *argc; i++) {
		if (!strcmp(argv[i], "--classic"))
			found = true;
		else
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	*argc = kept;
	return found;
}

/* ---- the table of guests ---- */

static bool set_option(int option, const char *value, void *arg)
{
	struct top_options *options = arg;

	switch (option) {
	case 'd':
		return options->sources |= SOURCES_DEBUGFS;
	case OPTION_TRACEPOINTS:
		return options->sources |= SOURCES_TRACEPOINTS;
	case 'i':
		return parse_seconds("-i", value, MIN_INTERVAL, &options->interval);
	case OPTION_COLUMNS:
		options->columns = value;
		return true;
	case OPTION_SORT:
		options->sort = value;
		return true;
	default:
		return filter_option(options->filter, option, value);
	}
}

static int parse(struct top_options *options, int argc, char **argv)
{
	static const struct option table[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "debugfs", no_argument, NULL, 'd' },
		{ "tracepoints", no_argument, NULL, OPTION_TRACEPOINTS },
		{ "columns", required_argument, NULL, OPTION_COLUMNS },
		{ "sort", required_argument, NULL, OPTION_SORT },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const struct command_options accepted = {
		.command = "top",
		.letters = "i:dh",
		.table = table,
		.usage = usage,
		.advice = "The options of kvm_stat need --classic.",
		.set = set_option,
	};

	return options_parse(argc, argv, &accepted, options);
}

int command_top(int argc, char **argv)
{
	struct filter filter = { 0 };
	struct top_options options = { .filter = &filter, .interval = DEFAULT_INTERVAL };
	int status;

	if (take_classic(&argc, argv))
		return run_classic(argc, argv);
	status = parse(&options, argc, argv);
	if (status < 0)
		status = top_run(&options);
	filter_free(&filter);
	return status;
}
