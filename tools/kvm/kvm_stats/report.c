// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

/* One line of the table. */
struct row {
	const struct source *source;
	const struct kvmstats_stat *stat;
	char name[128];
	const char *unit;
};

static double base_factor(const struct kvmstats_stat *stat)
{
	int exponent = kvmstats_stat_exponent(stat);

	return kvmstats_stat_base(stat) == KVMSTATS_POW2 ? ldexp(1, exponent) : pow(10, exponent);
}

static const char *base_unit(const struct kvmstats_stat *stat)
{
	switch (kvmstats_stat_unit(stat)) {
	case KVMSTATS_BYTES:
		return "B";
	case KVMSTATS_SECONDS:
		return "s";
	default:
		return NULL;
	}
}

/* Only what is a size or a time has whole units to be told in. */
static bool scales(const struct report *report, const struct kvmstats_stat *stat)
{
	return report->whole_units && base_unit(stat) && !kvmstats_stat_is_hist(stat) &&
	       kvmstats_base_name(kvmstats_stat_base(stat));
}

static void print_value(const struct report *report, const struct kvmstats_stat *stat,
			uint64_t value)
{
	char scaled[64];

	if (kvmstats_stat_unit(stat) == KVMSTATS_BOOLEAN && value <= 1)
		printf("  %20s", value ? "true" : "false");
	else if (scales(report, stat))
		printf("  %20s",
		       kvmstats_stat_scale(stat, value, scaled, sizeof(scaled)) > 0 ? scaled : "?");
	else
		printf("  %20" PRIu64, value);
}

static void print_rate(const struct report *report, const struct kvmstats_stat *stat,
		       int err, double rate)
{
	if (err == -ESTALE)
		printf("  %14s", "reset");
	else if (err)
		printf("  %14s", "-");
	else if (scales(report, stat))
		printf("  %14.6f", rate * base_factor(stat));
	else
		printf("  %14.1f", rate);
}

static void print_row(const struct report *report,
		      const struct row *row, uint64_t value, int rate_err, double rate)
{
	printf("%-*s  %-*s", report->label_width, row->source->label, report->name_width,
	       row->name);
	print_value(report, row->stat, value);
	printf(report->rates ? "  %-7s" : "  %s", *row->unit ? row->unit : "-");
	if (report->rates)
		print_rate(report, row->stat, rate_err, rate);
	putchar('\n');
}

static int element_rate(const struct source *source, const struct kvmstats_stat *stat,
			unsigned int n, double *rate)
{
	*rate = 0;
	return kvmstats_rate(source->before, source->now, stat, n, rate);
}

/* "halt_wait_hist[1024..2047ns]"; an array of an unknown kind is "name[3]". */
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

static void print_elements(const struct report *report,
			   const struct source *source, const struct kvmstats_stat *stat,
			   const char *unit)
{
	bool hist = kvmstats_stat_is_hist(stat);
	struct row row = { .source = source, .stat = stat, .unit = hist ? "samples" : unit };
	unsigned int n;

	for (n = 0; n < kvmstats_stat_size(stat); n++) {
		uint64_t value = 0;
		double rate;
		int err = element_rate(source, stat, n, &rate);

		kvmstats_sample_value(source->now, stat, n, &value);
		if (hist && !value && err != -ESTALE)
			continue;
		element_name(stat, n, unit, row.name, sizeof(row.name));
		print_row(report, &row, value, err, rate);
	}
}

static void print_hist_total(const struct report *report,
			     const struct source *source, const struct kvmstats_stat *stat)
{
	struct row row = { .source = source, .stat = stat, .unit = "samples" };
	uint64_t total = 0;
	double rates = 0;
	int err = 0;
	unsigned int n;

	for (n = 0; n < kvmstats_stat_size(stat); n++) {
		uint64_t value = 0;
		double rate;
		int why = element_rate(source, stat, n, &rate);

		kvmstats_sample_value(source->now, stat, n, &value);
		total += value;
		rates += rate;
		if (why)
			err = why;
	}
	snprintf(row.name, sizeof(row.name), "%s", kvmstats_stat_name(stat));
	print_row(report, &row, total, err, rates);
}

static void unit_text(const struct report *report, const struct kvmstats_stat *stat,
		      char *unit, size_t size)
{
	if (scales(report, stat))
		snprintf(unit, size, "%s", base_unit(stat));
	else if (kvmstats_stat_unit_text(stat, unit, size) < 0)
		snprintf(unit, size, "?");
}

static void print_stat(const struct report *report,
		       const struct source *source, const struct kvmstats_stat *stat)
{
	struct row row = { .source = source, .stat = stat };
	uint64_t value = 0;
	char unit[64];
	double rate;
	int err;

	unit_text(report, stat, unit, sizeof(unit));
	if (kvmstats_stat_is_hist(stat))
		print_hist_total(report, source, stat);
	if (kvmstats_stat_is_hist(stat) || kvmstats_stat_size(stat) > 1) {
		print_elements(report, source, stat, unit);
		return;
	}
	err = element_rate(source, stat, 0, &rate);
	kvmstats_sample_value(source->now, stat, 0, &value);
	snprintf(row.name, sizeof(row.name), "%s", kvmstats_stat_name(stat));
	row.unit = unit;
	print_row(report, &row, value, err, rate);
}

static void widen(int *width, const char *text)
{
	int len = (int)strlen(text);

	if (len > *width)
		*width = len;
}

/* False if nothing of what there is has been asked for. */
bool report_measure(struct report *report, const struct session *session)
{
	bool any = false;
	size_t i, j;

	report->label_width = strlen("TARGET");
	report->name_width = strlen("halt_poll_success_hist[1073741824..ns]");
	for (i = 0; i < session->sources; i++)
		widen(&report->label_width, session->source[i].label);
	for (i = 0; i < session->schemas; i++) {
		for (j = 0; j < kvmstats_schema_count(session->schema[i]); j++) {
			const struct kvmstats_stat *stat;

			stat = kvmstats_schema_stat(session->schema[i], j);
			if (!filter_takes_stat(report->filter, stat))
				continue;
			any = true;
			widen(&report->name_width, kvmstats_stat_name(stat));
		}
	}
	return any || !report->filter->has_regex;
}

void report_print(const struct report *report, const struct session *session)
{
	size_t i, j;

	printf("%-*s  %-*s  %20s  UNIT", report->label_width, "TARGET", report->name_width,
	       "STATISTIC", "VALUE");
	if (report->rates)
		printf("     %14s", "PER-SECOND");
	putchar('\n');
	for (i = 0; i < session->sources; i++) {
		const struct source *source = &session->source[i];

		for (j = 0; j < kvmstats_schema_count(source->schema); j++) {
			const struct kvmstats_stat *stat = kvmstats_schema_stat(source->schema, j);

			if (filter_takes_stat(report->filter, stat))
				print_stat(report, source, stat);
		}
	}
}
