// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats read, and samples for other commands */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "notice.h"
#include "options.h"
#include "read/read.h"
#include "sums.h"
#include "unread.h"
#include "util.h"

/* ---- samples ---- */

struct samples {
	const struct samples_options *options;
	const struct samples_printer *printer;
	void *arg;
	struct monitor *monitor;
	bool complete;		/* everything that is selected has been read so far */
};

/* Returns 0, -ESRCH if all VMMs of -p have ended, or another error. */
static int sample(struct samples *samples)
{
	int err = monitor_sample(samples->monitor);

	if (!err && monitor_has_ended(samples->monitor))
		err = -ESRCH;
	if (!err)
		samples->complete &= report_unread(samples->monitor);
	return err;
}

static int print_sample(struct samples *samples, unsigned long interval)
{
	samples->printer->print(samples->monitor, interval, samples->arg);
	return flush_output() ? 0 : -EIO;
}

/* SIGSTOP and SIGCONT interrupt the wait, but do not end it. */
static int wait_until(struct monitor *monitor, uint64_t deadline)
{
	int err;

	do {
		err = monitor_wait(monitor, deadline);
	} while (err == -EINTR);
	return err;
}

static int repeat(struct samples *samples)
{
	const struct samples_options *options = samples->options;
	uint64_t start = clock_now();
	unsigned long i;
	int err = flush_output() ? 0 : -EIO;

	for (i = 1; !err && (!options->count || i <= options->count); i++) {
		err = wait_until(samples->monitor, start + i * options->interval);
		if (!err)
			err = sample(samples);
		if (!err)
			err = print_sample(samples, i);
	}
	return err;
}

static int read_all(struct samples *samples)
{
	int err = sample(samples);

	if (err)
		return err;
	if (!samples->printer->start(samples->monitor, samples->arg))
		return -ECANCELED;
	if (!samples->options->interval)
		return print_sample(samples, 0);
	samples->monitor->options.event = notice_search;
	samples->monitor->options.arg = samples->monitor;
	return repeat(samples);
}

static int finish(const struct samples *samples, int err)
{
	const struct samples_options *options = samples->options;

	if (err == -ESRCH) {
		if (options->filter.pids == 1)
			complain("PID %d has ended", (int)options->filter.pid[0]);
		else
			complain("all selected VMMs have ended");
		if (options->count || !options->interval)
			return STATUS_FAILED;
	} else if (err && err != -EIO && err != -ECANCELED) {
		complain("cannot read statistics: %s", error_text(err));
	}
	if (err && err != -ESRCH)
		return STATUS_FAILED;
	return samples->complete ? STATUS_OK : STATUS_FAILED;
}

int samples_run(struct samples_options *options, const struct samples_printer *printer, void *arg)
{
	struct monitor_options monitor_options = { .filter = &options->filter };
	struct samples samples = {
		.options = options,
		.printer = printer,
		.arg = arg,
		.complete = true,
	};
	int status = STATUS_FAILED;

	if (options->count && !options->interval)
		options->interval = SECOND;
	samples.monitor = require_monitor(&monitor_options);
	if (samples.monitor && require_statistics(samples.monitor) &&
	    require_matches(samples.monitor))
		status = finish(&samples, read_all(&samples));
	monitor_close(samples.monitor);
	return status;
}

/* ---- headings ---- */

void print_heading(const struct vmm *vmm)
{
	printf("# %s: %s\n", vmm_name(vmm), vmm_summary(vmm));
}

/* ---- tables ---- */

/* The table that "kvm-stats read" prints: values and rates. */
struct report {
	bool rates;		/* print growth per second since the previous sample */
	bool base_units;	/* print seconds and bytes, not ns and KiB */
	int label_width;
	int name_width;
};

struct line {
	struct row row;
	char name[128];
	const char *unit;
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

static void print_value(const struct report *report, const struct kvmstats_stat *stat,
			uint64_t value)
{
	char scaled[64];

	if (kvmstats_stat_unit(stat) == KVMSTATS_UNIT_BOOLEAN && value <= 1)
		printf("  %20s", value ? "true" : "false");
	else if (in_base_unit(report, stat))
		printf("  %20s",
		       kvmstats_stat_scale(stat, value, scaled, sizeof(scaled)) > 0 ? scaled : "?");
	else
		printf("  %20" PRIu64, value);
}

static void print_rate(const struct report *report, const struct row *row)
{
	if (row->cleared)
		printf("  %14s", "reset");
	else if (!row->known)
		printf("  %14s", "-");
	else if (in_base_unit(report, row->stat))
		printf("  %14.6f", row->rate * stat_factor(row->stat));
	else
		printf("  %14.1f", row->rate);
}

static void print_line(const struct report *report, const struct line *line)
{
	const struct row *row = &line->row;

	printf("%-*s  %-*s", report->label_width, row->target->label, report->name_width,
	       line->name);
	print_value(report, row->stat, row->value);
	printf(report->rates ? "  %-7s" : "  %s", *line->unit ? line->unit : "-");
	if (report->rates)
		print_rate(report, row);
	putchar('\n');
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
	struct line line = { .unit = hist ? "samples" : unit };
	unsigned int n;

	for (n = 0; n < kvmstats_stat_size(stat); n++) {
		row_get_element(&line.row, target, stat, n);
		if (hist && !line.row.value && !line.row.cleared)
			continue;
		element_name(stat, n, unit, line.name, sizeof(line.name));
		print_line(report, &line);
	}
}

static void unit_text(const struct report *report, const struct kvmstats_stat *stat,
		      char *unit, size_t size)
{
	if (in_base_unit(report, stat))
		snprintf(unit, size, "%s", base_unit(stat));
	else if (kvmstats_stat_unit_text(stat, unit, size) < 0)
		snprintf(unit, size, "?");
}

static void print_stat(const struct report *report, const struct target *target,
		       const struct kvmstats_stat *stat)
{
	bool hist = kvmstats_stat_is_hist(stat);
	struct line line;
	char unit[64];

	unit_text(report, stat, unit, sizeof(unit));
	if (hist || kvmstats_stat_size(stat) == 1) {
		row_get(&line.row, target, stat);
		snprintf(line.name, sizeof(line.name), "%s", kvmstats_stat_name(stat));
		line.unit = hist ? "samples" : unit;
		print_line(report, &line);
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
static void report_measure(struct report *report, const struct monitor *monitor)
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

static void report_print(const struct report *report, const struct vmm *vmm)
{
	size_t i, j;

	printf("%-*s  %-*s  %20s  UNIT", report->label_width, "TARGET", report->name_width,
	       "STATISTIC", "VALUE");
	if (report->rates)
		printf("     %14s", "PER-SECOND");
	putchar('\n');
	for (i = 0; i < vmm->targets && flush_output(); i++) {
		const struct target *target = vmm->target[i];

		for (j = 0; j < target->set->stats; j++)
			print_stat(report, target, target->set->stat[j]);
	}
}

/* ---- kvm-stats read ---- */

struct read_options {
	struct samples_options samples;
	struct report report;
	bool json;
};

static const char usage[] =
	"Usage: kvm-stats read [OPTION]...\n"
	"\n"
	"Prints the statistics of VMs and vCPUs. With -i, prints them after each\n"
	"interval, with their growth per second.\n"
	"\n";

static bool start(const struct monitor *monitor, void *arg)
{
	struct read_options *options = arg;

	options->report.rates = options->samples.interval;
	if (options->samples.interval && monitor->options.filter->pids == 1 && !options->json)
		print_heading(monitor->vmm[0]);
	return true;
}

static void print_tables(const struct report *report, const struct monitor *monitor, bool headings)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (!vmm->targets)
			continue;
		if (headings)
			print_heading(vmm);
		report_print(report, vmm);
	}
}

static void print(const struct monitor *monitor, unsigned long interval, void *arg)
{
	struct read_options *options = arg;
	double seconds = (double)(interval * options->samples.interval) / 1e9;
	char stamp[STAMP_SIZE];
	bool many = monitor->vmms > 1 || !monitor->options.filter->pids;

	if (options->json) {
		json_print_values(monitor, interval);
		return;
	}
	if (interval)
		printf("%s# after %.1f s, %s\n", interval > 1 ? "\n" : "", seconds,
		       stamp_of(monitor->time, stamp));
	report_measure(&options->report, monitor);
	print_tables(&options->report, monitor, many || !interval);
}

static bool check_combination(const struct read_options *options)
{
	if (!options->json || !options->report.base_units)
		return true;
	complain("--json and --base-units cannot be combined: JSON has the unit of each value");
	return false;
}

#define MEMBER(member)	offsetof(struct read_options, member)

int command_read(int argc, char **argv)
{
	static const struct samples_printer printer = { .start = start, .print = print };
	static const struct command_option table[] = {
		{ 'i', "interval", "SEC", "interval in seconds, for example 1 or 0.5",
		  .kind = OPTION_SECONDS, .member = MEMBER(samples.interval), .min = 0.01 },
		{ 'c', "count", "N", "stop after N intervals (default: when all VMMs of -p end)",
		  .kind = OPTION_COUNT, .member = MEMBER(samples.count) },
		{ 'j', "json", NULL, "print JSON, one line per sample",
		  .kind = OPTION_FLAG, .member = MEMBER(json) },
		{ 'b', "base-units", NULL, "print seconds and bytes, not ns and KiB",
		  .kind = OPTION_FLAG, .member = MEMBER(report.base_units) },
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "read", .usage = usage, .table = table,
	};
	struct read_options options = { 0 };
	int status = options_parse(argc, argv, &accepted, &options, &options.samples.filter);

	if (status < 0 && !check_combination(&options))
		status = STATUS_USAGE;
	if (status < 0)
		status = samples_run(&options.samples, &printer, &options);
	filter_free(&options.samples.filter);
	return status;
}
