// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics/exposition.h"
#include "openmetrics/label.h"
#include "openmetrics/metadata.h"
#include "openmetrics/number.h"
#include "openmetrics/series.h"
#include "openmetrics/vmms.h"

struct openmetrics {
	const struct monitor *monitor;
	struct families families;
	struct series_list series;
};

/* What all samples of one family and one VM or vCPU share. */
struct sample_context {
	struct text *text;
	enum exposition_format format;
	const struct family *family;
	const struct member *member;
	const char *labels;
};

struct openmetrics *openmetrics_open(const struct monitor *monitor)
{
	struct openmetrics *metrics = calloc(1, sizeof(*metrics));

	if (metrics)
		metrics->monitor = monitor;
	return metrics;
}

void openmetrics_close(struct openmetrics *metrics)
{
	if (!metrics)
		return;
	families_free(&metrics->families);
	series_free(&metrics->series);
	free(metrics);
}

/* Writes NAME_SUFFIX{LABELS,EXTRA="VALUE"} and a space. @extra can be NULL. */
static void put_name(const struct sample_context *context, const char *suffix, const char *extra,
		     const char *value)
{
	struct text *text = context->text;

	text_puts(text, context->family->name);
	text_puts(text, suffix);
	text_puts(text, "{");
	text_puts(text, context->labels);
	if (extra)
		put_label(text, extra, value);
	text_puts(text, "} ");
}

static void put_scaled(const struct sample_context *context, const struct kvmstats_stat *stat,
		       uint64_t value)
{
	char buf[SCALED_SIZE];

	text_puts(context->text, member_scale(context->member, stat, value, buf));
	text_puts(context->text, "\n");
}

static void put_bucket(const struct sample_context *context, const char *le, struct wide_sum count)
{
	put_name(context, "_bucket", "le", le);
	put_wide(context->text, count);
	text_puts(context->text, "\n");
}

/* OpenMetrics allows _count only together with _sum. The text format always has _count. */
static void put_sum(const struct sample_context *context, const struct target *target,
		    struct wide_sum count)
{
	const struct kvmstats_stat *sum = context->member->sum;
	const uint64_t *value = sum ? kvmstats_sample_values(target->now, sum) : NULL;

	if (value) {
		put_name(context, "_sum", NULL, NULL);
		put_scaled(context, sum, *value);
	}
	if (!value && context->format == OPENMETRICS_1_0)
		return;
	put_name(context, "_count", NULL, NULL);
	put_wide(context->text, count);
	text_puts(context->text, "\n");
}

static void put_histogram(const struct sample_context *context, const struct target *target,
			  const uint64_t *values)
{
	const struct member *member = context->member;
	unsigned int size = kvmstats_stat_size(member->stat);
	struct wide_sum count = { 0 };
	unsigned int n;

	for (n = 0; n < size; n++) {
		wide_add(&count, values[n]);
		if (n < member->bounds)
			put_bucket(context, member->bound[n], count);
	}
	put_bucket(context, "+Inf", count);
	put_sum(context, target, count);
}

/* No current kernel has statistics with several values that are not histograms. */
static void put_values(const struct sample_context *context, const uint64_t *values)
{
	const struct kvmstats_stat *stat = context->member->stat;
	const char *suffix = context->family->type == FAMILY_COUNTER ? "_total" : "";
	unsigned int size = kvmstats_stat_size(stat);
	char index[16];
	unsigned int n;

	for (n = 0; n < size; n++) {
		snprintf(index, sizeof(index), "%u", n);
		put_name(context, suffix, size > 1 ? "index" : NULL, index);
		put_scaled(context, stat, values[n]);
	}
}

static void put_samples(const struct sample_context *context, const struct target *target)
{
	const uint64_t *values = kvmstats_sample_values(target->now, context->member->stat);

	if (!values)
		return;
	if (context->family->type == FAMILY_HISTOGRAM)
		put_histogram(context, target, values);
	else
		put_values(context, values);
}

static void put_family(const struct openmetrics *metrics, const struct exposition *out,
		       const struct family *family)
{
	struct metadata metadata = { family->name, family->type, family->unit, family->help };
	bool has_metadata = false;
	size_t i;

	for (i = 0; i < metrics->series.count; i++) {
		const struct series *series = &metrics->series.series[i];
		struct sample_context context = {
			.text = out->text, .format = out->format, .family = family,
		};

		if (series->kind != family->kind)
			continue;
		context.member = family_member(family, series->target->set);
		if (!context.member)
			continue;
		if (!has_metadata)
			put_metadata(out, &metadata);
		has_metadata = true;
		context.labels = series_labels(&metrics->series, series);
		put_samples(&context, series->target);
	}
}

static int update(struct openmetrics *metrics)
{
	int err = series_update(&metrics->series, metrics->monitor);
	size_t i;

	for (i = 0; !err && i < metrics->series.count; i++)
		err = families_add(&metrics->families, metrics->series.series[i].kind,
				   metrics->series.series[i].target->set);
	return err;
}

int openmetrics_write(struct openmetrics *metrics, enum exposition_format format,
		      const struct sampling *sampling, struct text *text)
{
	struct exposition out = { .format = format, .text = text };
	size_t i;
	int err = update(metrics);

	if (err)
		return err;
	put_monitor_metrics(&out, metrics->monitor, sampling, metrics->families.left_out);
	for (i = 0; i < metrics->families.count; i++)
		put_family(metrics, &out, metrics->families.family[i]);
	if (format == OPENMETRICS_1_0)
		text_puts(text, "# EOF\n");
	return text->failed ? -ENOMEM : 0;
}
