// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats schema */
#include <stdio.h>

#include "commands/command.h"
#include "commands/listing.h"
#include "notice.h"
#include "options/filter.h"
#include "options/status.h"
#include "print/heading.h"
#include "print/query_stats.h"
#include "unread.h"

static const char usage[] =
	"Usage: kvm-stats schema [OPTION]...\n"
	"\n"
	"Lists the statistics that VMs and vCPUs have.\n"
	"\n"
	"  -j, --json          print the format of QEMU's query-stats-schemas\n"
	FILTER_HELP
	"  -h, --help          print this help\n";

static const char *name_or_number(const char *name, const char *what, unsigned int number,
				  char *buf, size_t size)
{
	if (name)
		return name;
	snprintf(buf, size, "%s%u", what, number);
	return buf;
}

/* The meaning is that of the reference, which does not describe statistics of later kernels. */
static void print_stat(const struct target *target, const struct kvmstats_stat *stat)
{
	bool is_vcpu = target->scope == SCOPE_VCPU;
	enum kvmstats_kind kind = is_vcpu ? KVMSTATS_KIND_VCPU : KVMSTATS_KIND_VM;
	const char *meaning = kvmstats_stat_help(kvmstats_stat_name(stat), kind);
	char type[16], unit[64];
	unsigned int number = kvmstats_stat_type(stat);
	int len = kvmstats_stat_unit_text(stat, unit, sizeof(unit));

	printf("%-6s  %-32s  %-16s  %-8s  %6u  %10u  %s\n", scope_name(target->scope),
	       kvmstats_stat_name(stat),
	       name_or_number(kvmstats_type_name(number), "type", number, type, sizeof(type)),
	       len > 0 ? unit : "-", kvmstats_stat_size(stat), kvmstats_stat_bucket_size(stat),
	       meaning ? meaning : "-");
}

static const struct target *first_with(const struct monitor *monitor, const struct stat_set *set)
{
	size_t i, j;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		for (j = 0; j < vmm->targets; j++) {
			if (vmm->target[j]->set == set)
				return vmm->target[j];
		}
	}
	return NULL;
}

/* Prints each schema once: usually one for all VMs, and one for all vCPUs. */
static void print_schemas(const struct monitor *monitor)
{
	size_t i, j;

	printf("%-6s  %-32s  %-16s  %-8s  %6s  %10s  %s\n",
	       "TARGET", "STATISTIC", "TYPE", "UNIT", "VALUES", "BUCKETSIZE", "MEANING");
	for (i = 0; i < monitor->sets.sets; i++) {
		const struct stat_set *set = monitor->sets.set[i];
		const struct target *target = first_with(monitor, set);

		for (j = 0; target && j < set->stats; j++)
			print_stat(target, set->stat[j]);
	}
}

static int schema_as_json(const struct monitor *monitor)
{
	if (!query_stats_require_one(monitor))
		return STATUS_FAILED;
	query_stats_warn_unknown(monitor);
	query_stats_print_schemas(monitor);
	return STATUS_OK;
}

static int schema_as_table(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (monitor->vmm[i]->targets)
			print_heading(monitor->vmm[i]);
	}
	print_schemas(monitor);
	return STATUS_OK;
}

static int schema(const struct monitor *monitor, bool json)
{
	bool good = require_statistics(monitor) && require_matches(monitor);
	int status = STATUS_FAILED;

	if (good) {
		good = report_unread(monitor);
		status = json ? schema_as_json(monitor) : schema_as_table(monitor);
	}
	return good ? status : STATUS_FAILED;
}

static bool check(const struct filter *filter, bool json)
{
	return !json || query_stats_check(filter);
}

int command_schema(int argc, char **argv)
{
	static const struct listing listing = {
		.command = "schema", .usage = usage, .check = check, .print = schema,
	};

	return listing_run(argc, argv, &listing);
}
