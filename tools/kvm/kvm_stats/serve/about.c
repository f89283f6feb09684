// SPDX-License-Identifier: GPL-2.0-only
/* Metrics that KVM does not count, about guests, the host and kvm-stats: see names.h. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "proc.h"
#include "serve/names.h"
#include "util.h"
#include "why/verdict.h"

void put_metadata(const struct text *text, const char *name, enum metric_type type,
		  const char *unit, const char *help, const char *more)
{
	bool openmetrics = text->format == OPENMETRICS_1_0;
	const struct type_name *names = &type_names[type];
	const char *suffix = openmetrics ? "" : names->suffix;

	fprintf(text->to, "# HELP %s%s %s%s\n# TYPE %s%s %s\n", name, suffix, help, more, name,
		suffix, openmetrics ? names->openmetrics : names->text);
	if (unit && openmetrics)
		fprintf(text->to, "# UNIT %s %s\n", name, unit);
}

static void put_gauge(const struct text *text, const char *name, const char *help)
{
	put_metadata(text, name, METRIC_GAUGE, NULL, help, "");
}

/* Values in seconds are in ns. */
static void put_value(const struct text *text, const char *unit, uint64_t value)
{
	if (unit && !strcmp(unit, "seconds"))
		fprintf(text->to, "%" PRIu64 ".%09" PRIu64 "\n", value / SECOND, value % SECOND);
	else
		fprintf(text->to, "%" PRIu64 "\n", value);
}

/* ---- values of /proc and of the cgroups: false means that the guest lacks the value ---- */

static bool get_vcpus(const struct guest *guest, uint64_t *value)
{
	*value = guest->vmm->vcpus;
	return true;
}

static bool get_cpu(const struct guest *guest, uint64_t *value)
{
	*value = guest->vmm->process.now.runtime;
	return guest->vmm->process.has_now;
}

static bool get_memory(const struct guest *guest, uint64_t *value)
{
	*value = guest->vmm->process.now.memory + guest->vmm->process.huge_memory;
	return guest->vmm->process.has_now;
}

static bool get_major_faults(const struct guest *guest, uint64_t *value)
{
	*value = guest->vmm->process.now.major_faults;
	return guest->vmm->process.has_now;
}

static bool get_throttled(const struct guest *guest, uint64_t *value)
{
	*value = guest->vmm->process.limit.throttled;
	return guest->vmm->process.limit.cpus > 0;
}

static bool get_limit_binds(const struct guest *guest, uint64_t *value)
{
	*value = guest->vmm->process.limit.binds;
	return guest->vmm->process.limit.cpus > 0;
}

static bool get_waiting(const struct guest *guest, uint64_t *value)
{
	*value = guest->vmm->process.group[THREAD_VCPU].waiting;
	return process_has_waiting(&guest->vmm->process);
}

#define MODE(mode) \
	.group = THREAD_VCPU, .member = offsetof(struct group_times, mode), \
	.label = "mode", .label_value = #mode
#define HELPERS(_group, _member) \
	.group = _group, .member = offsetof(struct group_times, _member), .label = "threads"

static const struct guest_value {
	const char *name;		/* NULL: that of the entry before */
	enum metric_type type;
	const char *unit;
	const char *help;
	bool (*get)(const struct guest *guest, uint64_t *value);
	/* Without get(): a time of a group of threads, if the guest has them */
	enum thread_group group;
	size_t member;			/* of struct group_times */
	const char *label;
	const char *label_value;	/* NULL: the name of the group */
} guest_values[] = {
	{ "kvm_guest_vcpus", METRIC_GAUGE, NULL, "Number of vCPUs of the guest.",
	  .get = get_vcpus },
	{ "kvm_guest_cpu_seconds", METRIC_COUNTER, "seconds",
	  "CPU time of all threads of the VMM, including the time in the guest.", .get = get_cpu },
	{ "kvm_guest_memory_bytes", METRIC_GAUGE, "bytes",
	  "Resident memory of the VMM, including that of the guest and huge pages.",
	  .get = get_memory },
	{ "kvm_guest_major_faults", METRIC_COUNTER, NULL,
	  "Page faults of the VMM and of the guest that needed I/O.", .get = get_major_faults },
	{ "kvm_guest_throttled_seconds", METRIC_COUNTER, "seconds",
	  "Time that limits of cgroups throttled the vCPUs, added up over all CPUs, since "
	  "kvm-stats found the guest. Guests without a limit do not have the metric.",
	  .get = get_throttled },
	{ "kvm_guest_cpu_limit_binds", METRIC_GAUGE, NULL,
	  "1 if a limit of a cgroup kept vCPUs from running since the last sample: it throttled at "
	  "least 10 % of the periods, and at least 95 % of it was used. Guests without a limit "
	  "do not have the metric.", .get = get_limit_binds },
	{ "kvm_guest_run_delay_seconds", METRIC_COUNTER, "seconds",
	  "Time that the threads of vCPUs waited for a CPU, also while a cgroup throttled them.",
	  .get = get_waiting },
	{ "kvm_guest_vcpu_cpu_seconds", METRIC_COUNTER, "seconds",
	  "CPU time of the threads of vCPUs in the guest, in the kernel, and in user mode.",
	  MODE(guest) },
	{ MODE(kernel) },
	{ MODE(user) },
	{ "kvm_guest_helper_cpu_seconds", METRIC_COUNTER, "seconds",
	  "CPU time of the other threads of the VMM: vhost workers, I/O threads, and the emulator.",
	  HELPERS(THREAD_VHOST, runtime) },
	{ HELPERS(THREAD_IO, runtime) },
	{ HELPERS(THREAD_EMULATOR, runtime) },
	{ "kvm_guest_helper_run_delay_seconds", METRIC_COUNTER, "seconds",
	  "Time that the other threads of the VMM waited for a CPU.",
	  HELPERS(THREAD_VHOST, waiting) },
	{ HELPERS(THREAD_IO, waiting) },
	{ HELPERS(THREAD_EMULATOR, waiting) },
};

static void put_guest_value(const struct text *text, const struct guest_value *metric,
			    const struct guest_value *part, const struct guest *guest)
{
	const struct group_times *times = &guest->vmm->process.group[part->group];
	uint64_t value = *(const uint64_t *)((const char *)times + part->member);

	if (part->get ? !part->get(guest, &value) : !times->runtime)
		return;
	fputs(metric->name, text->to);
	fputs(type_names[metric->type].suffix, text->to);
	fputs(guest->labels, text->to);
	if (part->label)
		put_label(text->to, ',', part->label, part->label_value ? part->label_value :
			  thread_group_name(part->group));
	fputs("} ", text->to);
	put_value(text, metric->unit, value);
}

static void put_guest_values(const struct text *text, const struct guest_list *guests,
			     enum metrics metrics, bool waiting)
{
	const struct guest_value *metric = NULL;
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(guest_values); i++) {
		const struct guest_value *part = &guest_values[i];

		if ((part->get == get_waiting && !waiting) ||
		    (part->label && metrics == METRICS_MINIMAL))
			continue;
		if (part->name) {
			metric = part;
			put_metadata(text, metric->name, metric->type, metric->unit, metric->help,
				     "");
		}
		for (n = 0; n < guests->count; n++)
			put_guest_value(text, metric, part, &guests->guest[n]);
	}
}

/* ---- guests ---- */

static void put_info(const struct text *text, const struct guest *guest)
{
	const struct vmm *vmm = guest->vmm;
	char pid[16] = "";

	if (vmm->pid)
		snprintf(pid, sizeof(pid), "%d", (int)vmm->pid);
	fputs("kvm_guest_info", text->to);
	put_guest(text->to, guest);
	put_label(text->to, ',', "pid", pid);
	put_label(text->to, ',', "vmm", vmm->comm ? vmm->comm : "");
	fputs("} 1\n", text->to);
}

static void put_one(const struct text *text, const char *name, const struct guest *guest,
		    const char *label, const char *value)
{
	fputs(name, text->to);
	fputs(guest->labels, text->to);
	put_label(text->to, ',', label, value);
	fputs("} 1\n", text->to);
}

/* A guest has no verdict in its first sample. */
void put_verdicts(const struct text *text, const struct guest_list *guests,
		  const struct evidence *evidence)
{
	size_t i;

	put_gauge(text, "kvm_guest_verdict",
		  "Always 1. The label verdict is what costs the guest its time, see "
		  "kvm-stats-why(1), or idle, busy, burst, new or none.");
	for (i = 0; i < guests->count; i++) {
		const struct guest_evidence *guest =
			evidence_of(evidence, guests->guest[i].vmm);
		struct verdict verdict;

		if (!guest || guest->samples_taken < 2)
			continue;
		guest_verdict(&verdict, evidence, guest);
		if (!verdict.vcpus)
			continue;
		put_one(text, "kvm_guest_verdict", &guests->guest[i], "verdict",
			why_rules[verdict.rule].name);
	}
}

void put_guests(const struct text *text, const struct guest_list *guests, enum metrics metrics,
		bool waiting)
{
	size_t i;

	put_metadata(text, "kvm_guest", METRIC_INFO, NULL, "PID and name of the VMM.", "");
	for (i = 0; i < guests->count; i++)
		put_info(text, &guests->guest[i]);
	put_gauge(text, "kvm_guest_state",
		  "Always 1. The label state is running, paused by the VMM, stopped by a signal or "
		  "a debugger, frozen by a cgroup, blocked in uninterruptible sleep, or unknown.");
	for (i = 0; i < guests->count; i++)
		put_one(text, "kvm_guest_state", &guests->guest[i], "state",
			process_state_name(guests->guest[i].vmm->process.state));
	put_guest_values(text, guests, metrics, waiting);
}

/* ---- the host ---- */

static void put_readable(const struct text *text, const struct monitor *monitor)
{
	struct message problem = monitor->problem;
	char text_of[MESSAGE_SIZE];

	*problem.advice = '\0';
	put_gauge(text, "kvm_host_statistics_readable",
		  "1 if KVM's statistics of guests can be read, otherwise 0. The label source is "
		  "file, next or proc; the label error is the reason why statistics are missing, or "
		  "empty.");
	fputs("kvm_host_statistics_readable", text->to);
	put_label(text->to, '{', "source", origin_name(kvmstats_host_origin(monitor->host)));
	put_label(text->to, ',', "error",
		  message_text(&problem, text_of, sizeof(text_of)));
	fprintf(text->to, "} %d\n", monitor->has_values);
}

void put_host(const struct text *text, const struct guest_list *guests,
	      const struct monitor *monitor, bool waiting)
{
	size_t in_state[PROCESS_STATES] = { 0 }, vcpus = 0, limited = 0, i;

	for (i = 0; i < guests->count; i++) {
		const struct guest *guest = &guests->guest[i];

		in_state[guest->vmm->process.state]++;
		vcpus += guest->vmm->vcpus;
		limited += guest->vmm->process.limit.binds;
	}
	put_gauge(text, "kvm_host_guests", "Guests by their state, see kvm_guest_state.");
	for (i = 0; i < PROCESS_STATES; i++)
		fprintf(text->to, "kvm_host_guests{state=\"%s\"} %zu\n", process_state_name(i),
			in_state[i]);
	put_gauge(text, "kvm_host_vcpus", "Number of vCPUs of all guests.");
	fprintf(text->to, "kvm_host_vcpus %zu\n", vcpus);
	put_gauge(text, "kvm_host_limited_guests", "Guests whose kvm_guest_cpu_limit_binds is 1.");
	fprintf(text->to, "kvm_host_limited_guests %zu\n", limited);
	if (waiting) {
		put_metadata(text, "kvm_host_run_delay_seconds", METRIC_COUNTER, "seconds",
			     "Time that the vCPUs of all guests waited for a CPU since kvm-stats "
			     "started.", "");
		fputs("kvm_host_run_delay_seconds_total ", text->to);
		put_value(text, "seconds", guests->waited);
	}
	put_readable(text, monitor);
}

/* ---- kvm-stats ---- */

static size_t count_provisional(const struct monitor *monitor)
{
	size_t count = 0, i;

	for (i = 0; i < monitor->vmms; i++)
		count += monitor->vmm[i]->name_error != 0;
	return count;
}

/* The names that begin with "process" are those of all client libraries of Prometheus. */
void put_own(const struct text *text, const struct sampling *sampling,
	     const struct monitor *monitor, size_t left_out)
{
	static const struct process_use none;
	const struct process_use *use = sampling->process ? sampling->process : &none;
	enum exits_state exits = monitor_exits(monitor);
	const struct {
		const char *name;
		enum metric_type type;
		const char *unit;
		const char *help;
		uint64_t value;		/* if the unit is seconds, in ns */
	} numbers[] = {
		{ "kvm_stats_provisional_names", METRIC_GAUGE, NULL,
		  "Guests that have the name of their cgroup, or no name, because the command line "
		  "of their VMM cannot be read.", count_provisional(monitor) },
		{ "kvm_stats_left_out_statistics", METRIC_GAUGE, NULL,
		  "Statistics that are left out because another statistic uses the same metric "
		  "name.", left_out },
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
	size_t i;

	put_metadata(text, "kvm_stats_build", METRIC_INFO, NULL, "The version of kvm-stats.", "");
	fputs("kvm_stats_build_info{version=\"" KVM_STATS_VERSION "\"} 1\n", text->to);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if ((!sampling->process && !strncmp(numbers[i].name, "process", 7)) ||
		    (exits == EXITS_MISSING && !strncmp(numbers[i].name, "kvm_exit", 8)))
			continue;
		put_metadata(text, numbers[i].name, numbers[i].type, numbers[i].unit,
			     numbers[i].help, "");
		fprintf(text->to, "%s%s ", numbers[i].name, type_names[numbers[i].type].suffix);
		put_value(text, numbers[i].unit, numbers[i].value);
	}
}
