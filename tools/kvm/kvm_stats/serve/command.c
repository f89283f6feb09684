// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats serve */
#include <stddef.h>
#include <string.h>

#include "options.h"
#include "serve/serve.h"
#include "util.h"

#define DEFAULT_INTERVAL	(15 * SECOND)

enum {
	PER_VCPU = FIRST_LONG_OPTION,
	METRICS,
	EXCLUDE,
	HISTOGRAMS,
	WEB_CONFIG,
	QMP,
};

static const char usage[] =
	"Usage: kvm-stats serve [OPTION]...\n"
	"\n"
	"Exports the statistics of all guests to Prometheus and other readers of\n"
	"OpenMetrics: over HTTP at http://" ADDRESS_DEFAULT "/metrics, or in a file for\n"
	"node_exporter. Reads the statistics for each request or each write of the file.\n"
	"\n";

static bool parse_listen(struct serve_options *options, const char *text, struct message *why)
{
	options->listen = text;
	if (address_is_valid(text))
		return true;
	return message_set(why, "--listen must be a numeric address and a port, such as %s or "
			   ":10203, not '%s'", ADDRESS_DEFAULT, text);
}

static bool parse_textfile(struct serve_options *options, const char *text,
			   struct message *why)
{
	size_t len = strlen(text);

	options->textfile = text;
	if (!len)
		return message_set(why, "--textfile must be the name of a file, not ''");
	if (len < 5 || strcmp(text + len - 5, ".prom"))
		complain("'%s': node_exporter does not read this file, because its name does not "
			 "end in .prom", text);
	return true;
}

static bool parse_metrics(enum metrics *metrics, const char *text, struct message *why)
{
	static const char * const names[] = {
		[METRICS_DEFAULT] = "default", [METRICS_MINIMAL] = "minimal",
		[METRICS_ALL] = "all",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		*metrics = (enum metrics)i;
		if (!strcmp(text, names[i]))
			return true;
	}
	return message_set(why, "--metrics must be minimal, default or all, not '%s'", text);
}

static bool parse_excluded(struct exposition_options *options, const char *text,
			   struct message *why)
{
	char reason[128];
	int err;

	if (options->excludes) {
		message_set(why, "--exclude can be given once");
		return message_advice(why, "Combine the expressions with '|'");
	}
	err = regcomp(&options->excluded, text, REG_EXTENDED | REG_NOSUB);
	options->excludes = !err;
	if (!err)
		return true;
	regerror(err, &options->excluded, reason, sizeof(reason));
	return message_set(why, "--exclude: '%s' is not a regular expression: %s", text, reason);
}

static bool set_option(int option, const char *value, void *arg, struct message *why)
{
	struct serve_options *options = arg;

	switch (option) {
	case 'l':
		return parse_listen(options, value, why);
	case 't':
		return parse_textfile(options, value, why);
	case METRICS:
		return parse_metrics(&options->exposed.metrics, value, why);
	case EXCLUDE:
		return parse_excluded(&options->exposed, value, why);
	case QMP:
		/* A service with this option must survive the upgrade from version 1.0. */
		complain("--qmp has no effect: kvm-stats no longer asks QEMU");
		return true;
	}
	message_set(why, "--web.config.file no longer exists: kvm-stats has neither TLS nor "
		    "passwords");
	return message_advice(why, "Put nginx in front of it, see nginx.conf in "
			      "/usr/share/kvm-stats, or use --textfile and node_exporter");
}

#define MEMBER(member)	offsetof(struct serve_options, member)

static const struct command_option table[] = {
	{ 'l', "listen", "ADDRESS:PORT",
	  "listen here, such as [::1]:10203; without an address, as\n"
	  "in :10203, on all addresses", .kind = OPTION_OTHER },
	{ 't', "textfile", "FILE", "write FILE periodically; no HTTP without --listen",
	  .kind = OPTION_OTHER },
	{ 'i', "interval", "SEC", "seconds between two writes of FILE (default: 15)",
	  .kind = OPTION_SECONDS, .member = MEMBER(interval), .min = MIN_INTERVAL },
	{ METRICS, "metrics", "SET", "minimal: what the rules for Prometheus use; default: also\n"
	  "what the dashboards use; all", .kind = OPTION_OTHER },
	{ EXCLUDE, "exclude", "REGEX", "no statistics whose names match",
	  .kind = OPTION_OTHER },
	{ HISTOGRAMS, "histograms", NULL, "also export histograms of each guest",
	  .kind = OPTION_FLAG, .member = MEMBER(exposed.histograms) },
	{ PER_VCPU, "per-vcpu", NULL, "also export the statistics of each vCPU",
	  .kind = OPTION_FLAG, .member = MEMBER(exposed.per_vcpu) },
	{ WEB_CONFIG, "web.config.file", "FILE", NULL, .kind = OPTION_OTHER },
	{ QMP, "qmp", "[=SOCKET]", NULL, .kind = OPTION_OTHER },
	{ '1', "once", NULL, "write once, to FILE or standard output, and exit",
	  .kind = OPTION_FLAG, .member = MEMBER(once) },
	{ 0 },
};

static bool check_combination(struct serve_options *options, struct message *why)
{
	if (options->once && options->listen)
		return message_set(why, "--once and --listen cannot be combined");
	if (options->interval && options->once)
		return message_set(why, "--once and --interval cannot be combined");
	if (options->interval && !options->textfile) {
		message_set(why, "--interval has no effect without --textfile");
		return message_advice(why, "Add --textfile=FILE");
	}
	if (!options->interval)
		options->interval = DEFAULT_INTERVAL;
	if (!options->listen && !options->textfile && !options->once)
		return parse_listen(options, ADDRESS_DEFAULT, why);
	return true;
}

int command_serve(int argc, char **argv)
{
	static const struct command_options accepted = {
		.command = "serve", .usage = usage, .table = table, .set = set_option,
	};
	struct serve_options options = { 0 };
	struct message why = { 0 };
	int status = options_parse(argc, argv, &accepted, &options, &options.filter);

	if (status < 0 && !check_combination(&options, &why)) {
		message_print(&why);
		status = STATUS_USAGE;
	} else if (status < 0) {
		status = serve_run(&options);
	}
	filter_free(&options.filter);
	if (options.exposed.excludes)
		regfree(&options.exposed.excluded);
	return status;
}
