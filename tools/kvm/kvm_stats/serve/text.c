// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "proc/host.h"
#include "serve/names.h"
#include "serve/text.h"
#include "targets/stat.h"

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
	const struct stat_set *set;	/* of the first target; all have the same statistics */
	size_t first;		/* index in exposition.target of the targets that are added up */
	size_t targets;
	size_t labels;		/* offset in exposition.labels of a NUL-terminated string */
};

/* A set whose statistics have been added to the metrics. */
struct known_set {
	enum kind kind;
	const struct stat_set *set;
};

struct exposition {
	const struct monitor *monitor;
	bool per_vcpu;
	const char *libvirt;
	struct guest_names guests;

	/* They only grow. A metric is a list, see metric.next. */
	struct metric **metric;
	size_t metrics, metric_capacity;
	size_t left_out;	/* statistics whose names conflict with another metric */
	struct known_set *known;
	size_t known_sets, known_capacity;

	/* Made again when the monitor's targets have changed. */
	struct series *series;
	size_t count;
	const struct target **target;	/* a copy of those of the VMMs: scans move theirs */
	size_t targets;
	struct text labels;
	uint64_t generation;	/* monitor->generation when the series were made */
	bool made;

	uint64_t *sum;		/* see sum_of() */
	size_t sum_capacity;
	enum exposition_format format;
	struct text *text;	/* what is being written */
};

/* ---- metrics ---- */

static const struct metric *find_member(const struct metric *metric, const struct metric *other)
{
	for (; metric; metric = metric->next) {
		if (metric->set == other->set && metric->by_class == other->by_class &&
		    (!metric->by_class ||
		     (metric->class.length == other->class.length &&
		      !memcmp(metric->class.name, other->class.name, metric->class.length))))
			return metric;
	}
	return NULL;
}

static bool is_name_free(const struct exposition *exposition, const struct metric *metric)
{
	/* Those that put_guests() writes */
	static const char * const names[] = {
		"kvm_guest", "kvm_guest_info", "kvm_guest_up", "kvm_guest_vcpus",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (metric_names_conflict(names[i], METRIC_GAUGE, metric->name, metric->type))
			return false;
	}
	for (i = 0; i < exposition->metrics; i++) {
		const struct metric *other = exposition->metric[i];

		if (metric_names_conflict(other->name, other->type, metric->name, metric->type))
			return false;
	}
	return true;
}

/*
 * Owns @metric. If its name conflicts with another one, or if another statistic of the set has the
 * same name, it is left out: the whole exposition would be invalid.
 */
static int add_metric(struct exposition *exposition, struct metric *metric)
{
	struct metric *same = NULL, **more;
	const struct metric *member;
	size_t i;

	for (i = 0; !same && i < exposition->metrics; i++) {
		if (metric_is_same(exposition->metric[i], metric))
			same = exposition->metric[i];
	}
	member = same ? find_member(same, metric) : NULL;
	if (member || (!same && !is_name_free(exposition, metric))) {
		exposition->left_out += !member || member->stat != metric->stat;
		metric_free(metric);
		return 0;
	}
	if (same) {
		while (same->next)
			same = same->next;
		same->next = metric;
		return 0;
	}
	more = array_grow(exposition->metric, exposition->metrics, &exposition->metric_capacity,
			  sizeof(*more));
	if (!more) {
		metric_free(metric);
		return -ENOMEM;
	}
	exposition->metric = more;
	more[exposition->metrics++] = metric;
	return 0;
}

/*
 * Adds the statistics of a set that the filter selects. vCPUs have no histograms, because these
 * would be most of all samples; guests have them.
 */
static int add_set(struct exposition *exposition, enum kind kind, const struct stat_set *set)
{
	struct known_set *more;
	size_t i;
	int err = 0;

	for (i = 0; i < exposition->known_sets; i++) {
		if (exposition->known[i].kind == kind && exposition->known[i].set == set)
			return 0;
	}
	more = array_grow(exposition->known, exposition->known_sets, &exposition->known_capacity,
			  sizeof(*more));
	if (!more)
		return -ENOMEM;
	exposition->known = more;
	for (i = 0; !err && i < set->stats; i++) {
		struct metric *metric;

		if (kind == KIND_VCPU && kvmstats_stat_is_hist(set->stat[i]))
			continue;
		metric = metric_new(kind, set, set->stat[i]);
		err = metric ? add_metric(exposition, metric) : -ENOMEM;
	}
	if (!err)
		more[exposition->known_sets++] = (struct known_set){ kind, set };
	return err;
}

/* ---- series ---- */

static enum kind kind_of(const struct target *target)
{
	if (target->origin == ORIGIN_DEBUGFS)
		return KIND_DEBUGFS;
	return target->scope == SCOPE_VCPU ? KIND_VCPU : KIND_VM;
}

/* Adds a series of the targets from @i to @end. */
static void add_series(struct exposition *exposition, const struct guest *guest, enum kind kind,
		       size_t i, size_t end)
{
	const struct vmm *vmm = guest->vmm;
	const struct target *target = vmm->target[i];
	struct text *labels = &exposition->labels;

	exposition->series[exposition->count++] = (struct series){
		.kind = kind, .set = target->set, .first = exposition->targets,
		.targets = end - i, .labels = labels->size,
	};
	for (; i < end; i++)
		exposition->target[exposition->targets++] = vmm->target[i];
	put_guest_labels(labels, guest);
	if (target->scope == SCOPE_VM && vmm->vms > 1 && target->vm >= 0)
		put_number_label(labels, "vm", target->vm);
	if (kind == KIND_VCPU)
		put_number_label(labels, "vcpu", target->vcpu);
	text_add(labels, "", 1);
}

/* Returns the index after the vCPUs that follow target @i, at most those with the same ID. */
static size_t end_of_vcpus(const struct vmm *vmm, size_t i, bool same_id)
{
	size_t end = i + 1;

	while (end < vmm->targets && kind_of(vmm->target[end]) == KIND_VCPU &&
	       (!same_id || vmm->target[end]->vcpu == vmm->target[i]->vcpu))
		end++;
	return end;
}

static void add_guest(struct exposition *exposition, const struct guest *guest)
{
	const struct vmm *vmm = guest->vmm;
	size_t i = 0, end, next;

	for (; i < vmm->targets; i = end) {
		enum kind kind = kind_of(vmm->target[i]);

		end = i + 1;
		if (kind != KIND_VCPU) {
			add_series(exposition, guest, kind, i, end);
			continue;
		}
		end = end_of_vcpus(vmm, i, false);
		/* While a vCPU is missing, the sum would be too small, and then seem to grow. */
		if (!vmm->missing_vcpus)
			add_series(exposition, guest, KIND_GUEST, i, end);
		for (; exposition->per_vcpu && i < end; i = next) {
			next = end_of_vcpus(vmm, i, true);
			add_series(exposition, guest, KIND_VCPU, i, next);
		}
	}
}

/* Each target is in at most two series. */
static bool reserve_series(struct exposition *exposition)
{
	size_t count = 2 * monitor_targets(exposition->monitor) + 1;
	struct series *series = reallocarray(exposition->series, count, sizeof(*series));
	const struct target **target;

	if (!series)
		return false;
	exposition->series = series;
	target = reallocarray(exposition->target, count, sizeof(*target));
	if (!target)
		return false;
	exposition->target = target;
	return true;
}

static int update(struct exposition *exposition)
{
	const struct monitor *monitor = exposition->monitor;
	size_t i;
	int err = 0;

	if (exposition->made && exposition->generation == monitor->generation)
		return 0;
	exposition->made = false;
	exposition->count = 0;
	exposition->targets = 0;
	exposition->labels.size = 0;
	exposition->labels.failed = false;
	if (!reserve_series(exposition) ||
	    guest_names_update(&exposition->guests, monitor, exposition->libvirt))
		return -ENOMEM;
	for (i = 0; i < exposition->guests.count; i++)
		add_guest(exposition, &exposition->guests.guest[i]);
	for (i = 0; !err && i < exposition->count; i++)
		err = add_set(exposition, exposition->series[i].kind, exposition->series[i].set);
	if (err || exposition->labels.failed)
		return -ENOMEM;
	exposition->generation = monitor->generation;
	exposition->made = true;
	return 0;
}

/* ---- sums ---- */

/* Returns the values of the statistic of @target that is like @stat, which is in @set, or NULL. */
static const uint64_t *values_of(const struct target *target, const struct stat_set *set,
				 const struct kvmstats_stat *stat)
{
	const struct kvmstats_stat *own = stat;

	if (target->set != set)
		own = kvmstats_schema_find(target->set->schema, kvmstats_stat_name(stat));
	return own && stat_is_like(own, stat) ? kvmstats_sample_values(target->now, own) : NULL;
}

/*
 * Adds up each value of @stat over the targets of a series that have this statistic, also in
 * another set. For a peak, takes the maximum. Returns the sums, which are valid until the next
 * call, or NULL if no target has values or memory is exhausted. A sum that exceeds 64 bits starts
 * again at 0, like a counter that was reset.
 */
static const uint64_t *sum_of(struct exposition *exposition, const struct series *series,
			      const struct kvmstats_stat *stat)
{
	const struct target *const *target = exposition->target + series->first;
	bool peak = kvmstats_stat_type(stat) == KVMSTATS_TYPE_PEAK, found = false;
	size_t size = kvmstats_stat_size(stat), i, n;
	uint64_t *sum;

	if (series->targets == 1)
		return values_of(target[0], series->set, stat);
	if (size > exposition->sum_capacity) {
		sum = reallocarray(exposition->sum, size, sizeof(*sum));
		if (!sum)
			return NULL;
		exposition->sum = sum;
		exposition->sum_capacity = size;
	}
	sum = exposition->sum;
	memset(sum, 0, size * sizeof(*sum));
	for (i = 0; i < series->targets; i++) {
		const uint64_t *values = values_of(target[i], series->set, stat);

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

/* ---- the lines before the samples of a metric ---- */

static void put_line(struct exposition *exposition, const char *keyword, const char *name,
		     enum metric_type type, const char *value)
{
	const char *suffix = exposition->format == PROMETHEUS_TEXT_0_0_4 ?
			     type_names[type].suffix : "";

	text_printf(exposition->text, "# %s %s%s %s\n", keyword, name, suffix, value);
}

static void put_metadata(struct exposition *exposition, const char *name, enum metric_type type,
			 const char *unit, const char *help)
{
	bool text = exposition->format == PROMETHEUS_TEXT_0_0_4;

	put_line(exposition, "HELP", name, type, help);
	put_line(exposition, "TYPE", name, type,
		 text ? type_names[type].text : type_names[type].openmetrics);
	if (unit && !text)
		put_line(exposition, "UNIT", name, type, unit);
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
	const struct exposition *exposition = sample->exposition;
	const struct metric *metric = sample->metric;
	struct text *text = exposition->text;

	text_puts(text, metric->name);
	text_puts(text, suffix);
	text_puts(text, "{");
	text_puts(text, exposition->labels.data + sample->series->labels);
	if (metric->by_class)
		text_printf(text, ",class=\"%.*s\"", (int)metric->class.length,
			    metric->class.name);
	if (extra)
		put_label(text, extra, value);
	text_puts(text, "} ");
}

static void put_scaled(const struct sample *sample, const struct kvmstats_stat *stat,
		       uint64_t value)
{
	char buf[SCALED_SIZE];

	text_puts(sample->exposition->text, stat_scaled(stat, value, buf));
	text_puts(sample->exposition->text, "\n");
}

static void put_count(const struct sample *sample, const char *suffix, const char *le,
		      uint64_t count)
{
	put_name(sample, suffix, le ? "le" : NULL, le);
	text_put_number(sample->exposition->text, count);
	text_puts(sample->exposition->text, "\n");
}

static void put_histogram(const struct sample *sample, const uint64_t *values)
{
	const struct metric *metric = sample->metric;
	unsigned int size = kvmstats_stat_size(metric->stat), n;
	const uint64_t *sum = NULL;
	uint64_t count = 0;
	size_t next = 0;

	for (n = 0; n < size; n++) {
		/* No kernel counts that far, but a bucket must not have more than the next one. */
		if (__builtin_add_overflow(count, values[n], &count))
			count = UINT64_MAX;
		if (next < metric->bounds && metric->bound[next].bucket == n)
			put_count(sample, "_bucket", metric->bound[next++].le, count);
	}
	put_count(sample, "_bucket", "+Inf", count);
	if (metric->sum)
		sum = sum_of(sample->exposition, sample->series, metric->sum);
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
	const uint64_t *values = sum_of(sample->exposition, sample->series, metric->stat);

	/* Most guests have exits of few classes. */
	if (!values || (metric->by_class && !*values))
		return;
	if (metric->type == METRIC_HISTOGRAM)
		put_histogram(sample, values);
	else
		put_values(sample, values);
}

/* The metadata precede the first sample. */
static void put_metric(struct exposition *exposition, const struct metric *first)
{
	bool has_metadata = false;
	size_t i;

	for (i = 0; i < exposition->count; i++) {
		struct sample sample = { exposition, &exposition->series[i], first };

		if (sample.series->kind != first->kind)
			continue;
		for (; sample.metric; sample.metric = sample.metric->next) {
			if (sample.metric->set != sample.series->set)
				continue;
			if (!has_metadata)
				put_metadata(exposition, first->name, first->type, first->unit,
					     first->help);
			has_metadata = true;
			put_sample(&sample);
		}
	}
}

/* ---- metrics about guests ---- */

/*
 * Whether all selected statistics of the VMM can be read, except for what vmm_may_lack_vm()
 * excuses. If statistics fds cannot be opened, all of its debugfs files are enough.
 */
static bool is_up(const struct vmm *vmm, const struct filter *filter)
{
	if (vmm_has_sums(vmm))
		return !vmm->debugfs_error;
	return vmm_may_lack_vm(vmm, filter) ||
	       (!vmm->fd_error && !vmm->missing && !vmm->debugfs_error);
}

/* Writes why statistics are missing, or nothing. */
static const char *error_of(const struct vmm *vmm, char *buf, size_t size)
{
	const char *what = vmm_lacks_only_vm(vmm) ? "VM values missing: " : "";
	char why[128];

	*buf = '\0';
	if (vmm->fd_error && !vmm_has_sums(vmm))
		snprintf(buf, size, "%s%s", what,
			 kvmstats_strerror(vmm->fd_error, why, sizeof(why)));
	else if (vmm->debugfs_error)
		snprintf(buf, size, "%sdebugfs: %s", what, strerror(-vmm->debugfs_error));
	return buf;
}

static void put_up(struct exposition *exposition, const struct guest *guest)
{
	text_puts(exposition->text, "kvm_guest_up{");
	put_guest_labels(exposition->text, guest);
	text_printf(exposition->text, "} %d\n",
		    is_up(guest->vmm, exposition->monitor->options.filter));
}

static void put_info(struct exposition *exposition, const struct guest *guest)
{
	const struct vmm *vmm = guest->vmm;
	struct text *text = exposition->text;
	char pid[16] = "", source[64], error[160];

	if (vmm->pid)
		snprintf(pid, sizeof(pid), "%d", (int)vmm->pid);
	text_puts(text, "kvm_guest_info{");
	put_guest(text, guest);
	put_label(text, "pid", pid);
	put_label(text, "vmm", vmm->comm ? vmm->comm : "");
	put_label(text, "source", vmm_sources(vmm, source, sizeof(source)));
	put_label(text, "error", error_of(vmm, error, sizeof(error)));
	text_puts(text, "} 1\n");
}

static void put_vcpus(struct exposition *exposition, const struct guest *guest)
{
	text_puts(exposition->text, "kvm_guest_vcpus{");
	put_guest_labels(exposition->text, guest);
	text_printf(exposition->text, "} %zu\n", guest->vmm->vcpus);
}

typedef void (*put_fn)(struct exposition *exposition, const struct guest *guest);

static void put_all(struct exposition *exposition, put_fn put)
{
	size_t i;

	for (i = 0; i < exposition->guests.count; i++) {
		if (vmm_key(exposition->guests.guest[i].vmm))
			put(exposition, &exposition->guests.guest[i]);
	}
}

static void put_guests(struct exposition *exposition)
{
	put_metadata(exposition, "kvm_guest_up", METRIC_GAUGE, NULL,
		     "1 if kvm-stats can read the statistics of all selected vCPUs of the guest.");
	put_all(exposition, put_up);
	put_metadata(exposition, "kvm_guest", METRIC_INFO, NULL,
		     "PID and name of the VMM, source of the statistics, and why some cannot be "
		     "read.");
	put_all(exposition, put_info);
	put_metadata(exposition, "kvm_guest_vcpus", METRIC_GAUGE, NULL,
		     "Number of vCPUs of the guest.");
	put_all(exposition, put_vcpus);
}

/* ---- metrics about kvm-stats ---- */

static void put_number(struct exposition *exposition, const char *name, enum metric_type type,
		       const char *unit, const char *help, uint64_t value)
{
	put_metadata(exposition, name, type, unit, help);
	text_printf(exposition->text, "%s%s %" PRIu64 "\n", name, type_names[type].suffix, value);
}

static void put_time(struct exposition *exposition, const char *name, enum metric_type type,
		     const char *help, uint64_t ns)
{
	put_metadata(exposition, name, type, "seconds", help);
	text_printf(exposition->text, "%s%s %" PRIu64 ".%09" PRIu64 "\n", name,
		    type_names[type].suffix, ns / SECOND, ns % SECOND);
}

/* These names are those of all client libraries of Prometheus. */
static void put_process(struct exposition *exposition, const struct process_use *use)
{
	put_time(exposition, "process_cpu_seconds", METRIC_COUNTER,
		 "CPU time that kvm-stats has used.", use->cpu_time);
	put_number(exposition, "process_resident_memory_bytes", METRIC_GAUGE, "bytes",
		   "Resident memory of kvm-stats.", use->resident);
	put_number(exposition, "process_virtual_memory_bytes", METRIC_GAUGE, "bytes",
		   "Virtual memory of kvm-stats.", use->virtual);
	put_number(exposition, "process_open_fds", METRIC_GAUGE, NULL,
		   "File descriptors that kvm-stats has open.", use->open_fds);
	put_number(exposition, "process_max_fds", METRIC_GAUGE, NULL,
		   "Limit of file descriptors of kvm-stats.", use->max_fds);
	put_time(exposition, "process_start_time_seconds", METRIC_GAUGE,
		 "Time when kvm-stats started, in seconds since the epoch.", use->start);
}

/* monitor->denied does not include processes that the filter selects by PID. */
static size_t count_unseen(const struct monitor *monitor)
{
	size_t unseen = monitor->denied;
	size_t i;

	for (i = 0; i < monitor->named.count; i++) {
		int err = monitor->named.process[i].err;

		unseen += err == -EACCES || err == -EPERM;
	}
	return unseen;
}

static void put_own(struct exposition *exposition, const struct sampling *sampling,
		    enum exits_state exits)
{
	const struct monitor *monitor = exposition->monitor;
	size_t vmms = 0, unreadable = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		vmms += vmm_key(monitor->vmm[i]) != 0;
		unreadable += vmm_key(monitor->vmm[i]) &&
			      !is_up(monitor->vmm[i], monitor->options.filter);
	}
	put_metadata(exposition, "kvm_stats_build", METRIC_INFO, NULL, "The version of kvm-stats.");
	text_puts(exposition->text, "kvm_stats_build_info{version=\"" KVM_STATS_VERSION "\"} 1\n");
	put_number(exposition, "kvm_stats_vmms", METRIC_GAUGE, NULL,
		   "Processes with KVM VMs that kvm-stats watches.", vmms);
	put_number(exposition, "kvm_stats_unreadable_vmms", METRIC_GAUGE, NULL,
		   "Watched processes with statistics that kvm-stats cannot read; their "
		   "kvm_guest_up is 0.", unreadable);
	put_number(exposition, "kvm_stats_unseen_processes", METRIC_GAUGE, NULL,
		   "Processes that kvm-stats has no permission to inspect; they can have VMs. "
		   "Grant CAP_PERFMON if the kernel has KVM_STATS_NEXT, otherwise CAP_SYS_PTRACE "
		   "and CAP_DAC_READ_SEARCH.", count_unseen(monitor));
	put_number(exposition, "kvm_stats_left_out_statistics", METRIC_GAUGE, NULL,
		   "Statistics that are left out because another statistic uses the same metric "
		   "name.", exposition->left_out);
	put_number(exposition, "kvm_stats_samples", METRIC_COUNTER, NULL,
		   "Number of times that kvm-stats has read the statistics.", sampling->number);
	put_time(exposition, "kvm_stats_sample_timestamp_seconds", METRIC_GAUGE,
		 "Time when kvm-stats read these statistics, in seconds since the epoch.",
		 sampling->time);
	put_time(exposition, "kvm_stats_sample_duration_seconds", METRIC_GAUGE,
		 "Time that reading these statistics took.", sampling->duration);
	if (sampling->process)
		put_process(exposition, sampling->process);
	if (exits != EXITS_MISSING)
		put_number(exposition, "kvm_exit_stats_enabled", METRIC_GAUGE, NULL,
			   "1 while exit statistics are on. While they are off, they have no "
			   "metrics. To switch them on: echo 1 >" EXIT_STATS_PARAMETER,
			   exits == EXITS_ON);
}

/* ---- the exposition ---- */

struct exposition *exposition_new(const struct monitor *monitor,
				  const struct exposition_options *options)
{
	struct exposition *exposition = calloc(1, sizeof(*exposition));

	if (exposition) {
		exposition->monitor = monitor;
		exposition->per_vcpu = options->per_vcpu;
		exposition->libvirt = options->libvirt ? options->libvirt : "/run/libvirt";
	}
	return exposition;
}

void exposition_free(struct exposition *exposition)
{
	if (!exposition)
		return;
	while (exposition->metrics)
		metric_free(exposition->metric[--exposition->metrics]);
	free(exposition->metric);
	free(exposition->known);
	free(exposition->series);
	free(exposition->target);
	text_free(&exposition->labels);
	guest_names_free(&exposition->guests);
	free(exposition->sum);
	free(exposition);
}

int exposition_write(struct exposition *exposition, enum exposition_format format,
		     const struct sampling *sampling, struct text *text)
{
	enum exits_state exits = monitor_exits(exposition->monitor);
	size_t i;

	if (update(exposition))
		return -ENOMEM;
	exposition->format = format;
	exposition->text = text;
	put_own(exposition, sampling, exits);
	put_guests(exposition);
	for (i = 0; i < exposition->metrics; i++) {
		if (exits != EXITS_OFF || !exposition->metric[i]->exits)
			put_metric(exposition, exposition->metric[i]);
	}
	if (format == OPENMETRICS_1_0)
		text_puts(text, "# EOF\n");
	return text->failed ? -ENOMEM : 0;
}
