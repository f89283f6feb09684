// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "openmetrics/exposition.h"
#include "openmetrics/guests.h"
#include "openmetrics/label.h"
#include "openmetrics/metadata.h"
#include "openmetrics/number.h"
#include "openmetrics/own.h"
#include "openmetrics/series.h"
#include "openmetrics/value_sum.h"

struct openmetrics {
	const struct monitor *monitor;
	struct families families;
	struct series_list series;
	struct value_sum sum;
};

/* What all samples of one family and one series share. */
struct sample_context {
	struct text *text;
	enum exposition_format format;
	const struct family *family;
	const struct member *member;
	const char *labels;
	const struct target *const *target;
	size_t targets;
	struct value_sum *sum;
};

/* The names of the metrics that guests.c writes. */
static int reserve_names(struct openmetrics *metrics)
{
	static const char * const names[] = {
		"kvm_guest", "kvm_guest_info", "kvm_guest_up", "kvm_guest_vcpus",
	};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(names); i++)
		err = families_reserve(&metrics->families, names[i]);
	return err;
}

struct openmetrics *openmetrics_open(const struct monitor *monitor,
				     const struct openmetrics_options *options)
{
	struct openmetrics *metrics = calloc(1, sizeof(*metrics));

	if (!metrics)
		return NULL;
	metrics->monitor = monitor;
	metrics->series.per_vcpu = options->per_vcpu;
	metrics->series.identities.libvirt = options->libvirt ? options->libvirt : "/run/libvirt";
	if (!reserve_names(metrics))
		return metrics;
	openmetrics_close(metrics);
	return NULL;
}

void openmetrics_close(struct openmetrics *metrics)
{
	if (!metrics)
		return;
	families_free(&metrics->families);
	series_free(&metrics->series);
	value_sum_free(&metrics->sum);
	free(metrics);
}

static const uint64_t *sum_of(const struct sample_context *context,
			      const struct kvmstats_stat *stat)
{
	return value_sum(context->sum, context->target, context->targets, context->member->set,
			 stat);
}

/* Writes NAME_SUFFIX{LABELS,class="CLASS",EXTRA="VALUE"} and a space. @extra can be NULL. */
static void put_name(const struct sample_context *context, const char *suffix, const char *extra,
		     const char *value)
{
	struct text *text = context->text;

	text_puts(text, context->family->name);
	text_puts(text, suffix);
	text_puts(text, "{");
	text_puts(text, context->labels);
	if (context->member->class)
		put_label(text, "class", context->member->class);
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
static void put_sum(const struct sample_context *context, struct wide_sum count)
{
	const struct kvmstats_stat *sum = context->member->sum;
	const uint64_t *value = sum ? sum_of(context, sum) : NULL;

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

static void put_histogram(const struct sample_context *context, const uint64_t *values)
{
	const struct member *member = context->member;
	unsigned int size = kvmstats_stat_size(member->stat);
	struct wide_sum count = { 0 };
	unsigned int n;
	size_t next = 0;

	for (n = 0; n < size; n++) {
		wide_add(&count, values[n]);
		if (next < member->bounds && member->bound[next].bucket == n)
			put_bucket(context, member->bound[next++].le, count);
	}
	put_bucket(context, "+Inf", count);
	put_sum(context, count);
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

static void put_samples(const struct sample_context *context)
{
	const uint64_t *values = sum_of(context, context->member->stat);

	if (!values)
		return;
	/* Most guests have exits of few classes. */
	if (context->member->class && !*values)
		return;
	if (context->family->type == FAMILY_HISTOGRAM)
		put_histogram(context, values);
	else
		put_values(context, values);
}

/* Writes the samples of one series. The metadata of the family precede its first sample. */
static void put_series(struct openmetrics *metrics, const struct exposition *out,
		       const struct family *family, const struct series *series,
		       bool *has_metadata)
{
	struct metadata metadata = { family->name, family->type, family->unit, family->help };
	struct sample_context context = {
		.text = out->text, .format = out->format, .family = family,
		.labels = series_labels(&metrics->series, series),
		.target = series_targets(&metrics->series, series),
		.targets = series->targets, .sum = &metrics->sum,
	};
	size_t i;

	for (i = 0; i < family->members; i++) {
		context.member = &family->member[i];
		if (context.member->set != series->set)
			continue;
		if (!*has_metadata)
			put_metadata(out, &metadata);
		*has_metadata = true;
		put_samples(&context);
	}
}

static void put_family(struct openmetrics *metrics, const struct exposition *out,
		       const struct family *family)
{
	bool has_metadata = false;
	size_t i;

	for (i = 0; i < metrics->series.count; i++) {
		const struct series *series = &metrics->series.series[i];

		if (series->kind == family->kind)
			put_series(metrics, out, family, series, &has_metadata);
	}
}

static int update(struct openmetrics *metrics)
{
	const struct series_list *list = &metrics->series;
	int err = series_update(&metrics->series, metrics->monitor);
	size_t i;

	for (i = 0; !err && i < list->count; i++)
		err = families_add(&metrics->families, list->series[i].kind, list->series[i].set);
	return err;
}

int openmetrics_write(struct openmetrics *metrics, enum exposition_format format,
		      const struct sampling *sampling, struct text *text)
{
	struct exposition out = { .format = format, .text = text };
	enum exits_state exits = monitor_exits(metrics->monitor);
	size_t i;
	int err = update(metrics);

	if (err)
		return err;
	put_own_metrics(&out, metrics->monitor, sampling, metrics->families.left_out);
	put_exits_state(&out, exits);
	put_guests(&out, &metrics->series.identities, metrics->monitor->options.filter);
	for (i = 0; i < metrics->families.count; i++) {
		if (exits != EXITS_OFF || !metrics->families.family[i]->exits)
			put_family(metrics, &out, metrics->families.family[i]);
	}
	if (format == OPENMETRICS_1_0)
		text_puts(text, "# EOF\n");
	return text->failed ? -ENOMEM : 0;
}
