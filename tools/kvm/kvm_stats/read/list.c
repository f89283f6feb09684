// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats list, kvm-stats schema */
#include <stdio.h>

#include "notice.h"
#include "options.h"
#include "read/read.h"
#include "util.h"

struct list_options {
	struct samples_options samples;
	bool json;
};

/*
 * Accepts the options of @accepted, and those of the filter. @print prints the list. Returns the
 * exit status, as @print does.
 */
static int run_list(int argc, char **argv, const struct command_options *accepted,
		    int (*print)(const struct monitor *monitor, bool json))
{
	struct list_options options = { 0 };
	int status = options_parse(argc, argv, accepted, &options, &options.samples.filter);
	struct monitor *monitor;

	if (status < 0) {
		monitor = samples_open(&options.samples);
		status = monitor ? print(monitor, options.json) : STATUS_FAILED;
		monitor_close(monitor);
	}
	filter_free(&options.samples.filter);
	return status;
}

#define MEMBER(member)	offsetof(struct list_options, member)

/* ---- kvm-stats list ---- */

static const char list_usage[] =
	"Usage: kvm-stats list [OPTION]...\n"
	"\n"
	"Lists the processes that run VMs. SOURCE says where their statistics come from:\n"
	"  file  the host file, see kvm-stats-publish(8)\n"
	"  next  KVM_STATS_NEXT, which kernels with the series of kvm-stats have\n"
	"  proc  nowhere: /proc only has CPU times and memory; standard error says why\n"
	"\n";

static void print_vmm(const struct monitor *monitor, const struct vmm *vmm)
{
	char comm[64], name[256];
	const char *guest = vmm->guest ? sanitize(vmm->guest, name, sizeof(name)) : "-";

	printf("%10d  %-15s  %4zu  %5zu  %-6s  %s%s%s\n", (int)vmm->pid,
	       sanitize(vmm->comm, comm, sizeof(comm)), vmm->vms, vmm->vcpus,
	       origin_name(kvmstats_host_origin(monitor->host)), guest, vmm_name_mark(vmm),
	       vmm->orphan ? " (the process has ended)" : "");
}

static void print_vmms(const struct monitor *monitor)
{
	size_t i;

	printf("%10s  %-15s  %4s  %5s  %-6s  %s\n",
	       "PID", "VMM", "VMS", "VCPUS", "SOURCE", "GUEST");
	for (i = 0; i < monitor->vmms; i++)
		print_vmm(monitor, monitor->vmm[i]);
}

/* It is not an error that there is no VM, unless the user selected one, or some may be hidden. */
static int list_vmms(const struct monitor *monitor, bool json)
{
	struct message why;

	if (!check_selected(monitor, &why)) {
		message_print(&why);
		return STATUS_FAILED;
	}
	if (json)
		json_print_vmms(monitor);
	else
		print_vmms(monitor);
	return monitor->vmms || !*monitor->problem.what ? STATUS_OK : STATUS_FAILED;
}

int command_list(int argc, char **argv)
{
	static const struct command_option table[] = {
		{ 'j', "json", NULL, "print JSON", .kind = OPTION_FLAG, .member = MEMBER(json) },
		AT_OPTION(offsetof(struct list_options, samples.replay)),
		SINCE_OPTION(offsetof(struct list_options, samples.replay)),
		UNTIL_OPTION(offsetof(struct list_options, samples.replay)),
		DIR_OPTION(offsetof(struct list_options, samples.replay)),
		FROM_OPTION(MEMBER(samples.from)),
		VERBOSE_OPTION(MEMBER(samples.verbose)),
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "list", .usage = list_usage, .table = table,
	};

	return run_list(argc, argv, &accepted, list_vmms);
}

/* ---- kvm-stats schema ---- */

static const char schema_usage[] =
	"Usage: kvm-stats schema [OPTION]...\n"
	"\n"
	"Lists the statistics that VMs and vCPUs have.\n"
	"\n";

static const char *name_or_number(const char *name, const char *what, unsigned int number,
				  char *buf, size_t size)
{
	if (name)
		return name;
	snprintf(buf, size, "%s%u", what, number);
	return buf;
}

/* The meaning is that of the reference, which does not describe statistics of later kernels. */
static void print_desc(const struct target *target, const struct kvmstats_stat *stat)
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
	const struct target *target;

	for_each_target(target, monitor) {
		if (target->set == set)
			break;
	}
	return target;
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
			print_desc(target, set->stat[j]);
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

	for (i = 0; i < monitor->vmms; i++)
		print_heading(monitor, monitor->vmm[i]);
	print_schemas(monitor);
	return STATUS_OK;
}

static int list_schemas(const struct monitor *monitor, bool json)
{
	struct message why;

	if (json && !query_stats_check(monitor->options.filter))
		return STATUS_USAGE;
	if (!check_vmms(monitor, &why) || !check_matches(monitor, &why)) {
		message_print(&why);
		return STATUS_FAILED;
	}
	if (!monitor->has_values)
		return STATUS_FAILED;
	return json ? schema_as_json(monitor) : schema_as_table(monitor);
}

int command_schema(int argc, char **argv)
{
	static const struct command_option table[] = {
		{ 'j', "json", NULL, "print the format of QEMU's query-stats-schemas",
		  .kind = OPTION_FLAG, .member = MEMBER(json) },
		FROM_OPTION(MEMBER(samples.from)),
		VERBOSE_OPTION(MEMBER(samples.verbose)),
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "schema", .usage = schema_usage, .table = table,
	};

	return run_list(argc, argv, &accepted, list_schemas);
}
