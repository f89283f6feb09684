// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc.h"
#include "util.h"
#include "why/occupants.h"

/* A process as of the last scan. The threads of one that uses no CPU time are not read. */
struct busy_process {
	pid_t pid;
	uint64_t runtime;
};

static void add(struct occupants *occupants, const struct occupant *occupant)
{
	struct occupant *more = array_grow(occupants->occupant, occupants->occupants,
					   &occupants->capacity, sizeof(*more));

	if (!more)
		return;
	occupants->occupant = more;
	more[occupants->occupants++] = *occupant;
}

/* ---- vCPUs ---- */

static uint64_t value_of(const struct kvmstats_host_vcpu *vcpu, const struct kvmstats_stat *stat)
{
	uint64_t value = 0;

	if (stat)
		kvmstats_sample_value(kvmstats_host_vcpu_now(vcpu), stat, 0, &value);
	return value;
}

static void add_vcpus(struct occupants *occupants, const struct kvmstats_host *host,
		      const struct kvmstats_vmm *vmm, const struct kvmstats_host_vm *vm,
		      const struct kvmstats_stat * const *stat)
{
	size_t i;

	for (i = 0; i < kvmstats_host_vm_vcpus(vm); i++) {
		const struct kvmstats_host_vcpu *vcpu = kvmstats_host_vm_vcpu(vm, i);

		if (value_of(vcpu, stat[0]) || kvmstats_host_vcpu_waiting(host, vcpu))
			add(occupants, &(struct occupant){
				.pid = kvmstats_vmm_pid(vmm), .tid = kvmstats_host_vcpu_tid(vcpu),
				.cpu = (int)value_of(vcpu, stat[1]),
				.kind = value_of(vcpu, stat[0]) ? OCCUPANT_RUNS : OCCUPANT_WAITS,
				.vcpu = kvmstats_host_vcpu_id(vcpu), .vmm = vmm,
			});
	}
}

void occupants_begin(struct occupants *occupants, const struct kvmstats_host *host, bool is_copy)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	const struct kvmstats_stat *stat[2];
	char text[64];
	size_t i, n;

	occupants->occupants = 0;
	occupants->sorted = false;
	occupants->scanned = false;
	occupants->is_copy = is_copy;
	if (!is_copy && !occupants->self && proc_read(text, sizeof(text), "self/stat"))
		occupants->self = (pid_t)atoi(text);
	stat[0] = kvmstats_schema_find(schema, "thread_on_cpu");
	stat[1] = kvmstats_schema_find(schema, "thread_cpu");
	occupants->has_vcpus = stat[0] && stat[1];
	for (i = 0; occupants->has_vcpus && i < kvmstats_host_vmms(host); i++) {
		const struct kvmstats_vmm *vmm = kvmstats_host_vmm(host, i);

		/* A host file that this process has loaded for itself has a VM. */
		if (kvmstats_vmm_pid(vmm) == occupants->self)
			continue;
		for (n = 0; n < kvmstats_vmm_vms(vmm); n++)
			add_vcpus(occupants, host, vmm, kvmstats_vmm_vm(vmm, n), stat);
	}
}

/* ---- other threads ---- */

struct scan {
	struct occupants *occupants;
	struct busy_process *process;
	size_t processes;
	size_t capacity;
	pid_t pid;
};

static bool scan_thread(pid_t tid, void *arg)
{
	const struct scan *scan = arg;
	struct occupant occupant = {
		.kind = OCCUPANT_OTHER, .pid = scan->pid, .tid = tid, .vcpu = -1,
	};
	struct task task;

	if (!task_read(&task, scan->pid, tid) || task.state != 'R')
		return true;
	occupant.cpu = task.cpu;
	snprintf(occupant.name, sizeof(occupant.name), "%.15s", task.name);
	add(scan->occupants, &occupant);
	return true;
}

static int compare_processes(const void *a, const void *b)
{
	const struct busy_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static bool scan_process(pid_t pid, void *arg)
{
	struct scan *scan = arg;
	const struct busy_process *old = NULL;
	struct busy_process *more, now = { .pid = pid };
	struct task task;

	if (pid == scan->occupants->self || !task_read(&task, pid, 0))
		return true;
	now.runtime = task.runtime;
	if (scan->occupants->processes)
		old = bsearch(&now, scan->occupants->process, scan->occupants->processes,
			      sizeof(now), compare_processes);
	more = array_grow(scan->process, scan->processes, &scan->capacity, sizeof(now));
	if (!more)
		return false;
	scan->process = more;
	more[scan->processes++] = now;
	scan->pid = pid;
	if (old && old->runtime != now.runtime)
		proc_list(scan_thread, scan, "%d/task", (int)pid);
	return true;
}

static void scan_processes(struct occupants *occupants)
{
	struct scan scan = { .occupants = occupants };

	occupants->scanned = true;
	occupants->sorted = false;
	if (occupants->is_copy)
		return;
	proc_list(scan_process, &scan, ".");
	if (scan.processes)
		qsort(scan.process, scan.processes, sizeof(*scan.process), compare_processes);
	free(occupants->process);
	occupants->process = scan.process;
	occupants->processes = scan.processes;
}

/* ---- CPUs ---- */

static int compare_places(const void *a, const void *b)
{
	const struct occupant *x = a, *y = b;
	int order = (x->cpu > y->cpu) - (x->cpu < y->cpu);

	return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

/* Returns the first of those that are equal to @key. */
static const struct occupant *find(struct occupants *occupants, const struct occupant *key,
				   size_t *count)
{
	const struct occupant *list = occupants->occupant, *first;

	*count = 0;
	if (!occupants->sorted && list)
		qsort(occupants->occupant, occupants->occupants, sizeof(*key), compare_places);
	occupants->sorted = true;
	first = list ? bsearch(key, list, occupants->occupants, sizeof(*key), compare_places) :
		       NULL;
	while (first && first > list && !compare_places(first - 1, key))
		first--;
	while (first && first + *count < list + occupants->occupants &&
	       !compare_places(first + *count, key))
		++*count;
	return first;
}

const struct occupant *occupants_on(struct occupants *occupants, int cpu, bool waits,
				    size_t *count)
{
	struct occupant key = { .cpu = cpu, .kind = waits ? OCCUPANT_RUNS : OCCUPANT_WAITS };
	const struct occupant *found = find(occupants, &key, count);

	if (*count)
		return found;
	if (!occupants->scanned)
		scan_processes(occupants);
	key.kind = OCCUPANT_OTHER;
	return find(occupants, &key, count);
}

struct occupant occupants_thread(const struct occupants *occupants, pid_t pid, pid_t tid,
				 const char *name)
{
	struct occupant occupant = { .kind = OCCUPANT_OTHER, .pid = pid, .tid = tid, .vcpu = -1 };
	size_t i;

	for (i = 0; i < occupants->occupants; i++) {
		if (occupants->occupant[i].tid == tid)
			return occupants->occupant[i];
	}
	snprintf(occupant.name, sizeof(occupant.name), "%.15s", name);
	return occupant;
}

void occupants_free(struct occupants *occupants)
{
	free(occupants->occupant);
	free(occupants->process);
	*occupants = (struct occupants){ 0 };
}
