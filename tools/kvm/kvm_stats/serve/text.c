// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "proc.h"
#include "serve/names.h"
#include "util.h"

/*
 * Values that are exposed together. A series of KIND_GUEST is the sum over all vCPUs of a guest.
 * The other series are those of one VM or vCPU each. If a process has several VMs, the kernel does
 * not report which of them a vCPU belongs to: then the vCPUs with the same ID have one series
 * together, their sum.
 *
 * All series have the labels of the guest. VMs have the label vm if their process has several.
 * vCPUs have the label vcpu.
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
	struct guest *guests;	/* one for each of monitor->vmm */

	/* They only grow, and are sorted by name. */
	struct metric *metric;
	size_t metrics, metric_capacity;
	size_t left_out;	/* statistics whose names conflict with another metric */

	/* Of the exposition that is being written */
	struct series *series;
	size_t count, capacity;
	char *labels;
	enum exposition_format format;
	FILE *to;
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

static enum kind kind_of(const struct target *target)
{
	if (target->origin == ORIGIN_DEBUGFS)
		return KIND_DEBUGFS;
	return target->scope == SCOPE_VCPU ? KIND_VCPU : KIND_VM;
}

/* Adds a series of the targets from @i to @end. Writes its labels to exposition->to. */
static void add_series(struct exposition *exposition, const struct guest *guest, enum kind kind,
		       size_t i, size_t end)
{
	struct target *const *target = guest->vmm->target + i;
	FILE *labels = exposition->to;
	struct series *more;

	more = array_grow(exposition->series, exposition->count, &exposition->capacity,
			  sizeof(*more));
	if (!more) {
		exposition->failed = true;
		return;
	}
	exposition->series = more;
	more[exposition->count++] = (struct series){ kind, target, end - i, ftell(labels) };
	put_guest_labels(labels, guest);
	if (target[0]->scope == SCOPE_VM && guest->vmm->vms > 1 && target[0]->vm >= 0)
		fprintf(labels, ",vm=\"%d\"", target[0]->vm);
	if (kind == KIND_VCPU)
		fprintf(labels, ",vcpu=\"%d\"", target[0]->vcpu);
	fputc('\0', labels);
	for (; i < end; i++, target++) {
		if (i + 1 < end && target[1]->set == target[0]->set)
			continue;
		add_set(exposition, kind, target[0]->set);
		/* The sums of the host include those of VMs that only debugfs has. */
		if (kind == KIND_GUEST || kind == KIND_DEBUGFS)
			add_set(exposition, KIND_HOST, target[0]->set);
	}
}

/* Adds the series of the VMs, and of the vCPUs, which follow the VMs and are sorted by ID. */
static void add_guest(struct exposition *exposition, const struct guest *guest)
{
	const struct vmm *vmm = guest->vmm;
	size_t vms = 0, i, end;

	for (; vms < vmm->targets && kind_of(vmm->target[vms]) != KIND_VCPU; vms++)
		add_series(exposition, guest, kind_of(vmm->target[vms]), vms, vms + 1);
	/* While a vCPU is missing, the sum would be too small, and then seem to grow. */
	if (vms < vmm->targets && !vmm->unread.vcpus)
		add_series(exposition, guest, KIND_GUEST, vms, vmm->targets);
	for (i = vms; exposition->options->per_vcpu && i < vmm->targets; i = end) {
		for (end = i + 1; end < vmm->targets; end++) {
			if (vmm->target[end]->vcpu != vmm->target[i]->vcpu)
				break;
		}
		add_series(exposition, guest, KIND_VCPU, i, end);
	}
}

/* Finds the guests, series and metrics of the last sample. */
static void update(struct exposition *exposition)
{
	size_t metrics = exposition->metrics, size, i;

	exposition->count = 0;
	free(exposition->labels);
	exposition->labels = NULL;
	exposition->to = open_memstream(&exposition->labels, &size);
	exposition->failed = !exposition->to ||
			     !examine_guests(&exposition->guests, exposition->monitor);
	for (i = 0; !exposition->failed && i < exposition->monitor->vmms; i++)
		add_guest(exposition, &exposition->guests[i]);
	if (exposition->to)
		exposition->failed |= fclose(exposition->to);
	if (exposition->metrics > metrics)
		qsort(exposition->metric, exposition->metrics, sizeof(*exposition->metric),
		      compare_metrics);
}

/* ---- sums ---- */

/* Returns the values in @sample of the statistic of @target that is like @stat, or NULL. */
static const uint64_t *values_in(const struct kvmstats_sample *sample, const struct target *target,
				 const struct stat_set *set, const struct kvmstats_stat *stat)
{
	const struct kvmstats_stat *own = stat;

	if (target->set != set)
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

		if (kind_of(target) == KIND_VM)
			continue;
		now = values_in(target->now, target, metric->set, metric->stat);
		before = values_in(target->before, target, metric->set, metric->stat);
		for (n = 0; now && before && n < size; n++)
			metric->value[n] += now[n] > before[n] ? now[n] - before[n] : 0;
	}
}

/* ---- the lines before the samples of a metric ---- */

static void put_metadata(const struct exposition *exposition, const char *name,
			 enum metric_type type, const char *unit, const char *help,
			 const char *more)
{
	bool openmetrics = exposition->format == OPENMETRICS_1_0;
	const struct type_name *names = &type_names[type];
	const char *suffix = openmetrics ? "" : names->suffix;

	fprintf(exposition->to, "# HELP %s%s %s%s\n# TYPE %s%s %s\n", name, suffix, help,
		more, name, suffix, openmetrics ? names->openmetrics : names->text);
	if (unit && openmetrics)
		fprintf(exposition->to, "# UNIT %s %s\n", name, unit);
}

/* ---- samples of statistics ---- */

/* A metric of one series. */
struct sample {
	struct exposition *exposition;
	const struct series *series;
	const struct metric *metric;
};

/* Writes NAME_SUFFIX{LABELS,class="CLASS",EXTRA="VALUE"} and a space. @extra can be NULL. */
static void put_name(const struct sample *sample, const char *suffix, const char *extra,
		     const char *value)
{
	const struct metric *metric = sample->metric;
	FILE *to = sample->exposition->to;
	char before = '{';

	fprintf(to, "%s%s", metric->name, suffix);
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

static void put_scaled(const struct sample *sample, const struct kvmstats_stat *stat,
		       uint64_t value)
{
	FILE *to = sample->exposition->to;
	char buf[SCALED_SIZE];

	if (sample->metric->page_size)
		fprintf(to, "%" PRIu64 "\n", value * sample->metric->page_size);
	else
		fprintf(to, "%s\n", stat_scaled(stat, value, buf));
}

static void put_count(const struct sample *sample, const char *suffix, const char *le,
		      uint64_t count)
{
	put_name(sample, suffix, le ? "le" : NULL, le);
	fprintf(sample->exposition->to, "%" PRIu64 "\n", count);
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
			put_count(sample, "_bucket", metric->bound[next++].le, count);
	}
	put_count(sample, "_bucket", "+Inf", count);
	if (metric->sum && metric->kind != KIND_HOST)
		sum = add_up(sample->series, metric->set, metric->sum, &memory);
	if (sum) {
		put_name(sample, "_sum", NULL, NULL);
		put_scaled(sample, metric->sum, *sum);
	}
	/* OpenMetrics allows _count only together with _sum. The text format always has it. */
	if (sum || sample->exposition->format == PROMETHEUS_TEXT_0_0_4)
		put_count(sample, "_count", NULL, count);
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
		put_name(sample, suffix, size > 1 ? "index" : NULL, index);
		put_scaled(sample, stat, values[n]);
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
		struct metric *metric = &exposition->metric[i];

		if (metric->kind == KIND_HOST)
			grow_total(exposition, metric);
		if (exits_are_off && metric->exits)
			continue;
		if (strcmp(last, metric->name)) {
			help = metric_help(metric, &more);
			put_metadata(exposition, metric->name, metric->type, metric->unit, help,
				     more);
		}
		last = metric->name;
		put_metric(exposition, metric);
	}
}

/* ---- metrics about guests ---- */

static void put_gauge(const struct exposition *exposition, const char *name, const char *help)
{
	put_metadata(exposition, name, METRIC_GAUGE, NULL, help, "");
}

/* Writes NAME{LABELS,error="ERROR"} NUMBER. @error can be NULL. */
static void put_of_guest(FILE *to, const char *name, const struct guest *guest, const char *error,
			 size_t number)
{
	fputs(name, to);
	put_guest_labels(to, guest);
	if (error)
		put_label(to, ',', "error", error);
	fprintf(to, "} %zu\n", number);
}

static void put_info(FILE *to, const struct guest *guest)
{
	const struct vmm *vmm = guest->vmm;
	char pid[16] = "";

	if (vmm->pid)
		snprintf(pid, sizeof(pid), "%d", (int)vmm->pid);
	fputs("kvm_guest_info", to);
	put_guest(to, guest);
	put_label(to, ',', "pid", pid);
	put_label(to, ',', "vmm", vmm->comm ? vmm->comm : "");
	put_label(to, ',', "source", vmm_sources(vmm));
	fputs("} 1\n", to);
}

static void put_guests(const struct exposition *exposition)
{
	const struct guest *begin = exposition->guests, *guest;
	const struct guest *end = begin + exposition->monitor->vmms;
	FILE *to = exposition->to;

	put_gauge(exposition, "kvm_guest_up",
		  "1 if kvm-stats can read the statistics of all selected vCPUs of the guest.");
	for (guest = begin; guest < end; guest++)
		put_of_guest(to, "kvm_guest_up", guest, NULL, !*guest->error);
	put_gauge(exposition, "kvm_guest_unreadable",
		  "Why kvm_guest_up is 0. Other guests do not have the metric.");
	for (guest = begin; guest < end; guest++) {
		if (*guest->error)
			put_of_guest(to, "kvm_guest_unreadable", guest, guest->error, 1);
	}
	put_metadata(exposition, "kvm_guest", METRIC_INFO, NULL,
		     "PID and name of the VMM, and source of the statistics.", "");
	for (guest = begin; guest < end; guest++)
		put_info(to, guest);
	put_gauge(exposition, "kvm_guest_vcpus", "Number of vCPUs of the guest.");
	for (guest = begin; guest < end; guest++)
		put_of_guest(to, "kvm_guest_vcpus", guest, NULL, guest->vmm->vcpus);
	put_gauge(exposition, "kvm_guest_vmm_running",
		  "0 if the main thread of the VMM is stopped, or in uninterruptible sleep.");
	for (guest = begin; guest < end; guest++) {
		if (guest->state != VMM_UNKNOWN)
			put_of_guest(to, "kvm_guest_vmm_running", guest, NULL,
				     guest->state == VMM_RUNS);
	}
}

/* The memory exceeds the number of series that --metrics=minimal has for a guest. */
static void put_processes(const struct exposition *exposition)
{
	const struct guest *begin = exposition->guests, *guest;
	const struct guest *end = begin + exposition->monitor->vmms;
	FILE *to = exposition->to;

	put_metadata(exposition, "kvm_guest_cpu_seconds", METRIC_COUNTER, "seconds",
		     "CPU time of all threads of the VMM, including the time in the guest.", "");
	for (guest = begin; guest < end; guest++) {
		if (guest->state == VMM_UNKNOWN)
			continue;
		fputs("kvm_guest_cpu_seconds_total", to);
		put_guest_labels(to, guest);
		fprintf(to, "} %" PRIu64 ".%02" PRIu64 "\n", guest->cpu_time / SECOND,
			guest->cpu_time % SECOND / (SECOND / 100));
	}
	if (exposition->options->metrics == METRICS_MINIMAL)
		return;
	put_metadata(exposition, "kvm_guest_memory_bytes", METRIC_GAUGE, "bytes",
		     "Resident memory of the VMM, including that of the guest.", "");
	for (guest = begin; guest < end; guest++) {
		if (guest->state != VMM_UNKNOWN)
			put_of_guest(to, "kvm_guest_memory_bytes", guest, NULL, guest->memory);
	}
}

/* ---- metrics about the host ---- */

/* Writes one sample for each reason. Most unreadable guests have the same one. */
static void put_reasons(const struct exposition *exposition)
{
	const struct guest *guest = exposition->guests;
	size_t count = exposition->monitor->vmms, same, i, j;

	put_gauge(exposition, "kvm_host_unreadable_guests",
		  "Guests whose kvm_guest_up is 0, by reason.");
	for (i = 0; i < count; i++) {
		for (j = 0; j < i && strcmp(guest[j].error, guest[i].error); j++)
			;
		if (!*guest[i].error || j < i)
			continue;
		for (same = 0; j < count; j++)
			same += !strcmp(guest[j].error, guest[i].error);
		fputs("kvm_host_unreadable_guests", exposition->to);
		put_label(exposition->to, '{', "error", guest[i].error);
		fprintf(exposition->to, "} %zu\n", same);
	}
}

static void put_host(const struct exposition *exposition)
{
	static const char * const states[] = { "running", "stopped", "blocked", "unknown" };
	size_t in_state[VMM_STATES] = { 0 }, vcpus = 0, i;

	for (i = 0; i < exposition->monitor->vmms; i++) {
		in_state[exposition->guests[i].state]++;
		vcpus += exposition->guests[i].vmm->vcpus;
	}
	put_gauge(exposition, "kvm_host_guests",
		  "Guests by the state of the main thread of their VMM: stopped by a signal or a "
		  "debugger, or blocked in uninterruptible sleep.");
	for (i = 0; i < VMM_STATES; i++)
		fprintf(exposition->to, "kvm_host_guests{state=\"%s\"} %zu\n", states[i],
			in_state[i]);
	put_gauge(exposition, "kvm_host_vcpus", "Number of vCPUs of all guests.");
	fprintf(exposition->to, "kvm_host_vcpus %zu\n", vcpus);
	put_reasons(exposition);
}

/* ---- metrics about kvm-stats ---- */

/* monitor->denied does not include processes that the filter selects by PID. */
static size_t count_unseen(const struct monitor *monitor)
{
	size_t unseen = monitor->denied;
	const struct filter *filter = monitor->options.filter;
	size_t i;

	for (i = 0; i < filter->pids; i++) {
		int err = kvmstats_monitor_pid_error(monitor->library, filter->pid[i]);

		unseen += err == -EACCES || err == -EPERM;
	}
	return unseen;
}

static size_t count_provisional(const struct monitor *monitor)
{
	size_t count = 0, i;

	for (i = 0; i < monitor->vmms; i++)
		count += monitor->vmm[i]->unread.name_error != 0;
	return count;
}

/* The names that begin with "process" are those of all client libraries of Prometheus. */
static void put_own(struct exposition *exposition, const struct sampling *sampling,
		    enum exits_state exits)
{
	static const struct process_use none;
	const struct process_use *use = sampling->process ? sampling->process : &none;
	const struct {
		const char *name;
		enum metric_type type;
		const char *unit;
		const char *help;
		uint64_t value;		/* if the unit is seconds, in ns */
	} numbers[] = {
		{ "kvm_stats_unseen_processes", METRIC_GAUGE, NULL,
		  "Processes that kvm-stats has no permission to inspect; they can have VMs. "
		  "Grant CAP_PERFMON if the kernel has KVM_STATS_NEXT, otherwise CAP_SYS_PTRACE "
		  "and CAP_DAC_READ_SEARCH.", count_unseen(exposition->monitor) },
		{ "kvm_stats_provisional_names", METRIC_GAUGE, NULL,
		  "Guests that have the name of their cgroup, or no name, because their VMM hangs and "
		  "its command line cannot be read.", count_provisional(exposition->monitor) },
		{ "kvm_stats_left_out_statistics", METRIC_GAUGE, NULL,
		  "Statistics that are left out because another statistic uses the same metric "
		  "name.", exposition->left_out },
		{ "kvm_stats_samples", METRIC_COUNTER, NULL,
		  "Number of times that kvm-stats has read the statistics.", sampling->number },
		{ "kvm_stats_failed_samples", METRIC_COUNTER, NULL,
		  "How many of these samples failed as a whole, and were not exposed.",
		  sampling->failed },
		{ "kvm_stats_sample_timestamp_seconds", METRIC_GAUGE, "seconds",
		  "Time when kvm-stats read these statistics, in seconds since the epoch.",
		  sampling->time },
		{ "kvm_stats_sample_duration_seconds", METRIC_GAUGE, "seconds",
		  "Time that reading these statistics took.", sampling->duration },
		{ "kvm_exit_stats_enabled", METRIC_GAUGE, NULL,
		  "1 while exit statistics are on. While they are off, they have no metrics. To "
		  "switch them on: echo 1 >" EXIT_STATS_PARAMETER, exits == EXITS_ON },
		{ "process_cpu_seconds", METRIC_COUNTER, "seconds",
		  "CPU time that kvm-stats has used.", use->cpu_time },
		{ "process_resident_memory_bytes", METRIC_GAUGE, "bytes",
		  "Resident memory of kvm-stats.", use->resident },
		{ "process_virtual_memory_bytes", METRIC_GAUGE, "bytes",
		  "Virtual memory of kvm-stats.", use->virtual },
		{ "process_open_fds", METRIC_GAUGE, NULL,
		  "File descriptors that kvm-stats has open.", use->open_fds },
		{ "process_max_fds", METRIC_GAUGE, NULL,
		  "Limit of file descriptors of kvm-stats.", use->max_fds },
		{ "process_start_time_seconds", METRIC_GAUGE, "seconds",
		  "Time when kvm-stats started, in seconds since the epoch.", use->start },
	};
	FILE *to = exposition->to;
	size_t i;

	put_metadata(exposition, "kvm_stats_build", METRIC_INFO, NULL, "The version of kvm-stats.",
		     "");
	fputs("kvm_stats_build_info{version=\"" KVM_STATS_VERSION "\"} 1\n", to);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		uint64_t value = numbers[i].value;

		if ((!sampling->process && !strncmp(numbers[i].name, "process", 7)) ||
		    (exits == EXITS_MISSING && !strncmp(numbers[i].name, "kvm_exit", 8)))
			continue;
		put_metadata(exposition, numbers[i].name, numbers[i].type, numbers[i].unit,
			     numbers[i].help, "");
		fprintf(to, "%s%s ", numbers[i].name, type_names[numbers[i].type].suffix);
		if (numbers[i].unit && !strcmp(numbers[i].unit, "seconds"))
			fprintf(to, "%" PRIu64 ".%09" PRIu64 "\n", value / SECOND, value % SECOND);
		else
			fprintf(to, "%" PRIu64 "\n", value);
	}
}

/* ---- the exposition ---- */

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
	free(exposition->guests);
	free(exposition);
}

int exposition_write(struct exposition *exposition, enum exposition_format format,
		     const struct sampling *sampling, FILE *to)
{
	enum exits_state exits = monitor_exits(exposition->monitor);

	update(exposition);
	if (exposition->failed)
		return -ENOMEM;
	exposition->format = format;
	exposition->to = to;
	put_own(exposition, sampling, exits);
	put_host(exposition);
	put_guests(exposition);
	put_processes(exposition);
	put_metrics(exposition, exits == EXITS_OFF);
	if (format == OPENMETRICS_1_0)
		fputs("# EOF\n", to);
	return ferror(to) ? -ENOMEM : 0;
}
