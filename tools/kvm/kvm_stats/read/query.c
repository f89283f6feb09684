// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats query */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "read/read.h"
#include "sums.h"
#include "util.h"

/* ---- the format of QMP ---- */

/* The filters of QEMU's query-stats that are not in struct filter. */
struct query_stats_filter {
	char **name;		/* only statistics with exactly these names; all if empty */
	size_t names;
};

/* -g can select one of several processes, and -p can have the same process twice. */
bool query_stats_check(const struct filter *filter)
{
	size_t i;

	for (i = 1; !filter->guests && i < filter->pids; i++) {
		if (filter->pid[i] == filter->pid[0])
			continue;
		complain("QMP's format describes one VMM: -p must have one process ID");
		return false;
	}
	return true;
}

bool query_stats_require_one(const struct monitor *monitor)
{
	if (monitor->vmms == 1)
		return true;
	complain("QMP's format describes one VMM, but %zu are selected. Select one with -p or -g.",
		 monitor->vmms);
	return false;
}

/* The host file has statistics of the threads of vCPUs, too. QEMU's provider kvm has only KVM's. */
static bool is_of_kvm(const struct kvmstats_stat *stat)
{
	return strncmp(kvmstats_stat_name(stat), "thread_", strlen("thread_"));
}

/* Types, units and bases of later kernels may have no name in QMP. */
static bool is_known(const struct kvmstats_stat *stat)
{
	return is_of_kvm(stat) && kvmstats_type_name(kvmstats_stat_type(stat)) &&
	       kvmstats_unit_name(kvmstats_stat_unit(stat)) &&
	       kvmstats_base_name(kvmstats_stat_base(stat));
}

void query_stats_warn_unknown(const struct monitor *monitor)
{
	size_t i, j;

	for (i = 0; i < monitor->sets.sets; i++) {
		const struct stat_set *set = monitor->sets.set[i];

		for (j = 0; j < set->stats; j++) {
			if (is_of_kvm(set->stat[j]) && !is_known(set->stat[j]))
				complain("%s is omitted: QMP cannot describe its type or unit",
					 kvmstats_stat_name(set->stat[j]));
		}
	}
}

static bool has_name(const struct monitor *monitor, const char *name)
{
	size_t i;

	for (i = 0; i < monitor->sets.sets; i++) {
		const struct kvmstats_stat *stat =
			kvmstats_schema_find(monitor->sets.set[i]->schema, name);

		if (stat && is_of_kvm(stat) && filter_selects_name(monitor->options.filter, name))
			return true;
	}
	return false;
}

/* Prints a message and returns false if there is no statistic with one of the names. */
static bool has_names(const struct monitor *monitor, const struct query_stats_filter *filter)
{
	bool good = true;
	char name[128];
	size_t i;

	for (i = 0; i < filter->names; i++) {
		if (has_name(monitor, filter->name[i]))
			continue;
		complain("no selected statistic is named '%s'. Run 'kvm-stats schema' for the "
			 "names.", sanitize(filter->name[i], name, sizeof(name)));
		good = false;
	}
	return good;
}

static bool selects_name(const struct query_stats_filter *filter, const struct kvmstats_stat *stat)
{
	size_t i;

	if (!is_known(stat))
		return false;
	for (i = 0; i < filter->names; i++) {
		if (!strcmp(kvmstats_stat_name(stat), filter->name[i]))
			return true;
	}
	return !filter->names;
}

static void print_qmp_value(const struct row *row)
{
	if (row->size == 1 && kvmstats_stat_unit(row->stat) == KVMSTATS_UNIT_BOOLEAN)
		fputs(row->values[0] ? "true" : "false", stdout);
	else
		json_print_value(row);
}

static bool has_selected_stat(const struct target *target, const struct query_stats_filter *filter)
{
	size_t i;

	for (i = 0; i < target->set->stats; i++) {
		if (selects_name(filter, target->set->stat[i]))
			return true;
	}
	return false;
}

static void print_result(const struct target *target, const struct query_stats_filter *filter)
{
	const char *separator = "";
	size_t i;

	printf("{\"provider\": \"kvm\", ");
	if (target->scope == SCOPE_VCPU && target->vmm->vms > 1)
		printf("\"qom-path\": \"/kvm-stats/vm[%d]/vcpu[%d]\", ", target->vm, target->vcpu);
	else if (target->scope == SCOPE_VCPU)
		printf("\"qom-path\": \"/kvm-stats/vcpu[%d]\", ", target->vcpu);
	printf("\"stats\": [");
	for (i = 0; i < target->set->stats; i++) {
		struct row row;

		row_get(&row, target, target->set->stat[i]);
		if (!row.values || !selects_name(filter, row.stat))
			continue;
		printf("%s{\"name\": ", separator);
		json_print_string(kvmstats_stat_name(row.stat));
		printf(", \"value\": ");
		print_qmp_value(&row);
		putchar('}');
		separator = ", ";
	}
	printf("]}");
}

/* Prints the last sample. */
static void print_answer(const struct monitor *monitor, const struct query_stats_filter *filter)
{
	const struct vmm *vmm = monitor->vmms ? monitor->vmm[0] : NULL;
	const char *separator = "";
	size_t i;

	printf("{\"return\": [");
	for (i = 0; vmm && i < vmm->targets && flush_output(); i++) {
		if (!has_selected_stat(vmm->target[i], filter))
			continue;
		printf("%s", separator);
		print_result(vmm->target[i], filter);
		separator = ", ";
	}
	puts("]}");
}

/* ---- query-stats-schemas ---- */

static void print_qmp_desc(const struct kvmstats_stat *stat)
{
	unsigned int unit = kvmstats_stat_unit(stat);
	int exponent = kvmstats_stat_exponent(stat);

	printf("{\"name\": ");
	json_print_string(kvmstats_stat_name(stat));
	printf(", \"type\": \"%s\"", kvmstats_type_name(kvmstats_stat_type(stat)));
	if (unit != KVMSTATS_UNIT_NONE)
		printf(", \"unit\": \"%s\"", kvmstats_unit_name(unit));
	if (exponent)
		printf(", \"base\": %d", kvmstats_stat_base(stat) == KVMSTATS_BASE_POW2 ? 2 : 10);
	printf(", \"exponent\": %d", exponent);
	if (kvmstats_stat_type(stat) == KVMSTATS_TYPE_LINEAR_HIST)
		printf(", \"bucket-size\": %" PRIu32, kvmstats_stat_bucket_size(stat));
	putchar('}');
}

static void print_schema(const char *target, const struct stat_set *set)
{
	const char *separator = "";
	size_t i;

	printf("{\"provider\": \"kvm\", \"target\": \"%s\", \"stats\": [", target);
	for (i = 0; i < set->stats; i++) {
		if (!is_known(set->stat[i]))
			continue;
		printf("%s", separator);
		print_qmp_desc(set->stat[i]);
		separator = ", ";
	}
	printf("]}");
}

void query_stats_print_schemas(const struct monitor *monitor)
{
	const struct stat_set *vm = vmm_set(monitor->vmm[0], SCOPE_VM);
	const struct stat_set *vcpu = vmm_set(monitor->vmm[0], SCOPE_VCPU);

	printf("{\"return\": [");
	if (vm)
		print_schema("vm", vm);
	if (vm && vcpu)
		printf(", ");
	if (vcpu)
		print_schema("vcpu", vcpu);
	puts("]}");
}

/* ---- kvm-stats query ---- */

static const char query_usage[] =
	"Usage: kvm-stats query [OPTION]...\n"
	"\n"
	"Prints the statistics of one VMM in the format of QEMU's query-stats: one line\n"
	"of JSON or, with -i, one line after each interval.\n"
	"\n";

struct query {
	struct samples_options options;
	struct query_stats_filter filter;
	bool complete;		/* there are statistics with all names */
};

static bool start_query(const struct monitor *monitor, void *arg)
{
	struct query *query = arg;

	if (!query_stats_require_one(monitor))
		return false;
	query_stats_warn_unknown(monitor);
	query->complete = has_names(monitor, &query->filter);
	return true;
}

static void print_query(const struct monitor *monitor, unsigned long interval, void *arg)
{
	struct query *query = arg;

	print_answer(monitor, &query->filter);
}

/* Handles --names. */
static bool add_names(int option, const char *list, void *arg, struct message *why)
{
	struct query_stats_filter *filter = &((struct query *)arg)->filter;
	const char *at = list;

	for (;;) {
		size_t len = strcspn(at, ",");

		if (!len)
			return message_set(why, "--names must be a list of names such as "
					   "exits,io_exits, not '%s'", list);
		if (!strings_add(&filter->name, &filter->names, at, len))
			return message_no_memory(why);
		if (!at[len])
			return true;
		at += len + 1;
	}
}

#define MEMBER(member)	offsetof(struct query, member)

int command_query(int argc, char **argv)
{
	static const struct samples_printer printer = {
		.start = start_query, .print = print_query,
	};
	static const struct command_option table[] = {
		{ 'i', "interval", "SEC", "interval in seconds, for example 1 or 0.5",
		  .kind = OPTION_SECONDS, .member = MEMBER(options.interval), .min = 0.01 },
		{ 'c', "count", "N", "stop after N intervals (default: when all VMMs of -p end)",
		  .kind = OPTION_COUNT, .member = MEMBER(options.count) },
		{ FIRST_LONG_OPTION, "names", "LIST", "only statistics with exactly these names",
		  .kind = OPTION_OTHER },
		FROM_OPTION(MEMBER(options.from)),
		AT_OPTION(MEMBER(options.replay)), SINCE_OPTION(MEMBER(options.replay)),
		UNTIL_OPTION(MEMBER(options.replay)), DIR_OPTION(MEMBER(options.replay)),
		VERBOSE_OPTION(MEMBER(options.verbose)),
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "query", .usage = query_usage, .table = table, .set = add_names,
	};
	struct query query = { .complete = true };
	int status = options_parse(argc, argv, &accepted, &query, &query.options.filter);

	if (status < 0 && !query_stats_check(&query.options.filter))
		status = STATUS_USAGE;
	if (status < 0)
		status = samples_run(&query.options, &printer, &query);
	if (status == STATUS_OK && !query.complete)
		status = STATUS_FAILED;
	filter_free(&query.options.filter);
	strings_free(query.filter.name, query.filter.names);
	return status;
}
