// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats list, kvm-stats schema */
#include <stdio.h>

#include "notice.h"
#include "options.h"
#include "read/read.h"
#include "unread.h"
#include "util.h"

/* ---- a list of what the user selected ---- */

/*
 * Accepts the only option of @accepted, --json, and those of the filter. @print prints JSON if
 * @json is set, otherwise a table. Returns the exit status, as @print does.
 */
static int run(int argc, char **argv, const struct command_options *accepted,
	       int (*print)(const struct monitor *monitor, bool json))
{
	struct filter filter = { 0 };
	const struct monitor_options options = { .filter = &filter };
	struct monitor *monitor;
	bool json = false;
	int status = options_parse(argc, argv, accepted, &json, &filter);

	if (status < 0) {
		monitor = require_monitor(&options);
		status = monitor ? print(monitor, json) : STATUS_FAILED;
		monitor_close(monitor);
	}
	filter_free(&filter);
	return status;
}

/* ---- kvm-stats list ---- */

static const char list_usage[] =
	"Usage: kvm-stats list [OPTION]...\n"
	"\n"
	"Lists the processes that run VMs. SOURCE says where their statistics come from:\n"
	"  next       one statistics fd for each VM; needs CAP_PERFMON and /dev/kvm\n"
	"  open       one statistics fd for each VM, which kvm-stats opened\n"
	"  opened     one statistics fd for each VM and vCPU, which kvm-stats opened\n"
	"  taken      copies of statistics fds that the VMM keeps open\n"
	"  taken:1/3  the same, but only for one of three VMs and vCPUs\n"
	"  qmp        QMP, the monitor of QEMU\n"
	"  debugfs    files in debugfs\n"
	"  none       they cannot be read; standard error says why\n"
	"\n";

static void source_text(const struct vmm *vmm, char *text, size_t size)
{
	const char *names = vmm_sources(vmm);

	if (!vmm->targets || !vmm->unread.count || vmm_has_sums(vmm))
		snprintf(text, size, "%s", names);
	else
		snprintf(text, size, "%s:%zu/%zu", names, vmm->targets,
			 vmm->targets + vmm->unread.count);
}

static void print_vmm(const struct vmm *vmm)
{
	char comm[64], name[256], source[128], pid[16] = "-";
	const char *guest = vmm->guest ? sanitize(vmm->guest, name, sizeof(name)) : "-";

	source_text(vmm, source, sizeof(source));
	if (vmm->pid)
		snprintf(pid, sizeof(pid), "%d", (int)vmm->pid);
	printf("%10s  %-15s  %4zu  %5zu  %-9s  %s%s\n", pid,
	       sanitize(vmm->comm, comm, sizeof(comm)), vmm->vms, vmm->vcpus, source, guest,
	       vmm_name_mark(vmm));
}

static void print_table(const struct monitor *monitor)
{
	size_t i;

	printf("%10s  %-15s  %4s  %5s  %-9s  %s\n",
	       "PID", "VMM", "VMS", "VCPUS", "SOURCE", "GUEST");
	for (i = 0; i < monitor->vmms; i++)
		print_vmm(monitor->vmm[i]);
}

/* VMMs whose statistics cannot be read are listed, too. */
static int list(const struct monitor *monitor, bool json)
{
	const struct filter *filter = monitor->options.filter;
	bool exist = require_selection(monitor);

	if (json)
		json_print_vmms(monitor);
	else if (exist)
		print_table(monitor);
	if (!exist)
		return filter_names_vmms(filter) || filter->vcpus || kvm_error() ? STATUS_FAILED :
		       STATUS_OK;
	report_unread(monitor);
	explain_denied(monitor);
	return monitor->search_error ? STATUS_FAILED : STATUS_OK;
}

int command_list(int argc, char **argv)
{
	static const struct command_option table[] = {
		{ 'j', "json", NULL, "print JSON", .kind = OPTION_FLAG },
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "list", .usage = list_usage, .table = table,
	};

	return run(argc, argv, &accepted, list);
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
	int status;
	bool good;

	if (json && !query_stats_check(monitor->options.filter))
		return STATUS_USAGE;
	if (!require_statistics(monitor) || !require_matches(monitor))
		return STATUS_FAILED;
	good = report_unread(monitor);
	status = json ? schema_as_json(monitor) : schema_as_table(monitor);
	return good ? status : STATUS_FAILED;
}

int command_schema(int argc, char **argv)
{
	static const struct command_option table[] = {
		{ 'j', "json", NULL, "print the format of QEMU's query-stats-schemas",
		  .kind = OPTION_FLAG },
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "schema", .usage = schema_usage, .table = table,
	};

	return run(argc, argv, &accepted, schema);
}
