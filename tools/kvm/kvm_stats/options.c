// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "util.h"

/* ---- numbers ---- */

bool parse_seconds(const char *option, const char *text, double min, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end != text && !*end && seconds >= min && seconds <= MAX_SECONDS) {
		*ns = (uint64_t)(seconds * 1e9 + 0.5);
		return true;
	}
	complain("%s must be a number of seconds from %g to %g, not '%s'", option, min,
		 MAX_SECONDS, text);
	return false;
}

bool parse_count(const char *option, const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (!errno && *text >= '0' && *text <= '9' && !*end && *count)
		return true;
	complain("%s must be a number of intervals above 0, not '%s'", option, text);
	return false;
}

/* ---- VMs, vCPUs and statistics ---- */

#define OPTION_VM	256
#define OPTION_VCPU	257
#define OPTION_QMP	1100

const struct option filter_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "guest", required_argument, NULL, 'g' },
	{ "filter", required_argument, NULL, 'f' },
	{ "vm", no_argument, NULL, OPTION_VM },
	{ "vcpu", required_argument, NULL, OPTION_VCPU },
	{ "qmp", optional_argument, NULL, OPTION_QMP },
	{ 0 },
};

static bool parse_pids(struct filter *filter, const char *list)
{
	const char *at = list;

	for (;;) {
		char *end;
		long pid;

		errno = 0;
		pid = strtol(at, &end, 10);
		if (errno || end == at || (*end && *end != ',') || pid <= 0 || pid > INT_MAX)
			break;
		if (!filter_add_pid(filter, (pid_t)pid))
			return false;
		if (!*end)
			return true;
		at = end + 1;
	}
	complain("-p must be a list of process IDs such as 4711,4712, not '%s'. Run 'kvm-stats "
		 "list' for the IDs.", list);
	return false;
}

/*
 * Copies the first name of @list to @name, and returns the rest, or NULL at the end. As in QEMU's
 * options, ",," is a comma in the name.
 */
static const char *next_name(const char *list, char *name)
{
	for (; *list; list++) {
		if (*list == ',' && list[1] != ',')
			break;
		*name++ = *list;
		list += *list == ',';
	}
	*name = '\0';
	return *list ? list + 1 : NULL;
}

static bool add_guests(struct filter *filter, const char *list, char *name)
{
	const char *rest = list;

	do {
		rest = next_name(rest, name);
		if (!*name) {
			complain("-g must be a list of names such as web,db*, not '%s'", list);
			return false;
		}
		if (!strings_add(&filter->guest, &filter->guests, name, strlen(name)))
			return false;
	} while (rest);
	return true;
}

static bool parse_guests(struct filter *filter, const char *list)
{
	char *name = malloc(strlen(list) + 1);
	bool good = name && add_guests(filter, list, name);

	if (!name)
		complain("out of memory");
	free(name);
	return good;
}

static bool parse_id(const char **at, int *id)
{
	char *end;
	long n;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	n = strtol(*at, &end, 10);
	if (errno || n > INT_MAX)
		return false;
	*id = (int)n;
	*at = end;
	return true;
}

static bool parse_range(const char **at, struct filter_range *range)
{
	if (!parse_id(at, &range->first))
		return false;
	range->last = range->first;
	if (**at == '-') {
		++*at;
		if (!parse_id(at, &range->last))
			return false;
	}
	return range->first <= range->last;
}

static bool parse_vcpus(struct filter *filter, const char *list)
{
	struct filter_range range = { 0, INT_MAX };
	const char *at = list;

	if (!strcmp(list, "all"))
		return filter_add_vcpus(filter, range);
	for (;;) {
		if (!parse_range(&at, &range))
			break;
		if (!filter_add_vcpus(filter, range))
			return false;
		if (!*at)
			return true;
		if (*at++ != ',')
			break;
	}
	complain("--vcpu must be 'all' or a list of IDs such as 0,2-3, not '%s'", list);
	return false;
}

static bool select_qmp(struct filter *filter, const char *path)
{
	if (!HAVE_JSON) {
		complain("--qmp is not available: kvm-stats was built without json-c");
		return false;
	}
	if (path && !*path) {
		complain("--qmp= needs the path of a socket. Without '=', kvm-stats finds the "
			 "sockets.");
		return false;
	}
	filter->qmp = true;
	return !path || strings_add(&filter->qmp_path, &filter->qmp_paths, path, strlen(path));
}

bool filter_option(struct filter *filter, int option, const char *value)
{
	switch (option) {
	case 'p':
		return parse_pids(filter, value);
	case 'g':
		return parse_guests(filter, value);
	case OPTION_VM:
		filter->vm = true;
		return true;
	case OPTION_VCPU:
		return parse_vcpus(filter, value);
	case OPTION_QMP:
		return select_qmp(filter, value);
	case 'f':
		return filter_set_regex(filter, value);
	}
	return false;
}

/* ---- all options of a command ---- */

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

/* ---- kvm_stat ---- */

#define DEFAULT_DELAY	(3 * SECOND)
#define MIN_DELAY	0.1

bool kvm_stat_parse_delay(struct kvm_stat_options *options, const char *text)
{
	return parse_seconds("-s", text, MIN_DELAY, &options->delay);
}

static bool parse_fields(struct kvm_stat_options *options, const char *text)
{
	if (strcmp(text, "help"))
		return filter_option(&options->filter, 'f', text);
	options->list_names = true;
	return filter_set_regex(&options->filter, NULL);
}

static bool set_kvm_stat_option(int option, const char *value, void *arg)
{
	struct kvm_stat_options *options = arg;

	switch (option) {
	case '1':
		return options->once = true;
	case 'L':
		options->file = value;
		return options->log = true;
	case 'l':
		return options->log = true;
	case 'c':
		return options->csv = true;
	case 'z':
		return options->skip_zero = true;
	case 'd':
		return options->sources |= SOURCES_DEBUGFS;
	case 't':
		return options->sources |= SOURCES_TRACEPOINTS;
	case 'i':
		return options->include_past = true;
	case 's':
		return kvm_stat_parse_delay(options, value);
	case 'n':
		return parse_count("-n", value, &options->count);
	case 'f':
		return parse_fields(options, value);
	default:
		return filter_option(&options->filter, option, value);
	}
}

static bool check_combination(const struct kvm_stat_options *options)
{
	const char *what = options->csv ? "-c" : options->skip_zero ? "-z" :
			   options->count ? "-n" : NULL;

	if (what && !options->log) {
		complain("%s needs -l or -L", what);
		return false;
	}
	if (options->once && options->log) {
		complain("-1 and %s cannot be combined", options->file ? "-L" : "-l");
		return false;
	}
	return true;
}

void kvm_stat_options_init(struct kvm_stat_options *options)
{
	*options = (struct kvm_stat_options){ .delay = DEFAULT_DELAY };
	options->filter.from_start = true;
}

int kvm_stat_options_parse(struct kvm_stat_options *options, int argc, char **argv,
			   const char *command, const char *usage)
{
	static const struct option table[] = {
		{ "once", no_argument, NULL, '1' },
		{ "batch", no_argument, NULL, '1' },
		{ "log", no_argument, NULL, 'l' },
		{ "log-to-file", required_argument, NULL, 'L' },
		{ "csv", no_argument, NULL, 'c' },
		{ "skip-zero-records", no_argument, NULL, 'z' },
		{ "set-delay", required_argument, NULL, 's' },
		{ "count", required_argument, NULL, 'n' },
		{ "debugfs", no_argument, NULL, 'd' },
		{ "tracepoints", no_argument, NULL, 't' },
		{ "debugfs-include-past", no_argument, NULL, 'i' },
		{ "fields", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const struct command_options accepted = {
		.command = command,
		.letters = "1lL:czs:n:dtih",
		.table = table,
		.usage = usage,
		.set = set_kvm_stat_option,
	};
	int status = options_parse(argc, argv, &accepted, options);

	return status < 0 && !check_combination(options) ? STATUS_USAGE : status;
}

void kvm_stat_options_free(struct kvm_stat_options *options)
{
	filter_free(&options->filter);
}
