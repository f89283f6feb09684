// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "print/table.h"
#include "sums.h"
#include "util.h"

struct line {
	struct row row;
	char name[128];
	const char *unit;
};

static double base_factor(const struct kvmstats_stat *stat)
{
	int exponent = kvmstats_stat_exponent(stat);

	if (kvmstats_stat_base(stat) == KVMSTATS_BASE_POW2)
		return ldexp(1, exponent);
	return pow(10, exponent);
}

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
	if (row->growth == GROWTH_CLEARED)
		printf("  %14s", "reset");
	else if (row->growth != GROWTH_KNOWN)
		printf("  %14s", "-");
	else if (in_base_unit(report, row->stat))
		printf("  %14.6f", row->rate * base_factor(row->stat));
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
		if (hist && !line.row.value && line.row.growth != GROWTH_CLEARED)
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

static void measure_names(struct report *report, const struct stat_set *set)
{
	size_t i;

	for (i = 0; i < set->stats; i++)
		widen(&report->name_width, kvmstats_stat_name(set->stat[i]));
}

void report_measure(struct report *report, const struct monitor *monitor)
{
	size_t i, j;

	report->label_width = strlen("TARGET");
	report->name_width = strlen("halt_poll_success_hist[1073741824..ns]");
	for (i = 0; i < monitor->vmms; i++) {
		for (j = 0; j < monitor->vmm[i]->targets; j++)
			widen(&report->label_width, monitor->vmm[i]->target[j]->label);
	}
	for (i = 0; i < monitor->sets.sets; i++)
		measure_names(report, monitor->sets.set[i]);
}

void report_print(const struct report *report, const struct vmm *vmm)
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
