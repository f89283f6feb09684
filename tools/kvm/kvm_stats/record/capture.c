// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
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

/* Adds the times of all CPUs together, and the names of each one. */
static void add_cpus(struct sample *sample, const char *text)
{
	struct bytes kept = { 0 };
	const char *line = text;

	while (!strncmp(line, "cpu", 3)) {
		size_t whole = strcspn(line, "\n");

		bytes_add(&kept, line, line == text ? whole : strcspn(line, "\n "));
		bytes_add(&kept, "\n", 1);
		line += whole + (line[whole] == '\n');
	}
	if (!kept.failed && kept.size)
		sample_add_text(sample, STAT, kept.data, kept.size);
	sample->text.failed |= kept.failed;
	bytes_free(&kept);
}

static bool is_comm(const char *path, int *tid)
{
	int end = 0;

	return sscanf(path, COMM, tid, &end) == 1 && end && !path[end];
}

static ssize_t capture_file(char *buf, size_t size, const char *path, void *arg)
{
	struct sample *sample = arg;
	ssize_t n = read_kernel_file(buf, size, path);
	int tid;

	if (n < 0 || !strcmp(path, KERNEL_THREADS))
		return n;
	if (is_comm(path, &tid) && tid != 2 && strncmp(buf, "vhost-", strlen("vhost-")))
		return n;
	if (!strcmp(path, STAT))
		add_cpus(sample, buf);
	else if (!sample_find(sample, path))
		sample_add_text(sample, path, buf, (size_t)n);
	return n;
}

/* Adds a list of the workers instead of that of all threads of the kernel. */
static void add_workers(struct sample *sample)
{
	struct bytes list = { 0 };
	size_t i;

	for (i = 0; i < sample_objects(sample); i++) {
		char text[16];
		int tid;

		if (!is_comm(object_name(sample, sample_object(sample, i)), &tid) || tid == 2)
			continue;
		bytes_add(&list, text, (size_t)sprintf(text, "%d ", tid));
	}
	if (list.size && !list.failed)
		sample_add_text(sample, KERNEL_THREADS, list.data, list.size);
	bytes_free(&list);
}

/* ---- samples ---- */

/*
 * All files of a process that is new to the functions of proc.h are read, and of others, some only
 * when they are needed. So the commands find what they need in each sample with which they begin.
 */
static void forget_processes(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++)
		process_free(&monitor->vmm[i]->process);
}

/* What only `kvm-stats why` needs, of the cgroups of vCPUs */
static void read_cgroups(const struct monitor *monitor)
{
	struct pressure pressure;
	char cgroup[256];
	size_t i, n;

	for (i = 0; i < monitor->vmms; i++) {
		const struct process *process = &monitor->vmm[i]->process;

		process_cgroup(cgroup, sizeof(cgroup), process);
		cgroup_pressure(&pressure, cgroup, "memory.pressure");
		cgroup_pressure(&pressure, cgroup, "cpu.pressure");
		for (n = 0; n < process->threads; n++) {
			const struct membership *membership = process->thread[n].membership;

			if (membership && membership->cpu)
				cgroup_weight(membership->cpu);
		}
	}
}

int capture_sample(struct monitor *monitor, struct sample *sample)
{
	struct host host = { .cpus = 0 };
	uint64_t time = clock_read(CLOCK_REALTIME);
	int err;

	sample_clear(sample);
	forget_processes(monitor);
	kernel_set_reader(capture_file, sample);
	err = monitor_sample(monitor);
	if (!err)
		read_cgroups(monitor);
	if (!err)
		host_update(&host);
	if (!err)
		monitor_exits(monitor);
	kernel_set_reader(NULL, NULL);
	if (!err) {
		add_workers(sample);
		err = sample_add_host(sample, monitor->host);
	}
	if (err == -ENOMEM)
		message_no_memory(&monitor->problem);
	sample->time = time;
	return err;
}
