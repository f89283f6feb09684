// SPDX-License-Identifier: GPL-2.0-only
#include "commands/listing.h"
#include "notice.h"
#include "options/filter.h"
#include "options/options.h"
#include "options/status.h"

struct options {
	struct filter filter;
	bool json;
};

static bool set_option(int option, const char *value, void *arg)
{
	struct options *options = arg;

	if (option == 'j')
		return options->json = true;
	return filter_option(&options->filter, option, value);
}

static int run(const struct listing *listing, const struct options *options)
{
	struct monitor_options monitor_options = { .filter = &options->filter };
	struct monitor *monitor = require_monitor(&monitor_options);
	int status = monitor ? listing->print(monitor, options->json) : STATUS_FAILED;

	monitor_close(monitor);
	return status;
}

int listing_run(int argc, char **argv, const struct listing *listing)
{
	static const struct option table[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const struct command_options accepted = {
		.command = listing->command,
		.letters = "jh",
		.table = table,
		.usage = listing->usage,
		.set = set_option,
	};
	struct options options = { 0 };
	int status = options_parse(argc, argv, &accepted, &options);

	if (status < 0 && listing->check && !listing->check(&options.filter, options.json))
		status = STATUS_USAGE;
	if (status < 0)
		status = run(listing, &options);
	filter_free(&options.filter);
	return status;
}
