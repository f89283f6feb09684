// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats top */
#include <stddef.h>

#include "top/top.h"

enum {
	OPTION_COLUMNS = FIRST_LONG_OPTION,
	OPTION_SORT,
};

static const char usage[] =
	"Usage: kvm-stats top [OPTION]...\n"
	"\n"
	"Shows what the guests of this host do: a line for each guest, with its use of\n"
	"CPUs, exits, page faults and memory. Press 'h' there for a list of the keys.\n"
	"\n";

#define MEMBER(member)	offsetof(struct top_options, member)

static const struct command_option table[] = {
	{ 'i', "interval", "SEC", "interval in seconds (default: 3)",
	  .kind = OPTION_SECONDS, .member = MEMBER(interval), .min = MIN_INTERVAL },
	EXITS_OPTION(MEMBER(monitor.exits)), SWITCHES_OPTION(MEMBER(monitor.switches)),
	FROM_OPTION(MEMBER(monitor.from)),
	AT_OPTION(MEMBER(monitor.replay)), SINCE_OPTION(MEMBER(monitor.replay)),
	UNTIL_OPTION(MEMBER(monitor.replay)), DIR_OPTION(MEMBER(monitor.replay)),
	{ OPTION_SORT, "sort", "COLUMN", "sort the guests by this column (default: cpu)",
	  .kind = OPTION_TEXT, .member = MEMBER(sort) },
	{ OPTION_COLUMNS, "columns", "LIST",
	  "show only these columns, for example cpu,exits: pid,\n"
	  "vcpus, state, cpu, guest, kernel, vmm, halted, waiting,\n"
	  "throttled, exits, verdict, history, kinds, polls, faults,\n"
	  "memory",
	  .kind = OPTION_TEXT, .member = MEMBER(columns) },
	{ 0 },
};

int command_top(int argc, char **argv)
{
	static const struct command_options accepted = {
		.command = "top", .usage = usage, .table = table,
	};
	struct filter filter = { 0 };
	struct top_options options = {
		.monitor.filter = &filter, .interval = 3 * SECOND, .sort = "cpu",
	};
	int status = options_parse(argc, argv, &accepted, &options, &filter);

	if (status < 0)
		status = top_run(&options);
	filter_free(&filter);
	return status;
}
