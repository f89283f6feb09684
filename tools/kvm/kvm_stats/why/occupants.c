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
				.on_cpu = value_of(vcpu, stat[0]),
				.vcpu = kvmstats_host_vcpu_id(vcpu), .vmm = vmm,
			});
	}
}

void occupants_begin(struct occupants *occupants, const struct kvmstats_host *host, bool is_copy)
{
	const struct kvmstats_schema *schema = kvmstats_host_schema(host, KVMSTATS_KIND_VCPU);
	const struct kvmstats_stat *stat[2] = { NULL };
	size_t i, n;

	occupants->occupants = 0;
	occupants->scanned = false;
	occupants->is_copy = is_copy;
	if (schema) {
		stat[0] = kvmstats_schema_find(schema, "thread_on_cpu");
		stat[1] = kvmstats_schema_find(schema, "thread_cpu");
	}
	occupants->has_vcpus = stat[0] && stat[1];
	for (i = 0; occupants->has_vcpus && i < kvmstats_host_vmms(host); i++) {
		const struct kvmstats_vmm *vmm = kvmstats_host_vmm(host, i);

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
	struct occupant occupant = { .pid = scan->pid, .tid = tid, .vcpu = -1 };
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
	char text[64];

	occupants->scanned = true;
	if (occupants->is_copy)
		return;
	if (!occupants->self && proc_read(text, sizeof(text), "self/stat"))
		occupants->self = (pid_t)atoi(text);
	proc_list(scan_process, &scan, ".");
	if (scan.processes)
		qsort(scan.process, scan.processes, sizeof(*scan.process), compare_processes);
	free(occupants->process);
	occupants->process = scan.process;
	occupants->processes = scan.processes;
}

/* ---- CPUs ---- */

struct query {
	int cpu;
	pid_t tid;
	bool vcpus;		/* only vCPUs, otherwise only other threads */
	bool on_cpu;		/* of vCPUs, only those that run */
};

/* Returns how many there are. */
static size_t report(const struct occupants *occupants, const struct query *query,
		     void (*found)(const struct occupant *occupant, void *arg), void *arg)
{
	size_t count = 0, i;

	for (i = 0; i < occupants->occupants; i++) {
		const struct occupant *occupant = &occupants->occupant[i];
		bool is_vcpu = occupant->vcpu >= 0;

		if (occupant->cpu != query->cpu || occupant->tid == query->tid ||
		    is_vcpu != query->vcpus || (is_vcpu && occupant->on_cpu != query->on_cpu))
			continue;
		found(occupant, arg);
		count++;
	}
	return count;
}

void occupants_on(struct occupants *occupants, int cpu, pid_t tid, bool waits,
		  void (*found)(const struct occupant *occupant, void *arg), void *arg)
{
	struct query query = { .cpu = cpu, .tid = tid, .vcpus = true, .on_cpu = waits };

	if (report(occupants, &query, found, arg))
		return;
	if (!occupants->scanned)
		scan_processes(occupants);
	query.vcpus = false;
	report(occupants, &query, found, arg);
}

void occupants_free(struct occupants *occupants)
{
	free(occupants->occupant);
	free(occupants->process);
	*occupants = (struct occupants){ 0 };
}
