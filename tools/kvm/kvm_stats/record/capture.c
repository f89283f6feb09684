// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "host_format.h"
#include "record/capture.h"
#include "util.h"

static bool begins_with_one(const char *line, const char * const *begins)
{
	for (; *begins; begins++) {
		if (!strncmp(line, *begins, strlen(*begins)))
			return true;
	}
	return false;
}

/* ---- times ---- */

#define MICROSECOND	UINT64_C(1000)

/* How long a vCPU or a thread was in a state: all of these add up to the time that has passed. */
static const char * const state_times[] = {
	"thread_", "halt_wait_ns", "guest_ns", "halted_ns", "userspace_ns", NULL
};

/* A hundred-thousandth of the interval, or a bit less */
static uint64_t state_unit(uint64_t interval)
{
	uint64_t unit = MICROSECOND;

	while (unit * 10 <= interval / 100000)
		unit *= 10;
	return unit;
}

static uint64_t rounded(uint64_t ns, uint64_t unit)
{
	return ns - ns % unit;
}

/* Nanoseconds would need most of the space of a recording, and no command shows them. */
static uint64_t unit_of(const struct kvmstats_stat *stat, uint64_t interval)
{
	if (kvmstats_stat_unit(stat) != KVMSTATS_UNIT_SECONDS || kvmstats_stat_is_hist(stat) ||
	    kvmstats_stat_base(stat) != KVMSTATS_BASE_POW10 || kvmstats_stat_exponent(stat) != -9)
		return 1;
	/* When a thread ran last */
	if (kvmstats_stat_type(stat) == KVMSTATS_TYPE_INSTANT)
		return 10 * state_unit(interval);
	return begins_with_one(kvmstats_stat_name(stat), state_times) ? state_unit(interval) :
									MICROSECOND;
}

/* The library has checked that the record has all values. */
static void round_values(char *values, const struct kvmstats_schema *schema, uint64_t interval)
{
	size_t i, n;

	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		uint64_t *value = (void *)(values + kvmstats_stat_offset(stat));
		uint64_t unit = unit_of(stat, interval);

		for (n = 0; unit > 1 && n < kvmstats_stat_size(stat); n++)
			value[n] = rounded(value[n], unit);
	}
}

static void round_times(char *pass, const struct kvmstats_host *host, uint64_t interval)
{
	struct kvm_host_header *header = (void *)pass;
	struct kvm_host_vcpu *record;
	struct kvm_host_end *end;

	header->monotonic = rounded(header->monotonic, MICROSECOND);
	header->boottime = rounded(header->boottime, MICROSECOND);
	header->arrival = rounded(header->arrival, MICROSECOND);
	for (; (record = (void *)pass)->record.type != KVM_HOST_END; pass += record->record.size) {
		bool is_vm = record->record.type == KVM_HOST_VM;

		if (!is_vm && record->record.type != KVM_HOST_VCPU)
			continue;
		record->time = rounded(record->time, MICROSECOND);
		round_values(pass + (is_vm ? header->vm_values : header->vcpu_values),
			     kvmstats_host_schema(host, is_vm ? KVMSTATS_KIND_VM :
								KVMSTATS_KIND_VCPU),
			     interval);
	}
	end = (void *)pass;
	end->monotonic = rounded(end->monotonic, MICROSECOND);
	end->boottime = rounded(end->boottime, MICROSECOND);
}

/* ---- what of a file is kept ---- */

/*
 * The commands use little of most files, and what changes needs space in each sample. Of all
 * threads of the kernel but the workers of virtio devices, not even the name is kept.
 */
#define KERNEL_THREADS	"/proc/2/task/2/children"
#define COMM		"/proc/%d/comm%n"
#define WORKER		"vhost-"

struct capture {
	struct sample *sample;
	uint64_t interval;
	struct bytes workers;		/* a list instead of that of all threads of the kernel */
};

/* The lines that are kept of files with this name, by how they begin */
static const struct {
	const char *name;
	const char *lines[5];
} kept_lines[] = {
	{ "/status", { "Name:", "HugetlbPages:" } },
	{ "/meminfo", { "MemTotal:", "MemAvailable:" } },
	{ "/cpu.stat", { "usage_usec", "nr_periods", "nr_throttled", "throttled_" } },
	{ "/cpu.pressure", { "some" } },
	{ "/memory.pressure", { "some" } },
};

static void keep_lines(char *text, const char * const *begins)
{
	char *to = text, *line, *end;

	for (line = text; *line; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (!begins_with_one(line, begins))
			continue;
		memmove(to, line, (size_t)(end - line));
		to += end - line;
	}
	*to = '\0';
}

/* Keeps the times of all CPUs together, and the names of each one. */
static void keep_cpus(char *text)
{
	const char *line, *end;
	char *to = text;

	for (line = text; !strncmp(line, "cpu", 3) && (end = strchr(line, '\n')); line = end + 1) {
		size_t kept = line == text ? (size_t)(end - line) : strcspn(line, "\n ");

		memmove(to, line, kept);
		to += kept;
		*to++ = '\n';
	}
	*to = '\0';
}

/* The fields of proc(5) that parse_task() uses. The others become '-'. */
static void keep_fields(char *text)
{
	static const uint64_t kept = 1 << 3 | 1 << 12 | 1 << 14 | 1 << 15 | 1 << 24 |
				     UINT64_C(1) << 39 | UINT64_C(1) << 41 | UINT64_C(1) << 43;
	char *from = strrchr(text, ')'), *to;
	unsigned int field;

	from = from ? from + 1 : text + strlen(text);
	to = from;
	for (field = 3; field <= 43 && *from == ' '; field++) {
		size_t size = strcspn(from + 1, "\n ") + 1;

		*to++ = ' ';
		if (kept >> field & 1) {
			memmove(to, from + 1, size - 1);
			to += size - 1;
		} else {
			*to++ = '-';
		}
		from += size;
	}
	*to = '\0';
}

/* Keeps the time on a CPU, and the time waiting for one, in ns. */
static void keep_schedstat(char *text, uint64_t unit)
{
	uint64_t runtime, waiting;

	if (sscanf(text, "%" SCNu64 " %" SCNu64, &runtime, &waiting) == 2)
		sprintf(text, "%" PRIu64 " %" PRIu64, rounded(runtime, unit),
			rounded(waiting, unit));
}

static void keep_used(const char *path, char *text, uint64_t interval)
{
	const char *name = strrchr(path, '/');
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kept_lines); i++) {
		if (!strcmp(name, kept_lines[i].name))
			keep_lines(text, kept_lines[i].lines);
	}
	if (!strcmp(path, "/proc/stat"))
		keep_cpus(text);
	else if (!strcmp(name, "/stat"))
		keep_fields(text);
	else if (!strcmp(name, "/schedstat"))
		keep_schedstat(text, state_unit(interval));
	else if (!strcmp(name, "/loadavg"))
		text[strcspn(text, " ")] = '\0';
}

/* ---- the files that are read during a sample ---- */

/* Whether this is the name of a thread of the kernel that is not kept. */
static bool is_dropped(const char *path, const char *text, struct bytes *workers)
{
	char id[16];
	int tid, end = 0;

	if (sscanf(path, COMM, &tid, &end) != 1 || !end || path[end] || tid == 2)
		return false;
	if (strncmp(text, WORKER, strlen(WORKER)))
		return true;
	bytes_add(workers, id, (size_t)sprintf(id, "%d ", tid));
	return false;
}

static ssize_t capture_file(char *buf, size_t size, const char *path, void *arg)
{
	struct capture *capture = arg;
	ssize_t n = read_kernel_file(buf, size, path);

	if (n < 0 || !strcmp(path, KERNEL_THREADS) || is_dropped(path, buf, &capture->workers))
		return n;
	keep_used(path, buf, capture->interval);
	sample_add_file(capture->sample, path, buf);
	return (ssize_t)strlen(buf);
}

/* ---- samples ---- */

/*
 * The functions of proc.h read all files of a process that they do not know, and later only some.
 * A replay can begin at any sample, so each sample needs all files.
 */
static void forget_processes(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++)
		process_free(&monitor->vmm[i]->process);
}

static bool is_above(const struct cgroup *above, const struct cgroup *cgroup)
{
	while (cgroup && cgroup != above)
		cgroup = cgroup->parent;
	return cgroup;
}

/* The weights of two threads are compared where their paths part. */
static void read_weights(const struct thread *thread, const struct cgroup **last)
{
	const struct cgroup *cgroup = thread->membership ? thread->membership->cpu : NULL;

	for (; cgroup && !is_above(cgroup, *last); cgroup = cgroup->parent)
		cgroup_weight(cgroup);
	if (thread->membership)
		*last = thread->membership->cpu;
}

/* What only `kvm-stats why` needs, of the cgroups of vCPUs */
static void read_cgroups(const struct monitor *monitor)
{
	const struct cgroup *last = NULL;
	struct pressure pressure;
	char cgroup[256];
	size_t i, n;

	for (i = 0; i < monitor->vmms; i++) {
		const struct process *process = &monitor->vmm[i]->process;

		process_cgroup(cgroup, sizeof(cgroup), process);
		cgroup_pressure(&pressure, cgroup, "memory.pressure");
		cgroup_pressure(&pressure, cgroup, "cpu.pressure");
		for (n = 0; n < process->threads; n++)
			read_weights(&process->thread[n], &last);
	}
}

static void add_names(struct bytes *pass, const struct kvmstats_vmm *vmm)
{
	const char *names[] = { kvmstats_vmm_comm(vmm), kvmstats_vmm_guest(vmm),
				kvmstats_vmm_uuid(vmm), kvmstats_vmm_cgroup(vmm) };
	size_t start = pass->size, i;

	bytes_extend(pass, sizeof(struct kvm_host_names));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		bytes_add(pass, names[i] ? names[i] : "", names[i] ? strlen(names[i]) + 1 : 1);
	while (!pass->failed && (pass->size - start) % 8)
		bytes_add(pass, "", 1);
	if (!pass->failed)
		*(struct kvm_host_names *)(void *)(pass->data + start) = (struct kvm_host_names){
			.record = { .type = KVM_HOST_NAMES, .size = (__u32)(pass->size - start) },
			.start_time = kvmstats_vmm_start_time(vmm),
			.pid = (__u32)kvmstats_vmm_pid(vmm),
			.error = (__u32)-kvmstats_vmm_name_error(vmm),
		};
}

/* Adds the names before the end of the pass. */
static int add_pass(struct bytes *to, const struct kvmstats_host *host, uint64_t interval)
{
	size_t size, at = 0, i;
	const char *pass = kvmstats_host_pass(host, &size);
	const struct kvm_host_record *record = (const void *)pass;

	if (!pass)
		return -ENODATA;
	while (record->type != KVM_HOST_END) {
		at += record->size;
		record = (const void *)(pass + at);
	}
	bytes_add(to, pass, at);
	for (i = 0; i < kvmstats_host_vmms(host); i++)
		add_names(to, kvmstats_host_vmm(host, i));
	bytes_add(to, record, size - at);
	if (!to->failed)
		round_times(to->data, host, interval);
	return 0;
}

int capture_sample(struct monitor *monitor, uint64_t interval, struct sample *sample)
{
	struct capture capture = { .sample = sample, .interval = interval };
	uint64_t time = clock_read(CLOCK_REALTIME);
	struct host host = { .cpus = 0 };
	int err;

	sample_clear(sample);
	sample->time = time;
	forget_processes(monitor);
	kernel_set_reader(capture_file, &capture);
	err = monitor_sample(monitor);
	if (!err) {
		read_cgroups(monitor);
		host_update(&host);
		monitor_exits(monitor);
		err = add_pass(&sample->pass, monitor->host, interval);
	}
	kernel_set_reader(NULL, NULL);
	bytes_add(&capture.workers, "", 1);
	if (capture.workers.failed)
		sample->files.failed = true;
	else if (capture.workers.size > 1)
		sample_add_file(sample, KERNEL_THREADS, capture.workers.data);
	bytes_free(&capture.workers);
	if (!err && sample_failed(sample))
		err = -ENOMEM;
	if (err == -ENOMEM)
		message_no_memory(&monitor->problem);
	return err;
}
