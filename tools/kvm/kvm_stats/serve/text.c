// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "serve/names.h"
#include "util.h"

/*
 * Values that are exposed together. A series of KIND_GUEST is the sum over all vCPUs of a guest.
 * The other series are those of one VM or vCPU each.
 *
 * All series have the labels of the guest. VMs and vCPUs have the label vm if their process has
 * several VMs. vCPUs have the label vcpu.
 */
struct series {
	enum kind kind;
	struct target *const *target;	/* those that are added up */
	size_t targets;
	size_t labels;		/* offset in exposition.labels of a string: "{guest=..." */
};

struct exposition {
	const struct monitor *monitor;
	const struct exposition_options *options;
	struct guest_list guests;

	/* They only grow, and are sorted by name. */
	struct metric *metric;
	size_t metrics, metric_capacity;
	size_t left_out;	/* statistics whose names conflict with another metric */

	/* Of the exposition that is being written */
	struct series *series;
	size_t count, capacity;
	char *labels;
	struct text text;
	bool failed;		/* memory is exhausted */
};

/* ---- metrics ---- */

/*
 * Whether no other statistic has the name, except for those of the same family. The exposition has
 * the statistic already if another set has one that is like this one.
 */
static bool is_new(struct exposition *exposition, const struct metric *metric)
{
	size_t i;

	for (i = 0; i < exposition->metrics; i++) {
		const struct metric *other = &exposition->metric[i];

		if (strcmp(other->name, metric->name) ||
		    (other->type == metric->type && other->unit == metric->unit &&
		     strcmp(other->label_value, metric->label_value)))
			continue;
		exposition->left_out += metric->kind != KIND_HOST &&
					!stat_is_like(other->stat, metric->stat);
		return false;
	}
	return true;
}

static void add_metric(struct exposition *exposition, enum kind kind, const struct stat_set *set,
		       const struct kvmstats_stat *stat)
{
	struct metric *metric = array_grow(exposition->metric, exposition->metrics,
					   &exposition->metric_capacity, sizeof(*metric));

	if (!metric) {
		exposition->failed = true;
		return;
	}
	exposition->metric = metric;
	metric += exposition->metrics;
	if (!metric_init(metric, kind, set, stat))
		exposition->failed = true;
	else if (is_new(exposition, metric))
		exposition->metrics++;
	else
		metric_free(metric);
}

/* Adds the statistics of a set that the filter and the options select. */
static void add_set(struct exposition *exposition, enum kind kind, const struct stat_set *set)
{
	size_t i;

	for (i = 0; i < exposition->metrics; i++) {
		if (exposition->metric[i].kind == kind && exposition->metric[i].set == set)
			return;
	}
	for (i = 0; i < set->stats; i++) {
		if (metric_is_exposed(kind, set, set->stat[i], exposition->options,
				      exposition->monitor->options.filter))
			add_metric(exposition, kind, set, set->stat[i]);
	}
}

static int compare_metrics(const void *a, const void *b)
{
	const struct metric *first = a, *second = b;
	int order = strcmp(first->name, second->name);

	return order ? order : strcmp(first->label_value, second->label_value);
}

/* ---- series ---- */

static enum kind kind_of_target(const struct target *target)
{
	return target->scope == SCOPE_VCPU ? KIND_VCPU : KIND_VM;
}

/* Adds a series of the targets from @i to @end. Writes its labels to exposition->text.to. */
static void add_series(struct exposition *exposition, const struct guest *guest, enum kind kind,
		       size_t i, size_t end)
{
	struct target *const *target = guest->vmm->target + i;
	FILE *labels = exposition->text.to;
	struct series *more;

	more = array_grow(exposition->series, exposition->count, &exposition->capacity,
			  sizeof(*more));
	if (!more) {
		exposition->failed = true;
		return;
	}
	exposition->series = more;
	more[exposition->count++] = (struct series){ kind, target, end - i, ftell(labels) };
	fputs(guest->labels, labels);
	if (kind != KIND_GUEST && guest->vmm->vms > 1)
		fprintf(labels, ",vm=\"%d\"", target[0]->vm);
	if (kind == KIND_VCPU)
		fprintf(labels, ",vcpu=\"%d\"", target[0]->vcpu);
	fputc('\0', labels);
	/* All VMs have the same statistics, and so have all vCPUs. */
	add_set(exposition, kind, target[0]->set);
	if (kind == KIND_GUEST)
		add_set(exposition, KIND_HOST, target[0]->set);
}

/* Adds the series of the VMs, and of the vCPUs, which follow the VMs. */
static void add_guest_series(struct exposition *exposition, const struct guest *guest)
{
	const struct vmm *vmm = guest->vmm;
	size_t vms = 0, i;

	for (; vms < vmm->targets && vmm->target[vms]->scope == SCOPE_VM; vms++)
		add_series(exposition, guest, KIND_VM, vms, vms + 1);
	if (vms < vmm->targets)
		add_series(exposition, guest, KIND_GUEST, vms, vmm->targets);
	for (i = vms; exposition->options->per_vcpu && i < vmm->targets; i++)
		add_series(exposition, guest, KIND_VCPU, i, i + 1);
}

/* Finds the guests, series and metrics of the last sample. */
static void update_series(struct exposition *exposition)
{
	size_t metrics = exposition->metrics, size, i;

	exposition->count = 0;
	free(exposition->labels);
	exposition->labels = NULL;
	exposition->text.to = open_memstream(&exposition->labels, &size);
	exposition->failed = !exposition->text.to ||
			     !guest_list_examine(&exposition->guests, exposition->monitor);
	for (i = 0; !exposition->failed && i < exposition->guests.count; i++)
		add_guest_series(exposition, &exposition->guests.guest[i]);
	if (exposition->text.to)
		exposition->failed |= fclose(exposition->text.to);
	if (exposition->metrics > metrics)
		qsort(exposition->metric, exposition->metrics, sizeof(*exposition->metric),
		      compare_metrics);
}

/* ---- sums ---- */

/* Returns the values in @sample of the statistic of @target that is like @stat, or NULL. */
static const uint64_t *values_in(const struct kvmstats_sample *sample, const struct target *target,
				 const struct stat_set *set, const struct kvmstats_stat *stat)
{
	const struct kvmstats_stat *own;

	if (!sample)
		return NULL;
	if (target->set == set)
		return kvmstats_sample_values(sample, stat);
	own = kvmstats_schema_find(target->set->schema, kvmstats_stat_name(stat));
	return own && stat_is_like(own, stat) ? kvmstats_sample_values(sample, own) : NULL;
}

/*
 * Adds up each value of @stat over the targets of a series that have this statistic, also in
 * another set. For a peak, takes the maximum. Returns @sum, which has room for the values, or NULL
 * if no target has values. A sum that exceeds 64 bits starts again at 0, like a counter that was
 * reset.
 */
static const uint64_t *add_up(const struct series *series, const struct stat_set *set,
			      const struct kvmstats_stat *stat, uint64_t *sum)
{
	bool peak = kvmstats_stat_type(stat) == KVMSTATS_TYPE_PEAK, found = false;
	size_t size = kvmstats_stat_size(stat), i, n;

	memset(sum, 0, size * sizeof(*sum));
	for (i = 0; i < series->targets; i++) {
		const struct target *target = series->target[i];
		const uint64_t *values = values_in(target->now, target, set, stat);

		for (n = 0; values && n < size; n++) {
			if (!peak)
				sum[n] += values[n];
			else if (values[n] > sum[n])
				sum[n] = values[n];
		}
		found |= !!values;
	}
	return found ? sum : NULL;
}

/*
 * Adds what the values of each target have grown since its previous sample. A sum over the values
 * themselves would shrink when a guest ends, and Prometheus would take that for a reset.
 */
static void grow_total(struct exposition *exposition, struct metric *metric)
{
	size_t size = kvmstats_stat_size(metric->stat), n;
	const struct target *target;

	for_each_target(target, exposition->monitor) {
		const uint64_t *now, *before;

		if (kind_of_target(target) == KIND_VM)
			continue;
		now = values_in(target->now, target, metric->set, metric->stat);
		before = values_in(target->before, target, metric->set, metric->stat);
		for (n = 0; now && before && n < size; n++)
			metric->value[n] += now[n] > before[n] ? now[n] - before[n] : 0;
	}
}

/* ---- samples of statistics ---- */

/* A metric of one series. */
struct sample {
	struct exposition *exposition;
	const struct series *series;
	const struct metric *metric;
};

/* Writes NAME_SUFFIX{LABELS,class="CLASS",EXTRA="VALUE"} and a space. @extra can be NULL. */
static void put_sample_name(const struct sample *sample, const char *suffix, const char *extra,
			    const char *value)
{
	const struct metric *metric = sample->metric;
	FILE *to = sample->exposition->text.to;
	char before = '{';

	fputs(metric->name, to);
	fputs(suffix, to);
	if (metric->kind != KIND_HOST) {
		fputs(sample->exposition->labels + sample->series->labels, to);
		before = ',';
	}
	if (metric->label) {
		put_label(to, before, metric->label, metric->label_value);
		before = ',';
	}
	if (extra) {
		put_label(to, before, extra, value);
		before = ',';
	}
	fputs(before == ',' ? "} " : " ", to);
}

static void put_scaled_value(const struct sample *sample, const struct kvmstats_stat *stat,
			     uint64_t value)
{
	FILE *to = sample->exposition->text.to;
	char buf[SCALED_SIZE];

	if (sample->metric->page_size)
		fprintf(to, "%" PRIu64, value * sample->metric->page_size);
	else
		fputs(stat_scaled(stat, value, buf), to);
	fputc('\n', to);
}

static void put_hist_count(const struct sample *sample, const char *suffix, const char *le,
			   uint64_t count)
{
	put_sample_name(sample, suffix, le ? "le" : NULL, le);
	fprintf(sample->exposition->text.to, "%" PRIu64 "\n", count);
}

static void put_histogram(const struct sample *sample, const uint64_t *values)
{
	const struct metric *metric = sample->metric;
	unsigned int size = kvmstats_stat_size(metric->stat), n;
	const uint64_t *sum = NULL;
	uint64_t count = 0, memory;
	size_t next = 0;

	for (n = 0; n < size; n++) {
		/* No kernel counts that far, but a bucket must not have more than the next one. */
		if (__builtin_add_overflow(count, values[n], &count))
			count = UINT64_MAX;
		if (next < metric->bounds && metric->bound[next].bucket == n)
			put_hist_count(sample, "_bucket", metric->bound[next++].le, count);
	}
	put_hist_count(sample, "_bucket", "+Inf", count);
	if (metric->sum && metric->kind != KIND_HOST)
		sum = add_up(sample->series, metric->set, metric->sum, &memory);
	if (sum) {
		put_sample_name(sample, "_sum", NULL, NULL);
		put_scaled_value(sample, metric->sum, *sum);
	}
	/* OpenMetrics allows _count only together with _sum. The text format always has it. */
	if (sum || sample->exposition->text.format == PROMETHEUS_TEXT_0_0_4)
		put_hist_count(sample, "_count", NULL, count);
}

/* No current kernel has statistics with several values that are not histograms. */
static void put_values(const struct sample *sample, const uint64_t *values)
{
	const struct kvmstats_stat *stat = sample->metric->stat;
	const char *suffix = type_names[sample->metric->type].suffix;
	unsigned int size = kvmstats_stat_size(stat);
	char index[16];
	unsigned int n;

	for (n = 0; n < size; n++) {
		snprintf(index, sizeof(index), "%u", n);
		put_sample_name(sample, suffix, size > 1 ? "index" : NULL, index);
		put_scaled_value(sample, stat, values[n]);
	}
}

static void put_sample(const struct sample *sample)
{
	const struct metric *metric = sample->metric;
	const uint64_t *values = metric->value;

	if (metric->kind != KIND_HOST)
		values = add_up(sample->series, metric->set, metric->stat, metric->value);
	/* Most guests have exits of few classes. */
	if (!values || (metric->exits && metric->label && !*values))
		return;
	if (metric->type == METRIC_HISTOGRAM)
		put_histogram(sample, values);
	else
		put_values(sample, values);
}

static void put_metric(struct exposition *exposition, const struct metric *metric)
{
	const struct series host = { .kind = KIND_HOST };
	struct sample sample = { exposition, &host, metric };
	size_t i;

	if (metric->kind == KIND_HOST)
		put_sample(&sample);
	for (i = 0; i < exposition->count; i++) {
		sample.series = &exposition->series[i];
		if (sample.series->kind == metric->kind)
			put_sample(&sample);
	}
}

/* Metrics of which no target is left have metadata only. */
static void put_metrics(struct exposition *exposition, bool exits_are_off)
{
	const char *last = "", *help, *more;
	size_t i;

	for (i = 0; i < exposition->metrics; i++) {
		const struct metric *metric = &exposition->metric[i];

		if (exits_are_off && metric->exits)
			continue;
		if (strcmp(last, metric->name)) {
			help = metric_help(metric, &more);
			put_metadata(&exposition->text, metric->name, metric->type, metric->unit,
				     help, more);
		}
		last = metric->name;
		put_metric(exposition, metric);
	}
}

/* ---- the exposition ---- */

/* Whether KVM counts how long vCPUs wait for a CPU. Otherwise the scheduler's count is exposed. */
static bool counts_waiting(const struct monitor *monitor)
{
	const struct kvmstats_schema *schema =
		kvmstats_host_schema(monitor->host, KVMSTATS_KIND_VCPU);

	return schema && kvmstats_schema_find(schema, "run_delay_ns");
}

struct exposition *exposition_new(const struct monitor *monitor,
				  const struct exposition_options *options)
{
	struct exposition *exposition = calloc(1, sizeof(*exposition));

	if (exposition)
		*exposition = (struct exposition){ .monitor = monitor, .options = options };
	return exposition;
}

void exposition_free(struct exposition *exposition)
{
	if (!exposition)
		return;
	while (exposition->metrics)
		metric_free(&exposition->metric[--exposition->metrics]);
	free(exposition->metric);
	free(exposition->series);
	free(exposition->labels);
	guest_list_free(&exposition->guests);
	free(exposition);
}

int exposition_update(struct exposition *exposition)
{
	size_t i;

	update_series(exposition);
	for (i = 0; !exposition->failed && i < exposition->metrics; i++) {
		if (exposition->metric[i].kind == KIND_HOST)
			grow_total(exposition, &exposition->metric[i]);
	}
	return exposition->failed ? -ENOMEM : 0;
}

int exposition_write(struct exposition *exposition, enum exposition_format format,
		     const struct sampling *sampling, FILE *to)
{
	const struct monitor *monitor = exposition->monitor;
	const struct guest_list *guests = &exposition->guests;
	bool waiting = !counts_waiting(monitor);

	exposition->text = (struct text){ .to = to, .format = format };
	put_own(&exposition->text, sampling, monitor, exposition->left_out);
	put_host(&exposition->text, guests, monitor, waiting);
	put_guests(&exposition->text, guests, exposition->options->metrics, waiting);
	if (sampling->evidence)
		put_verdicts(&exposition->text, guests, sampling->evidence);
	put_metrics(exposition, monitor_exits(monitor) == EXITS_OFF);
	if (format == OPENMETRICS_1_0)
		fputs("# EOF\n", to);
	return ferror(to) ? -ENOMEM : 0;
}
