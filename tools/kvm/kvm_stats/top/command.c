// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats top */
#include <stddef.h>

#include "options.h"
#include "top/top.h"
#include "util.h"

#define DEFAULT_INTERVAL	(3 * SECOND)

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
	EXITS_OPTION(MEMBER(exits)), SWITCHES_OPTION(MEMBER(switches)),
	FROM_OPTION(MEMBER(from)),
	AT_OPTION(MEMBER(replay)), SINCE_OPTION(MEMBER(replay)),
	UNTIL_OPTION(MEMBER(replay)), DIR_OPTION(MEMBER(replay)),
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
	struct top_options options = { .filter = &filter, .interval = DEFAULT_INTERVAL };
	int status = options_parse(argc, argv, &accepted, &options, &filter);

	if (status < 0)
		status = top_run(&options);
	filter_free(&filter);
	return status;
}
