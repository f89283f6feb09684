// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats schema */
#include <getopt.h>
#include <stdio.h>

#include "command.h"
#include "output.h"
#include "session.h"

static void usage(FILE *to)
{
	fputs("Usage: kvm-stats schema -p PID [OPTION]...\n"
	      "\n"
	      "Shows what statistics the VMs and vCPUs of a process have.\n"
	      "\n"
	      "  -p, --pid=PID       the process that has the VM\n"
	      FILTER_HELP
	      "  -h, --help          this text\n", to);
}

static const char *name_or_number(const char *name, const char *what, unsigned int number,
				  char *buf, size_t size)
{
	if (name)
		return name;
	snprintf(buf, size, "%s%u", what, number);
	return buf;
}

static void print_stat(const char *of, const struct kvmstats_stat *stat)
{
	char type[16], unit[64];
	unsigned int number = kvmstats_stat_type(stat);
	int len = kvmstats_stat_unit_text(stat, unit, sizeof(unit));

	printf("%-4s  %-32s  %-16s  %-8s  %6u  %10u\n", of, kvmstats_stat_name(stat),
	       name_or_number(kvmstats_type_name(number), "type", number, type, sizeof(type)),
	       len > 0 ? unit : "-", kvmstats_stat_size(stat), kvmstats_stat_bucket_size(stat));
}

static size_t print_schema(const char *of, const struct kvmstats_schema *schema,
			   const struct filter *filter)
{
	size_t shown = 0;
	size_t i;

	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);

		if (!filter_takes_stat(filter, stat))
			continue;
		print_stat(of, stat);
		shown++;
	}
	return shown;
}

/* Each schema once, under the name of what has it: mostly one for VMs, one for vCPUs. */
static int print_schemas(const struct session *session, const struct filter *filter)
{
	size_t shown = 0;
	size_t i, j;

	printf("%-4s  %-32s  %-16s  %-8s  %6s  %10s\n",
	       "OF", "STATISTIC", "TYPE", "UNIT", "VALUES", "BUCKETSIZE");
	for (i = 0; i < session->schemas; i++) {
		for (j = 0; session->source[j].schema != session->schema[i];)
			j++;
		shown += print_schema(kvmstats_target_kind(session->source[j].target) ==
				      KVMSTATS_VM ? "vm" : "vcpu", session->schema[i], filter);
	}
	if (shown || !filter->has_regex)
		return STATUS_OK;
	complain("no statistic's name matches '%s'", filter->pattern);
	return STATUS_FAILED;
}

static int schema(pid_t pid, const struct filter *filter)
{
	struct session session;
	int status;

	if (!session_open(&session, pid, filter))
		return STATUS_FAILED;
	session_print_head(&session);
	status = print_schemas(&session, filter);
	session_close(&session);
	return status;
}

static int parse(int argc, char **argv, pid_t *pid, struct filter *filter)
{
	static const struct option options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "filter", required_argument, NULL, 'f' },
		{ "vm", no_argument, NULL, FILTER_VM },
		{ "vcpu", required_argument, NULL, FILTER_VCPU },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool good = true;
	int option;

	while (good && (option = getopt_long(argc, argv, "p:f:h", options, NULL)) != -1) {
		switch (option) {
		case 'p':
			*pid = session_parse_pid(optarg);
			good = *pid > 0;
			break;
		case 'h':
			usage(stdout);
			return STATUS_OK;
		case '?':
			usage(stderr);
			return STATUS_USAGE;
		default:
			good = filter_option(filter, option, optarg);
		}
	}
	if (!good)
		return STATUS_USAGE;
	return session_check_arguments(argc, argv, *pid) ? -1 : STATUS_USAGE;
}

int command_schema(int argc, char **argv)
{
	struct filter filter = { 0 };
	pid_t pid = 0;
	int status = parse(argc, argv, &pid, &filter);

	if (status < 0)
		status = schema(pid, &filter);
	filter_free(&filter);
	return status;
}
