// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats query */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "commands/samples.h"
#include "options/filter.h"
#include "options/options.h"
#include "options/status.h"
#include "print/query_stats.h"
#include "util.h"

#define OPTION_NAMES	1200
#define OPTION_PROVIDER	1201

static const char usage[] =
	"Usage: kvm-stats query [OPTION]...\n"
	"\n"
	"Prints the statistics of one VMM in the format of QEMU's query-stats: one line\n"
	"of JSON or, with -i, one line after each interval.\n"
	"\n"
	SAMPLES_HELP
	FILTER_HELP
	"      --names=LIST    only statistics with exactly these names\n"
	"      --provider=NAME only statistics of kvm (all) or of cryptodev (none)\n"
	"  -h, --help          print this help\n";

struct query {
	struct samples_options options;
	struct query_stats_filter filter;
	bool has_kvm;		/* --provider=kvm */
	bool complete;		/* there are statistics with all names */
};

static bool start(const struct monitor *monitor, void *arg)
{
	struct query *query = arg;

	if (!query_stats_require_one(monitor))
		return false;
	query_stats_warn_unknown(monitor);
	query->complete = query_stats_has_names(monitor, &query->filter);
	return true;
}

static void print(const struct monitor *monitor, unsigned long interval, void *arg)
{
	struct query *query = arg;

	(void)interval;
	query_stats_print(monitor, &query->filter);
}

static bool add_name(struct query_stats_filter *filter, const char *name, size_t len)
{
	char **more = realloc(filter->name, (filter->names + 1) * sizeof(*more));

	if (more) {
		filter->name = more;
		more[filter->names] = strndup(name, len);
	}
	if (!more || !more[filter->names]) {
		complain("out of memory");
		return false;
	}
	filter->names++;
	return true;
}

static bool parse_names(struct query_stats_filter *filter, const char *list)
{
	const char *at = list;

	for (;;) {
		size_t len = strcspn(at, ",");

		if (!len) {
			complain("--names must be a list of names such as exits,io_exits, not '%s'",
				 list);
			return false;
		}
		if (!add_name(filter, at, len))
			return false;
		if (!at[len])
			return true;
		at += len + 1;
	}
}

/* QEMU knows these providers, and fails for other names. */
static bool select_provider(struct query *query, const char *provider)
{
	if (strcmp(provider, "kvm") && strcmp(provider, "cryptodev")) {
		complain("--provider must be kvm or cryptodev, not '%s'", provider);
		return false;
	}
	query->has_kvm |= !strcmp(provider, "kvm");
	query->filter.no_kvm = !query->has_kvm;
	return true;
}

static bool set_option(int option, const char *value, void *arg)
{
	struct query *query = arg;

	switch (option) {
	case OPTION_NAMES:
		return parse_names(&query->filter, value);
	case OPTION_PROVIDER:
		return select_provider(query, value);
	default:
		return samples_option(&query->options, option, value);
	}
}

static void free_query(struct query *query)
{
	filter_free(&query->options.filter);
	while (query->filter.names)
		free(query->filter.name[--query->filter.names]);
	free(query->filter.name);
}

int command_query(int argc, char **argv)
{
	static const struct samples_printer printer = { .start = start, .print = print };
	static const struct option table[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'c' },
		{ "names", required_argument, NULL, OPTION_NAMES },
		{ "provider", required_argument, NULL, OPTION_PROVIDER },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "query", .letters = SAMPLES_LETTERS "h", .table = table,
		.usage = usage, .set = set_option,
	};
	struct query query = { .complete = true };
	int status = options_parse(argc, argv, &accepted, &query);

	if (status < 0 && !query_stats_check(&query.options.filter))
		status = STATUS_USAGE;
	if (status < 0)
		status = samples_run(&query.options, &printer, &query);
	if (status == STATUS_OK && !query.complete)
		status = STATUS_FAILED;
	free_query(&query);
	return status;
}
