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

bool parse_seconds(const char *option, const char *text, double min, uint64_t *ns,
		   struct message *why)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end != text && !*end && seconds >= min && seconds <= MAX_SECONDS) {
		*ns = (uint64_t)(seconds * 1e9 + 0.5);
		return true;
	}
	return message_set(why, "%s must be a number of seconds from %g to %g, not '%s'", option,
			   min, MAX_SECONDS, text);
}

/* 31 years. The sum of such a time and that of now has 64 bits, in ns. */
#define MAX_DURATION	1e9

uint64_t parse_duration(const char *text)
{
	static const struct {
		char unit;
		double seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	char *end;
	double count = strtod(text, &end);
	size_t i;

	for (i = 0; end != text && i < ARRAY_SIZE(units); i++) {
		if (*end == units[i].unit && !end[1] && count > 0 &&
		    count * units[i].seconds <= MAX_DURATION)
			return (uint64_t)(count * units[i].seconds * 1e9);
	}
	return 0;
}

/* Parses a time of the last 24 hours. Returns (time_t)-1 if @text is not one. */
static time_t parse_clock(const char *text, time_t now)
{
	struct tm tm, today;
	const char *end;
	time_t time;

	localtime_r(&now, &today);
	tm = today;
	tm.tm_sec = 0;
	end = strptime(text, "%H:%M:%S", &tm);
	if (!end)
		end = strptime(text, "%H:%M", &tm);
	if (!end || *end)
		return -1;
	tm.tm_isdst = -1;
	time = mktime(&tm);
	if (time <= now)
		return time;
	tm.tm_mday--;
	tm.tm_isdst = -1;
	return mktime(&tm);
}

/* Parses "2026-11-28T02:10:30.5+01:00". The date can be alone, and most of the rest is optional. */
static bool parse_iso(const char *text, uint64_t *time)
{
	static const char * const formats[] = {
		"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M",
		"%Y-%m-%d",
	};
	const char *end = NULL;
	double fraction = 0;
	struct tm tm;
	time_t seconds;
	size_t i;

	for (i = 0; !end && i < ARRAY_SIZE(formats); i++) {
		tm = (struct tm){ .tm_isdst = -1 };
		end = strptime(text, formats[i], &tm);
	}
	if (!end)
		return false;
	if (*end == '.') {
		char *after;

		fraction = strtod(end, &after);
		end = after;
	}
	if (*end && strcmp(end, "Z")) {
		struct tm zone = { 0 };

		end = strptime(end, "%z", &zone);
		if (!end || *end)
			return false;
		seconds = timegm(&tm) - zone.tm_gmtoff;
	} else {
		seconds = *end ? timegm(&tm) : mktime(&tm);
	}
	if (seconds <= 0 || (uint64_t)seconds >= UINT64_MAX / SECOND || fraction >= 1)
		return false;
	*time = (uint64_t)seconds * SECOND + (uint64_t)(fraction * 1e9);
	return true;
}

bool parse_time(const char *option, const char *text, uint64_t *time, struct message *why)
{
	uint64_t now = clock_read(CLOCK_REALTIME);
	uint64_t ago = *text == '-' ? parse_duration(text + 1) : 0;
	time_t seconds = parse_clock(text, (time_t)(now / SECOND));

	if (ago)
		*time = now - ago;
	else if (seconds >= 0)
		*time = (uint64_t)seconds * SECOND;
	if (ago || seconds >= 0 || parse_iso(text, time))
		return true;
	message_set(why, "--%s must be a time, not '%s'", option, text);
	return message_advice(why, "Examples are 02:10, -6h and 2026-11-28T02:10");
}

/* The same as parse_seconds() for a number of intervals above 0. */
static bool parse_count(const char *option, const char *text, unsigned long *count,
			struct message *why)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (!errno && *text >= '0' && *text <= '9' && !*end && *count)
		return true;
	return message_set(why, "%s must be a number of intervals above 0, not '%s'", option, text);
}

/* ---- options that select VMs, vCPUs and statistics ---- */

/* All commands have them, so their numbers are below FIRST_LONG_OPTION. */
enum {
	OPTION_VM = UCHAR_MAX + 1,
	OPTION_VCPU,
};

static const struct command_option filter_options[] = {
	{ 'p', "pid", "LIST", .help = "only VMMs with these process IDs, for example 47,4711" },
	{ 'g', "guest", "LIST", .help = "only guests with these names (see list), for example\n"
	  "web,db*; ',,' is a comma in a name" },
	{ 'f', "filter", "REGEX", .help = "only statistics whose names match this extended regex" },
	{ OPTION_VM, "vm", NULL, .help = "only VMs" },
	{ OPTION_VCPU, "vcpu", "LIST", .help = "only these vCPUs, for example 0,2-3, or all" },
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

static bool parse_pids(struct filter *filter, const char *list, struct message *why)
{
	const char *at = list;
	int pid;

	do {
		if (!parse_id(&at, &pid) || !pid)
			break;
		if (!filter_add_pid(filter, pid))
			return message_no_memory(why);
		if (!*at)
			return true;
	} while (*at++ == ',');
	message_set(why, "-p must be a list of process IDs such as 4711,4712, not '%s'", list);
	return message_advice(why, "Run 'kvm-stats list' for the IDs");
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

static bool add_guests(struct filter *filter, const char *list, char *name, struct message *why)
{
	const char *rest = list;

	do {
		rest = next_name(rest, name);
		if (!*name)
			return message_set(why, "-g must be a list of names such as web,db*, not "
					   "'%s'", list);
		if (!strings_add(&filter->guest, &filter->guests, name, strlen(name)))
			return message_no_memory(why);
	} while (rest);
	return true;
}

static bool parse_guests(struct filter *filter, const char *list, struct message *why)
{
	char *name = malloc(strlen(list) + 1);
	bool good = name ? add_guests(filter, list, name, why) : message_no_memory(why);

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

static bool parse_vcpus(struct filter *filter, const char *list, struct message *why)
{
	struct filter_range range = { 0, INT_MAX };
	const char *at = list;

	if (!strcmp(list, "all"))
		return filter_add_vcpus(filter, range) || message_no_memory(why);
	do {
		if (!parse_range(&at, &range))
			break;
		if (!filter_add_vcpus(filter, range))
			return message_no_memory(why);
		if (!*at)
			return true;
	} while (*at++ == ',');
	return message_set(why, "--vcpu must be 'all' or a list of IDs such as 0,2-3, not '%s'",
			   list);
}

/* Handles an option that selects something. */
static bool filter_option(struct filter *filter, int option, const char *value,
			  struct message *why)
{
	switch (option) {
	case 'p':
		return parse_pids(filter, value, why);
	case 'g':
		return parse_guests(filter, value, why);
	case OPTION_VM:
		filter->vm = true;
		return true;
	case OPTION_VCPU:
		return parse_vcpus(filter, value, why);
	case 'f':
		return filter_set_regex(filter, value, why);
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

static void print_options(const struct command_options *options, bool has_filter, FILE *to)
{
	static const struct command_option help = { 'h', "help", .help = "print this help" };
	const struct command_option *option;

	for (option = options->table; option->name; option++) {
		if (option->help)
			print_option(option, to);
	}
	for (option = filter_options; has_filter && option->name; option++) {
		if (!find_option(options->table, option->letter))
			print_option(option, to);
	}
	print_option(&help, to);
}

static int refuse(const struct command_options *options)
{
	complain("Run 'kvm-stats %s --help' for the options.", options->command);
	return STATUS_USAGE;
}

static bool apply_option(const struct command_options *options, int letter, void *arg,
			 struct filter *filter, struct message *why)
{
	const struct command_option *option = find_option(options->table, letter);
	char name[32];
	void *member;

	if (!option)
		return filter_option(filter, letter, optarg, why);
	if (letter <= UCHAR_MAX)
		snprintf(name, sizeof(name), "-%c", letter);
	else
		snprintf(name, sizeof(name), "--%s", option->name);
	member = (char *)arg + option->member;
	switch (option->kind) {
	case OPTION_FLAG:
		return *(bool *)member = true;
	case OPTION_TEXT:
		*(const char **)member = optarg;
		return true;
	case OPTION_COUNT:
		return parse_count(name, optarg, member, why);
	case OPTION_SECONDS:
		return parse_seconds(name, optarg, option->min, member, why);
	case OPTION_TIME:
		return parse_time(option->name, optarg, member, why);
	case OPTION_OTHER:
		break;
	}
	return options->set(letter, optarg, arg, why);
}

int options_parse(int argc, char **argv, const struct command_options *options, void *arg,
		  struct filter *filter)
{
	struct tables tables = { .letters = "h" };
	const struct command_option *option;
	struct message why;
	int letter;

	for (option = filter_options; filter && option->name; option++)
		add_option(&tables, option);
	for (option = options->table; option->name; option++)
		add_option(&tables, option);
	tables.option[tables.options] = (struct option){ "help", no_argument, NULL, 'h' };
	optind = 1;
	while ((letter = getopt_long(argc, argv, tables.letters, tables.option, NULL)) != -1) {
		if (letter == 'h') {
			fputs(options->usage, stdout);
			print_options(options, filter, stdout);
			return STATUS_OK;
		}
		if (letter == '?')
			return refuse(options);
		if (apply_option(options, letter, arg, filter, &why))
			continue;
		message_print(&why);
		return STATUS_USAGE;
	}
	if (optind >= argc)
		return -1;
	complain("unexpected argument '%s'", argv[optind]);
	return refuse(options);
}
