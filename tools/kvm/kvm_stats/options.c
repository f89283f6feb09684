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

/* The same as parse_seconds() for a number of intervals above 0. */
static bool parse_count(const char *option, const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (!errno && *text >= '0' && *text <= '9' && !*end && *count)
		return true;
	complain("%s must be a number of intervals above 0, not '%s'", option, text);
	return false;
}

/* ---- options that select VMs, vCPUs and statistics ---- */

/* All commands have them, so their numbers are below FIRST_LONG_OPTION. */
enum {
	OPTION_VM = UCHAR_MAX + 1,
	OPTION_VCPU,
	OPTION_QMP,
};

static const struct command_option filter_options[] = {
	{ 'p', "pid", "LIST", .help = "only VMMs with these process IDs, for example 47,4711" },
	{ 'g', "guest", "LIST", .help = "only guests with these names (see list), for example\n"
	  "web,db*; ',,' is a comma in a name" },
	{ 'f', "filter", "REGEX", .help = "only statistics whose names match this extended regex" },
	{ OPTION_VM, "vm", NULL, .help = "only VMs" },
	{ OPTION_VCPU, "vcpu", "LIST", .help = "only these vCPUs, for example 0,2-3, or all" },
	{ OPTION_QMP, "qmp", "[=SOCKET]",
	  .help = "if statistics fds cannot be opened, ask QEMU on its QMP\n"
	  "socket; the option can be repeated" },
	{ 0 },
};

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

static bool parse_pids(struct filter *filter, const char *list)
{
	const char *at = list;
	int pid;

	do {
		if (!parse_id(&at, &pid) || !pid)
			break;
		if (!filter_add_pid(filter, pid))
			return false;
		if (!*at)
			return true;
	} while (*at++ == ',');
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
	bool good = name ? add_guests(filter, list, name) : out_of_memory();

	free(name);
	return good;
}

static bool parse_range(const char **at, struct filter_range *range)
{
	if (!parse_id(at, &range->first))
		return false;
	range->last = range->first;
	if (**at != '-')
		return true;
	++*at;
	return parse_id(at, &range->last) && range->first <= range->last;
}

static bool parse_vcpus(struct filter *filter, const char *list)
{
	struct filter_range range = { 0, INT_MAX };
	const char *at = list;

	if (!strcmp(list, "all"))
		return filter_add_vcpus(filter, range);
	do {
		if (!parse_range(&at, &range))
			break;
		if (!filter_add_vcpus(filter, range))
			return false;
		if (!*at)
			return true;
	} while (*at++ == ',');
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

/* Handles an option that selects something. Prints a message and returns false if it is wrong. */
static bool filter_option(struct filter *filter, int option, const char *value)
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

/* For getopt_long() */
struct tables {
	struct option option[MAX_OPTIONS];
	size_t options;
	char letters[3 * MAX_OPTIONS];
};

static void add_option(struct tables *tables, const struct command_option *option)
{
	int argument = !option->argument ? no_argument :
		       *option->argument == '[' ? optional_argument : required_argument;
	char *end = tables->letters + strlen(tables->letters);

	if (tables->options + 1 == MAX_OPTIONS)
		return;
	tables->option[tables->options++] = (struct option){
		.name = option->name, .has_arg = argument, .val = option->letter,
	};
	if (option->letter <= UCHAR_MAX)
		sprintf(end, "%c%s", option->letter, option->argument ? ":" : "");
}

static const struct command_option *find_option(const struct command_option *table, int letter)
{
	for (; table->name; table++) {
		if (table->letter == letter)
			return table;
	}
	return NULL;
}

/* The help has descriptions in this column. */
#define HELP_COLUMN	22

static void print_option(const struct command_option *option, FILE *to)
{
	const char *argument = option->argument ? option->argument : "", *at;
	char letter[] = "    ";
	int len;

	if (option->letter <= UCHAR_MAX)
		sprintf(letter, "-%c, ", option->letter);
	len = fprintf(to, "  %s--%s%s%s", letter, option->name,
		      *argument && *argument != '[' ? "=" : "", argument);
	if (len >= HELP_COLUMN)
		len = fprintf(to, "\n") - 1;
	fprintf(to, "%*s", HELP_COLUMN - len, "");
	for (at = option->help; *at; at++) {
		fputc(*at, to);
		if (*at == '\n')
			fprintf(to, "%*s", HELP_COLUMN, "");
	}
	fputc('\n', to);
}

void options_help(const struct command_options *options, FILE *to)
{
	static const struct command_option help = { 'h', "help", .help = "print this help" };
	const struct command_option *option;

	for (option = options->table; option->name; option++) {
		if (option->help)
			print_option(option, to);
	}
	for (option = filter_options; option->name; option++) {
		if (!find_option(options->table, option->letter))
			print_option(option, to);
	}
	print_option(&help, to);
}

static int refuse(const struct command_options *options)
{
	bool has_command = options->command;

	complain("Run 'kvm-stats%s%s --help' for the options.%s%s", has_command ? " " : "",
		 has_command ? options->command : "", options->advice ? " " : "",
		 options->advice ? options->advice : "");
	return STATUS_USAGE;
}

static bool set_option(const struct command_options *options, int letter, void *arg,
		       struct filter *filter)
{
	const struct command_option *option = find_option(options->table, letter);
	const char name[] = { '-', (char)letter, '\0' };
	void *member;

	if (!option)
		return filter_option(filter, letter, optarg);
	member = (char *)arg + option->member;
	switch (option->kind) {
	case OPTION_FLAG:
		return *(bool *)member = true;
	case OPTION_TEXT:
		*(const char **)member = optarg;
		return true;
	case OPTION_COUNT:
		return parse_count(name, optarg, member);
	case OPTION_SECONDS:
		return parse_seconds(name, optarg, option->min, member);
	case OPTION_SOURCE:
		return *(enum sources *)member |= option->source;
	case OPTION_OTHER:
		break;
	}
	return options->set(letter, optarg, arg);
}

int options_parse(int argc, char **argv, const struct command_options *options, void *arg,
		  struct filter *filter)
{
	struct tables tables = { .letters = "h" };
	const struct command_option *option;
	int letter;

	for (option = filter_options; option->name; option++)
		add_option(&tables, option);
	for (option = options->table; option->name; option++)
		add_option(&tables, option);
	tables.option[tables.options] = (struct option){ "help", no_argument, NULL, 'h' };
	optind = 1;
	while ((letter = getopt_long(argc, argv, tables.letters, tables.option, NULL)) != -1) {
		if (letter == 'h') {
			fputs(options->usage, stdout);
			options_help(options, stdout);
			return STATUS_OK;
		}
		if (letter == '?')
			return refuse(options);
		if (!set_option(options, letter, arg, filter))
			return STATUS_USAGE;
	}
	if (optind >= argc)
		return -1;
	complain("unexpected argument '%s'", argv[optind]);
	return refuse(options);
}

/* ---- kvm_stat ---- */

#define DEFAULT_DELAY	(3 * SECOND)

static bool set_kvm_stat_option(int option, const char *text, void *arg)
{
	struct kvm_stat_options *options = arg;

	if (option == 'L') {
		options->log.file = text;
		return options->logs = true;
	}
	if (strcmp(text, "help"))
		return filter_option(&options->filter, 'f', text);
	options->list_names = true;
	return filter_set_regex(&options->filter, NULL);
}

#define MEMBER(member)	offsetof(struct kvm_stat_options, member)

static const struct command_option kvm_stat_table[] = {
	{ '1', "once", NULL, "print totals and growth of one second, and exit",
	  .kind = OPTION_FLAG, .member = MEMBER(once) },
	{ '1', "batch", NULL, NULL, .kind = OPTION_FLAG, .member = MEMBER(once) },
	{ 'l', "log", NULL, "print a line for each interval, like vmstat",
	  .kind = OPTION_FLAG, .member = MEMBER(logs) },
	{ 'L', "log-to-file", "FILE", "append the log to FILE; SIGHUP reopens the file",
	  .kind = OPTION_OTHER },
	{ 'c', "csv", NULL, "with -l or -L: print comma-separated values",
	  .kind = OPTION_FLAG, .member = MEMBER(log.csv) },
	{ 'z', "skip-zero-records", NULL, "with -l or -L: omit lines in which all values are 0",
	  .kind = OPTION_FLAG, .member = MEMBER(log.skip_zero) },
	{ 'n', "count", "N", "with -l or -L: stop after N intervals",
	  .kind = OPTION_COUNT, .member = MEMBER(log.count) },
	{ 's', "set-delay", "SEC", "interval in seconds (default: 3)",
	  .kind = OPTION_SECONDS, .member = MEMBER(log.interval), .min = MIN_INTERVAL },
	{ 'd', "debugfs", NULL, "read the statistics from debugfs",
	  .kind = OPTION_SOURCE, .member = MEMBER(log.sources), .source = SOURCES_DEBUGFS },
	{ 't', "tracepoints", NULL, "count tracepoints; with -d, do both",
	  .kind = OPTION_SOURCE, .member = MEMBER(log.sources), .source = SOURCES_TRACEPOINTS },
	{ 'i', "debugfs-include-past", NULL, "show totals since the VM was created",
	  .kind = OPTION_FLAG, .member = MEMBER(include_past) },
	{ 'f', "fields", "REGEX", "only statistics whose names start with a match of this\n"
	  "extended regex; 'help' lists the names", .kind = OPTION_OTHER },
	{ 0 },
};

const struct command_options kvm_stat_accepted = {
	.usage = "Usage: kvm-stats [OPTION]...\n"
		 "\n"
		 "These options have the same meaning as those of kvm_stat. Run 'kvm-stats\n"
		 "--help' for the commands.\n"
		 "\n",
	.table = kvm_stat_table,
	.set = set_kvm_stat_option,
};

static bool check_combination(const struct kvm_stat_options *options)
{
	const struct log_options *log = &options->log;
	const char *what = log->csv ? "-c" : log->skip_zero ? "-z" : log->count ? "-n" : NULL;

	if (what && !options->logs) {
		complain("%s needs -l or -L", what);
		return false;
	}
	if (options->once && options->logs) {
		complain("-1 and %s cannot be combined", log->file ? "-L" : "-l");
		return false;
	}
	return true;
}

int kvm_stat_options_parse(struct kvm_stat_options *options, int argc, char **argv)
{
	int status;

	*options = (struct kvm_stat_options){
		.filter.from_start = true,
		.log = {
			.filter = &options->filter,
			.interval = DEFAULT_DELAY,
			.kvm_stat_stamps = true,
		},
	};
	status = options_parse(argc, argv, &kvm_stat_accepted, options, &options->filter);
	return status < 0 && !check_combination(options) ? STATUS_USAGE : status;
}
