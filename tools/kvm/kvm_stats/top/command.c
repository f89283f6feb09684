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
#define OPTION_CLASSIC	304

static const char usage[] =
	"Usage: kvm-stats top [OPTION]...\n"
	"       kvm-stats top --classic [OPTION OF kvm_stat]...\n"
	"\n"
	"Shows what the guests of this host do: a line for each guest, with its use of\n"
	"CPUs, exits, page faults and memory. Press 'h' there for a list of the keys.\n"
	"\n";

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
	int status = kvm_stat_options_parse(&options, argc, argv, &kvm_stat_classic);

	if (status < 0)
		status = check_options(&options) ? kvm_stat_run(&options) : STATUS_USAGE;
	filter_free(&options.filter);
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

/* --classic is accepted if it is not abbreviated. */
static bool refuse_classic(int option, const char *value, void *arg)
{
	(void)option;
	(void)value;
	(void)arg;
	complain("--classic cannot be abbreviated");
	return false;
}

#define MEMBER(member)	offsetof(struct top_options, member)

static const struct command_option table[] = {
	{ 'i', "interval", "SEC", "interval in seconds (default: 3)",
	  .kind = OPTION_SECONDS, .member = MEMBER(interval), .min = MIN_INTERVAL },
	{ 'd', "debugfs", NULL, "read the statistics from debugfs",
	  .kind = OPTION_SOURCE, .member = MEMBER(sources), .source = SOURCES_DEBUGFS },
	{ OPTION_TRACEPOINTS, "tracepoints", NULL, "count tracepoints",
	  .kind = OPTION_SOURCE, .member = MEMBER(sources), .source = SOURCES_TRACEPOINTS },
	{ OPTION_SORT, "sort", "COLUMN", "sort the guests by this column (default: cpu)",
	  .kind = OPTION_TEXT, .member = MEMBER(sort) },
	{ OPTION_COLUMNS, "columns", "LIST",
	  "show only these columns, for example cpu,exits: pid,\n"
	  "vcpus, unread, cpu, guest, kernel, vmm, halted, waiting,\n"
	  "exits, history, kinds, polls, faults, memory",
	  .kind = OPTION_TEXT, .member = MEMBER(columns) },
	{ OPTION_CLASSIC, "classic", NULL,
	  "show the view of kvm_stat, with its options and keys", .kind = OPTION_OTHER },
	{ 0 },
};

int command_top(int argc, char **argv)
{
	static const struct command_options accepted = {
		.command = "top", .usage = usage, .table = table, .set = refuse_classic,
		.advice = "The options of kvm_stat need --classic.",
	};
	struct filter filter = { 0 };
	struct top_options options = { .filter = &filter, .interval = DEFAULT_INTERVAL };
	int status;

	if (take_classic(&argc, argv))
		return run_classic(argc, argv);
	status = options_parse(argc, argv, &accepted, &options, &filter);
	if (status < 0)
		status = top_run(&options);
	filter_free(&filter);
	return status;
}
