// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openmetrics.h"
#include "openmetrics_head.h"
#include "openmetrics_series.h"
#include "openmetrics_vmm.h"

struct openmetrics {
	const struct monitor *monitor;
	struct families families;
	struct series_list series;
};

/* What the samples of one family of one VM or vCPU have in common. */
struct place {
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

/* NAME_SUFFIX{LABELS,EXTRA="VALUE"} with a space behind; @extra may be NULL. */
static void put_name(const struct place *place, const char *suffix, const char *extra,
		     const char *value)
{
	struct text *text = place->text;

	text_puts(text, place->family->name);
	text_puts(text, suffix);
	text_puts(text, "{");
	text_puts(text, place->labels);
	if (extra)
		text_put_label(text, extra, value);
	text_puts(text, "} ");
}

static void put_scaled(const struct place *place, const struct kvmstats_stat *stat, uint64_t value)
{
	char buf[SCALED_SIZE];

	text_puts(place->text, member_scale(place->member, stat, value, buf));
	text_puts(place->text, "\n");
}

static void put_bucket(const struct place *place, const char *le, struct wide_sum count)
{
	put_name(place, "_bucket", "le", le);
	text_put_wide(place->text, count);
	text_puts(place->text, "\n");
}

/* OpenMetrics has _count beside _sum only, the text format at any rate. */
static void put_sum(const struct place *place, const struct target *target,
		    struct wide_sum count)
{
	const struct kvmstats_stat *sum = place->member->sum;
	const uint64_t *value = sum ? kvmstats_sample_values(target->now, sum) : NULL;

	if (value) {
		put_name(place, "_sum", NULL, NULL);
		put_scaled(place, sum, *value);
	}
	if (!value && place->format == OPENMETRICS_1_0)
		return;
	put_name(place, "_count", NULL, NULL);
	text_put_wide(place->text, count);
	text_puts(place->text, "\n");
}

static void put_histogram(const struct place *place, const struct target *target,
			  const uint64_t *values)
{
	const struct member *member = place->member;
	unsigned int size = kvmstats_stat_size(member->stat);
	struct wide_sum count = { 0 };
	unsigned int n;

	for (n = 0; n < size; n++) {
		wide_add(&count, values[n]);
		if (n < member->bounds)
			put_bucket(place, member->bound[n], count);
	}
	put_bucket(place, "+Inf", count);
	put_sum(place, target, count);
}

/* Several values are had by statistics of later kernels only, so far. */
static void put_values(const struct place *place, const uint64_t *values)
{
	const struct kvmstats_stat *stat = place->member->stat;
	const char *suffix = place->family->type == FAMILY_COUNTER ? "_total" : "";
	unsigned int size = kvmstats_stat_size(stat);
	char index[16];
	unsigned int n;

	for (n = 0; n < size; n++) {
		snprintf(index, sizeof(index), "%u", n);
		put_name(place, suffix, size > 1 ? "index" : NULL, index);
		put_scaled(place, stat, values[n]);
	}
}

static void put_samples(const struct place *place, const struct target *target)
{
	const uint64_t *values = kvmstats_sample_values(target->now, place->member->stat);

	if (!values)
		return;
	if (place->family->type == FAMILY_HISTOGRAM)
		put_histogram(place, target, values);
	else
		put_values(place, values);
}

static void put_family(const struct openmetrics *metrics, const struct head_writer *to,
		       const struct family *family)
{
	struct head head = { family->name, family->type, family->unit, family->help };
	bool has_head = false;
	size_t i;

	for (i = 0; i < metrics->series.count; i++) {
		const struct series *series = &metrics->series.series[i];
		struct place place = {
			.text = to->text, .format = to->format, .family = family,
		};

		if (series->kind != family->kind)
			continue;
		place.member = family_member(family, series->target->set);
		if (!place.member)
			continue;
		if (!has_head)
			put_head(to, &head);
		has_head = true;
		place.labels = series_labels(&metrics->series, series);
		put_samples(&place, series->target);
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
	struct head_writer to = { .format = format, .text = text };
	size_t i;
	int err = update(metrics);

	if (err)
		return err;
	put_own_metrics(&to, metrics->monitor, sampling, metrics->families.left_out);
	for (i = 0; i < metrics->families.count; i++)
		put_family(metrics, &to, metrics->families.family[i]);
	if (format == OPENMETRICS_1_0)
		text_puts(text, "# EOF\n");
	return text->failed ? -ENOMEM : 0;
}
