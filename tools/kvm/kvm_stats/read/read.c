// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats read */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "read/guests.h"
#include "read/read.h"
#include "sums.h"
#include "util.h"

/* ---- tables ---- */

/* The table that "kvm-stats read" prints: values and rates. */
struct report {
	bool rates;		/* print growth per second since the previous sample */
	bool base_units;	/* print seconds and bytes, not ns and KiB */
	int label_width;
	int name_width;
};

static const char *base_unit(const struct kvmstats_stat *stat)
{
	switch (kvmstats_stat_unit(stat)) {
	case KVMSTATS_UNIT_BYTES:
		return "B";
	case KVMSTATS_UNIT_SECONDS:
		return "s";
	default:
		return NULL;
	}
}

/* Only bytes and times are converted. Histograms keep the unit of their buckets. */
static bool in_base_unit(const struct report *report, const struct kvmstats_stat *stat)
{
	return report->base_units && base_unit(stat) && !kvmstats_stat_is_hist(stat) &&
	       kvmstats_base_name(kvmstats_stat_base(stat));
}

static void print_row(const struct report *report, const struct row *row, const char *name,
		      const char *unit)
{
	bool scaled = in_base_unit(report, row->stat);
	char value[64], rate[64] = "-";

	if (kvmstats_stat_unit(row->stat) == KVMSTATS_UNIT_BOOLEAN && row->value <= 1)
		strcpy(value, row->value ? "true" : "false");
	else if (!scaled)
		snprintf(value, sizeof(value), "%" PRIu64, row->value);
	else if (kvmstats_stat_scale(row->stat, row->value, value, sizeof(value)) <= 0)
		strcpy(value, "?");
	if (row->cleared)
		strcpy(rate, "reset");
	else if (row->known)
		snprintf(rate, sizeof(rate), "%.*f", scaled ? 6 : 1,
			 scaled ? row->rate * stat_factor(row->stat) : row->rate);
	unit = *unit ? unit : "-";
	printf("%-*s  %-*s  %20s  ", report->label_width, row->target->label, report->name_width,
	       name, value);
	if (report->rates)
		printf("%-7s  %14s\n", unit, rate);
	else
		printf("%s\n", unit);
}

/* Formats "halt_wait_hist[1024..2047ns]", or "name[3]" if the type of the array is unknown. */
static void element_name(const struct kvmstats_stat *stat, unsigned int n, const char *unit,
			 char *name, size_t size)
{
	uint64_t min, max;

	if (kvmstats_stat_bucket(stat, n, &min, &max))
		snprintf(name, size, "%s[%u]", kvmstats_stat_name(stat), n);
	else if (max == UINT64_MAX)
		snprintf(name, size, "%s[%" PRIu64 "..%s]", kvmstats_stat_name(stat), min, unit);
	else
		snprintf(name, size, "%s[%" PRIu64 "..%" PRIu64 "%s]", kvmstats_stat_name(stat),
			 min, max, unit);
}

static void print_elements(const struct report *report, const struct target *target,
			   const struct kvmstats_stat *stat, const char *unit)
{
	bool hist = kvmstats_stat_is_hist(stat);
	char name[128];
	struct row row;
	unsigned int n;

	for (n = 0; n < kvmstats_stat_size(stat); n++) {
		row_get_element(&row, target, stat, n);
		if (hist && !row.value && !row.cleared)
			continue;
		element_name(stat, n, unit, name, sizeof(name));
		print_row(report, &row, name, hist ? "samples" : unit);
	}
}

static const char *unit_text(const struct report *report, const struct kvmstats_stat *stat,
			     char *buf, size_t size)
{
	if (in_base_unit(report, stat))
		return base_unit(stat);
	return kvmstats_stat_unit_text(stat, buf, size) < 0 ? "?" : buf;
}

static void print_stat(const struct report *report, const struct target *target,
		       const struct kvmstats_stat *stat)
{
	bool hist = kvmstats_stat_is_hist(stat);
	const char *unit;
	char buf[64];
	struct row row;

	unit = unit_text(report, stat, buf, sizeof(buf));
	if (hist || kvmstats_stat_size(stat) == 1) {
		row_get(&row, target, stat);
		print_row(report, &row, kvmstats_stat_name(stat), hist ? "samples" : unit);
	}
	if (hist || kvmstats_stat_size(stat) > 1)
		print_elements(report, target, stat, unit);
}

static void widen(int *width, const char *text)
{
	int len = (int)strlen(text);

	if (len > *width)
		*width = len;
}

/* Sets the widths of the columns. */
static void measure_report(struct report *report, const struct monitor *monitor)
{
	const struct target *target;
	size_t i, j;

	report->label_width = strlen("TARGET");
	report->name_width = strlen("halt_poll_success_hist[1073741824..ns]");
	for_each_target(target, monitor)
		widen(&report->label_width, target->label);
	for (i = 0; i < monitor->sets.sets; i++) {
		const struct stat_set *set = monitor->sets.set[i];

		for (j = 0; j < set->stats; j++)
			widen(&report->name_width, kvmstats_stat_name(set->stat[j]));
	}
}

static void print_targets(const struct report *report, const struct vmm *vmm)
{
	size_t i, j;

	for (i = 0; i < vmm->targets && flush_output(); i++) {
		const struct target *target = vmm->target[i];

		for (j = 0; target->now && j < target->set->stats; j++)
			print_stat(report, target, target->set->stat[j]);
	}
}

/* What /proc and the cgroups have */
static void print_guest(const struct report *report, const struct filter *filter,
			const struct vmm *vmm)
{
	char unit[64];
	struct row row;
	int i;

	for (i = 0; i < GUEST_STATS; i++) {
		guest_row_get(&row, &vmm->process, i);
		if (row.values && guest_stat_is_selected(filter, i))
			print_row(report, &row, kvmstats_stat_name(row.stat),
				  unit_text(report, row.stat, unit, sizeof(unit)));
	}
}

static void print_table(const struct report *report, const struct monitor *monitor,
			const struct vmm *vmm)
{
	printf("%-*s  %-*s  %20s  UNIT", report->label_width, "TARGET", report->name_width,
	       "STATISTIC", "VALUE");
	if (report->rates)
		printf("     %14s", "PER-SECOND");
	putchar('\n');
	print_guest(report, monitor->options.filter, vmm);
	print_targets(report, vmm);
}

/* ---- the command ---- */

struct read_options {
	struct samples_options samples;
	struct report report;
	bool json;
};

static const char usage[] =
	"Usage: kvm-stats read [OPTION]...\n"
	"\n"
	"Prints the statistics of VMs and vCPUs, and what /proc has of each guest. With\n"
	"-i, prints them after each interval, with their growth per second.\n"
	"\n";

static bool selects_guest_stat(const struct monitor *monitor, void *arg)
{
	int i;

	for (i = 0; i < GUEST_STATS; i++) {
		if (guest_stat_is_selected(monitor->options.filter, i))
			return true;
	}
	return false;
}

static bool start_read(const struct monitor *monitor, void *arg)
{
	struct read_options *options = arg;

	options->report.rates = options->samples.interval;
	if (options->samples.interval && monitor->options.filter->pids == 1 && !options->json)
		print_heading(monitor, monitor->vmm[0]);
	return true;
}

static void print_time(const struct read_options *options, const struct monitor *monitor,
		       unsigned long interval)
{
	double seconds = (double)(interval * options->samples.interval) / 1e9;
	char stamp[STAMP_SIZE];

	if (interval > 1)
		putchar('\n');
	if (monitor->wall)
		printf("# %s\n", monitor_stamp(monitor, stamp));
	else if (monitor->is_copy)
		printf("# sample %lu\n", interval + 1);
	else
		printf("# after %.1f s, %s\n", seconds, monitor_stamp(monitor, stamp));
}

static void print_tables(struct read_options *options, const struct monitor *monitor,
			 unsigned long interval)
{
	bool headings = monitor->vmms > 1 || !monitor->options.filter->pids || !interval;
	size_t i;

	if (interval)
		print_time(options, monitor, interval);
	measure_report(&options->report, monitor);
	for (i = 0; i < monitor->vmms; i++) {
		if (headings)
			print_heading(monitor, monitor->vmm[i]);
		print_table(&options->report, monitor, monitor->vmm[i]);
	}
}

static void print_read(const struct monitor *monitor, unsigned long interval, void *arg)
{
	struct read_options *options = arg;

	if (options->json)
		json_print_values(monitor, interval);
	else
		print_tables(options, monitor, interval);
}

static bool check_format(const struct read_options *options)
{
	if (!options->json || !options->report.base_units)
		return true;
	complain("--json and --base-units cannot be combined: JSON has the unit of each value");
	return false;
}

#define MEMBER(member)	offsetof(struct read_options, member)

int command_read(int argc, char **argv)
{
	static const struct samples_printer printer = {
		.has_others = selects_guest_stat, .start = start_read, .print = print_read,
	};
	static const struct command_option table[] = {
		{ 'i', "interval", "SEC", "interval in seconds, for example 1 or 0.5",
		  .kind = OPTION_SECONDS, .member = MEMBER(samples.interval), .min = 0.01 },
		{ 'c', "count", "N", "stop after N intervals (default: when all VMMs of -p end)",
		  .kind = OPTION_COUNT, .member = MEMBER(samples.count) },
		{ 'j', "json", NULL, "print JSON, one line per sample",
		  .kind = OPTION_FLAG, .member = MEMBER(json) },
		{ 'b', "base-units", NULL, "print seconds and bytes, not ns and KiB",
		  .kind = OPTION_FLAG, .member = MEMBER(report.base_units) },
		EXITS_OPTION(MEMBER(samples.exits)),
		FROM_OPTION(MEMBER(samples.from)),
		AT_OPTION(MEMBER(samples.replay)), SINCE_OPTION(MEMBER(samples.replay)),
		UNTIL_OPTION(MEMBER(samples.replay)), DIR_OPTION(MEMBER(samples.replay)),
		VERBOSE_OPTION(MEMBER(samples.verbose)),
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "read", .usage = usage, .table = table,
	};
	struct read_options options = { .samples.processes = PROCESSES_OF_VCPUS };
	int status = options_parse(argc, argv, &accepted, &options, &options.samples.filter);

	if (status < 0 && !check_format(&options))
		status = STATUS_USAGE;
	if (status < 0)
		status = samples_run(&options.samples, &printer, &options);
	filter_free(&options.samples.filter);
	return status;
}
