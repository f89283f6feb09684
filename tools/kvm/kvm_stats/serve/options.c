// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "messages/require.h"
#include "serve/options.h"

#define DEFAULT_INTERVAL	15
#define MIN_INTERVAL		0.1
#define MAX_INTERVAL		86400.0

const char serve_options_help[] =
	"Usage: kvm-stats serve [OPTION]...\n"
	"\n"
	"Exports the statistics of all VMs and vCPUs to Prometheus and other readers of\n"
	"OpenMetrics: over HTTP at http://" ADDRESS_DEFAULT "/metrics, or in a file for\n"
	"node_exporter. Reads the statistics for each request or each write of the file.\n"
	"\n"
	"  -l, --listen=ADDRESS:PORT  listen here, such as 0.0.0.0:10203 or [::1]:10203\n"
	"  -t, --textfile=FILE        write FILE periodically; no HTTP without --listen\n"
	"  -i, --interval=SEC         seconds between two writes of FILE (default: 15)\n"
	"  -1, --once                 write once, to FILE or standard output, and exit\n"
	FILTER_HELP
	"  -h, --help                 print this help\n";

static bool parse_interval(const char *text, uint64_t *interval)
{
	char *end;
	double seconds;

	errno = 0;
	seconds = strtod(text, &end);
	if (!errno && end != text && !*end && seconds >= MIN_INTERVAL && seconds <= MAX_INTERVAL) {
		*interval = (uint64_t)(seconds * 1e9);
		return true;
	}
	complain("-i must be a number of seconds from %.1f to %.0f, not '%s'", MIN_INTERVAL,
		 MAX_INTERVAL, text);
	return false;
}

static bool parse_listen(struct serve_options *options, const char *text)
{
	options->listen = text;
	if (!address_parse(&options->address, text))
		return true;
	complain("--listen must be a numeric address and a port, such as %s or [::1]:10203, not "
		 "'%s'", ADDRESS_DEFAULT, text);
	return false;
}

static bool parse_textfile(struct serve_options *options, const char *text)
{
	size_t len = strlen(text);

	options->textfile = text;
	if (!len) {
		complain("--textfile must be the name of a file, not ''");
		return false;
	}
	if (len < 5 || strcmp(text + len - 5, ".prom"))
		complain("'%s': node_exporter does not read this file, because its name does not "
			 "end in .prom", text);
	return true;
}

static bool apply_option(struct serve_options *options, int option, const char *value)
{
	switch (option) {
	case 'l':
		return parse_listen(options, value);
	case 't':
		return parse_textfile(options, value);
	case 'i':
		return parse_interval(value, &options->interval);
	case '1':
		options->once = true;
		return true;
	case 'h':
		options->help = true;
		return true;
	case '?':
		complain("Run 'kvm-stats serve --help' for the options.");
		return false;
	default:
		return filter_option(&options->filter, option, value);
	}
}

static bool check_combination(struct serve_options *options)
{
	if (options->once && options->listen) {
		complain("--once and --listen cannot be combined");
		return false;
	}
	if (!options->listen && !options->textfile && !options->once)
		return parse_listen(options, ADDRESS_DEFAULT);
	return true;
}

bool serve_options_parse(struct serve_options *options, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "listen", required_argument, NULL, 'l' },
		{ "textfile", required_argument, NULL, 't' },
		{ "interval", required_argument, NULL, 'i' },
		{ "once", no_argument, NULL, '1' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int option;

	*options = (struct serve_options){
		.interval = DEFAULT_INTERVAL * UINT64_C(1000000000),
	};
	while ((option = filter_getopt(argc, argv, "l:t:i:1h", long_options)) != -1) {
		if (!apply_option(options, option, optarg))
			return false;
		if (options->help)
			return true;
	}
	return require_no_arguments(argc, argv) && check_combination(options);
}
