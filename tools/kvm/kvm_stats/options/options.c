// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "options/filter.h"
#include "options/options.h"
#include "options/status.h"
#include "util.h"

#define MAX_OPTIONS	32

static size_t append(struct option *all, size_t count, const struct option *table)
{
	for (; table->name && count + 1 < MAX_OPTIONS; table++)
		all[count++] = *table;
	return count;
}

static int next_option(int argc, char **argv, const struct command_options *options)
{
	struct option all[MAX_OPTIONS] = { 0 };
	char letters[2 * MAX_OPTIONS];

	append(all, append(all, 0, filter_options), options->table);
	snprintf(letters, sizeof(letters), "%s%s", FILTER_LETTERS, options->letters);
	return getopt_long(argc, argv, letters, all, NULL);
}

static int refuse(const struct command_options *options)
{
	bool has_command = options->command;

	complain("Run 'kvm-stats%s%s --help' for the options.%s%s", has_command ? " " : "",
		 has_command ? options->command : "", options->advice ? " " : "",
		 options->advice ? options->advice : "");
	return STATUS_USAGE;
}

int options_parse(int argc, char **argv, const struct command_options *options, void *arg)
{
	int option;

	optind = 1;
	while ((option = next_option(argc, argv, options)) != -1) {
		if (option == 'h') {
			fputs(options->usage, stdout);
			return STATUS_OK;
		}
		if (option == '?')
			return refuse(options);
		if (!options->set(option, optarg, arg))
			return STATUS_USAGE;
	}
	if (optind >= argc)
		return -1;
	complain("unexpected argument '%s'", argv[optind]);
	return refuse(options);
}
