// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "host_format.h"
#include "record/capture.h"
#include "util.h"

/* ---- the files that are read meanwhile ---- */

/*
 * Two files are long, and hardly anything of them is used: the times of each CPU in /proc/stat, and
 * the list of the kernel's threads, of which only workers of virtio devices matter. Of all other
 * threads of the kernel, not even the name is kept.
 */
#define STAT		"/proc/stat"
#define KERNEL_THREADS	"/proc/2/task/2/children"
#define COMM		"/proc/%d/comm%n"
#define WORKER		"vhost-"

struct capture {
	struct sample *sample;
	struct bytes workers;		/* a list instead of that of all threads of the kernel */
};

/* Keeps the times of all CPUs together, and the names of each one. */
static void cut_cpus(char *text)
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
	if (!strcmp(path, STAT)) {
		cut_cpus(buf);
		n = (ssize_t)strlen(buf);
	}
	sample_add_file(capture->sample, path, buf);
	return n;
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
static int add_pass(struct bytes *to, const struct kvmstats_host *host)
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
	return 0;
}

int capture_sample(struct monitor *monitor, struct sample *sample)
{
	struct capture capture = { .sample = sample };
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
		err = add_pass(&sample->pass, monitor->host);
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
