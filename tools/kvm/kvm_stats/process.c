// SPDX-License-Identifier: GPL-2.0-only
/* The limits and states of VMMs, and their use of CPUs: see proc.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "proc.h"
#include "util.h"

/* How often what rarely changes is read: cgroups of threads, and huge pages */
#define CHECK_INTERVAL	(10 * SECOND)

const char *process_state_name(enum process_state state)
{
	static const char * const names[] = {
		[PROCESS_RUNS] = "running", [PROCESS_PAUSED] = "paused",
		[PROCESS_STOPPED] = "stopped", [PROCESS_FROZEN] = "frozen",
		[PROCESS_BLOCKED] = "blocked", [PROCESS_UNKNOWN] = "unknown",
	};

	return names[state];
}

/* ---- cgroups ---- */

void thread_read_membership(struct membership **membership, pid_t pid, pid_t tid)
{
	struct membership *old = *membership;
	char text[8192];

	if (!proc_read(text, sizeof(text), "%d/task/%d/cgroup", (int)pid, (int)tid))
		return;
	if (old && !strcmp(old->text, text))
		return;
	*membership = membership_get(text);
	membership_put(old);
}

/* Returns the innermost limit of the thread's cgroups, or NULL. */
static struct cgroup *limit_of(const struct thread *thread)
{
	struct cgroup *cgroup = thread->membership ? thread->membership->cpu : NULL;

	while (cgroup && !cgroup_is_limited(cgroup))
		cgroup = cgroup->parent;
	return cgroup;
}

static void add_limit(struct process *process, const struct cgroup *cgroup)
{
	double cpus = (double)cgroup->now.quota / (double)cgroup->now.period;
	struct process_limit *limit = &process->limit;
	bool binds = cgroup_limit_binds(cgroup);

	if (process->has_before)
		limit->throttled += cgroup_throttled(cgroup);
	if (!limit->cpus || binds > limit->binds || (binds == limit->binds && cpus < limit->cpus))
		snprintf(limit->cgroup, sizeof(limit->cgroup), "%s", cgroup->path);
	if (!limit->cpus || cpus < limit->cpus)
		limit->cpus = cpus;
	limit->binds |= binds;
}

/* Adds up each limit of the cgroups of all vCPUs once. */
static void update_limits(struct process *process, const struct processes *processes)
{
	static uint64_t mark;
	size_t i;

	process->limit = (struct process_limit){ .throttled = process->limit.throttled };
	mark++;
	for (i = 0; i < process->threads; i++) {
		struct thread *thread = &process->thread[i];
		struct cgroup *cgroup;

		if (thread->group != THREAD_VCPU || !process->pid)
			continue;
		if (!thread->membership || process->checked == processes->time)
			thread_read_membership(&thread->membership, process->pid,
					       thread->tid);
		if (thread->membership)
			cgroup_update(thread->membership->cpu, processes->time);
		for (cgroup = limit_of(thread); cgroup && cgroup->marked != mark;
		     cgroup = cgroup->parent) {
			cgroup->marked = mark;
			if (cgroup_is_limited(cgroup))
				add_limit(process, cgroup);
		}
	}
}

/* ---- states ---- */

/*
 * Whether a vCPU or the main thread is in uninterruptible sleep, and did not run since the last
 * update.
 */
static bool is_blocked(const struct process *process, const struct thread *thread)
{
	char state = thread->tid == process->pid ? process->now.state : thread->now.state;

	if (thread->group != THREAD_VCPU && thread->tid != process->pid)
		return false;
	return state == 'D' &&
	       (!thread->has_before || thread->now.runtime == thread->before.runtime);
}

/* A thread in KVM_RUN can only sleep while the vCPU is blocking. */
static bool sleeps_outside(const struct thread *thread)
{
	return thread->has_before && thread->now.state == 'S' && thread->before.state == 'S' &&
	       thread->now.outside && thread->before.outside &&
	       thread->now.runtime == thread->before.runtime;
}

/* A frozen process uses no CPU time, so the files are only read if it used none. */
static bool is_frozen(const struct process *process)
{
	size_t i;

	if (process->has_before && process->now.runtime != process->before.runtime)
		return false;
	for (i = 0; i < process->threads; i++) {
		if (process->thread[i].membership)
			return membership_frozen_in(process->thread[i].membership);
	}
	return false;
}

static enum process_state state_of(const struct process *process, size_t vcpus)
{
	bool stopped = task_is_stopped(&process->now), blocked = false;
	size_t outside = 0, i;

	for (i = 0; i < process->threads; i++) {
		const struct thread *thread = &process->thread[i];
		bool runs_vcpu = thread->group == THREAD_VCPU;

		stopped |= runs_vcpu && task_is_stopped(&thread->now);
		blocked |= is_blocked(process, thread);
		outside += runs_vcpu && sleeps_outside(thread);
	}
	if (stopped)
		return PROCESS_STOPPED;
	if (is_frozen(process))
		return PROCESS_FROZEN;
	if (blocked)
		return PROCESS_BLOCKED;
	return vcpus && outside == vcpus ? PROCESS_PAUSED : PROCESS_RUNS;
}

/* ---- processes ---- */

static void update_huge_memory(struct process *process)
{
	static const char name[] = "\nHugetlbPages:";
	char text[4096];
	const char *at;

	if (!proc_read(text, sizeof(text), "%d/status", (int)process->pid))
		return;
	at = strstr(text, name);
	process->huge_memory = at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

bool process_update(struct process *process, const struct processes *processes,
		    const struct process_vcpu *vcpu, size_t vcpus)
{
	process->has_before = process->has_now;
	process->before = process->now;
	process->time_before = process->time;
	process->time = processes->time;
	process->has_now = process->pid && task_read(&process->now, process->pid, 0);
	if (!process->checked || processes->time - process->checked >= CHECK_INTERVAL) {
		/* The first interval differs, so that not all are checked in the same pass. */
		process->checked = processes->time -
				   (process->checked ? 0 : (uint64_t)process->pid % 10 * SECOND);
		if (process->has_now)
			update_huge_memory(process);
	}
	process->waiting_before = process->group[THREAD_VCPU].waiting;
	process->throttled_before = process->limit.throttled;
	if (!process_update_threads(process, processes, vcpu, vcpus))
		return false;
	update_limits(process, processes);
	process->state = process->has_now ? state_of(process, vcpus) : PROCESS_UNKNOWN;
	return true;
}

bool process_update_vmm(struct process *process, const struct processes *processes,
			const struct kvmstats_host *host, const struct kvmstats_vmm *vmm)
{
	struct process_vcpu *vcpu = calloc(kvmstats_vmm_vcpus(vmm) + 1, sizeof(*vcpu));
	size_t vcpus = 0, i, n;
	bool good;

	if (!vcpu)
		return false;
	for (i = 0; i < kvmstats_vmm_vms(vmm); i++) {
		const struct kvmstats_host_vm *vm = kvmstats_vmm_vm(vmm, i);

		for (n = 0; n < kvmstats_host_vm_vcpus(vm); n++) {
			const struct kvmstats_host_vcpu *from = kvmstats_host_vm_vcpu(vm, n);

			vcpu[vcpus++] = (struct process_vcpu){
				.id = kvmstats_host_vcpu_id(from),
				.tid = kvmstats_host_vcpu_tid(from),
				.sample = kvmstats_host_vcpu_now(from),
				.waiting = kvmstats_host_vcpu_waiting(host, from),
			};
		}
	}
	good = process_update(process, processes, vcpu, vcpus);
	free(vcpu);
	return good;
}

void process_free(struct process *process)
{
	while (process->threads)
		membership_put(process->thread[--process->threads].membership);
	free(process->thread);
	*process = (struct process){ 0 };
}

/* ---- the use of CPUs ---- */

static double share_of(uint64_t part, uint64_t interval)
{
	return 100.0 * (double)part / (double)interval;
}

static const struct cpu_use no_use = { -1, -1, -1, -1, -1, false };

/* The scheduler knows the run time exactly. Most kernels count its parts at timer ticks. */
static struct cpu_use use_of(const struct group_times *grown_times, uint64_t interval)
{
	uint64_t ticks = grown_times->guest + grown_times->user + grown_times->kernel;
	double running = share_of(grown_times->runtime, interval);
	struct cpu_use use = no_use;

	use.guest = ticks ? running * (double)grown_times->guest / (double)ticks : running;
	use.user = ticks ? running * (double)grown_times->user / (double)ticks : 0;
	use.kernel = ticks ? running * (double)grown_times->kernel / (double)ticks : 0;
	use.waiting = share_of(grown_times->waiting, interval);
	return use;
}

/* Threads that are throttled wait, so throttled time is a part of the time that they waited. */
static void set_throttled(struct cpu_use *use, uint64_t throttled, uint64_t interval)
{
	use->throttled = share_of(throttled, interval);
	if (use->waiting >= 0 && use->throttled > use->waiting)
		use->throttled = use->waiting;
	if (use->waiting >= 0)
		use->waiting -= use->throttled;
}

struct cpu_use process_use(const struct process *process)
{
	struct group_times times = { 0 };
	struct cpu_use use;

	if (!process->has_now || !process->has_before || process->time <= process->time_before)
		return no_use;
	group_times_add(&times, &process->before, &process->now);
	use = use_of(&times, process->time - process->time_before);
	use.waiting = -1;
	return use;
}

struct cpu_use thread_use(const struct process *process, const struct thread *thread)
{
	uint64_t interval = process->time - process->time_before, throttled = 0;
	const struct cgroup *limit = limit_of(thread), *cgroup;
	struct group_times times = { 0 };
	size_t limits = 0;
	struct cpu_use use;

	if (!thread->has_before || !interval)
		return no_use;
	group_times_add(&times, &thread->before, &thread->now);
	use = use_of(&times, interval);
	if (!thread->now.has_waiting || !thread->before.has_waiting)
		use.waiting = -1;
	/* Several limits can throttle at the same time. */
	for (cgroup = limit; cgroup; cgroup = cgroup->parent) {
		uint64_t at = cgroup_is_limited(cgroup) ? cgroup_throttled(cgroup) : 0;

		throttled = at > throttled ? at : throttled;
		limits += cgroup_is_limited(cgroup);
	}
	if (limit)
		set_throttled(&use, throttled, interval);
	use.throttled_is_exact = limits == 1 && limit == thread->membership->cpu &&
				 thread->membership->refs == 1;
	return use;
}

bool process_has_waiting(const struct process *process)
{
	size_t i;

	if (process->group[THREAD_VCPU].waiting)
		return true;
	for (i = 0; i < process->threads; i++) {
		if (process->thread[i].group == THREAD_VCPU && process->thread[i].now.has_waiting)
			return true;
	}
	return false;
}

struct cpu_use process_group_use(const struct process *process, enum thread_group group)
{
	uint64_t interval = process->time - process->time_before;
	bool has_waiting = true, exact = true;
	struct group_times times = { 0 };
	struct cpu_use use;
	size_t found = 0, i;

	for (i = 0; i < process->threads; i++) {
		const struct thread *thread = &process->thread[i];

		if (thread->group != group || !thread->has_before)
			continue;
		group_times_add(&times, &thread->before, &thread->now);
		has_waiting &= thread->now.has_waiting && thread->before.has_waiting;
		exact &= thread_use(process, thread).throttled_is_exact;
		found++;
	}
	if (!found || !interval)
		return no_use;
	use = use_of(&times, interval);
	if (!has_waiting)
		use.waiting = -1;
	if (group == THREAD_VCPU && process->limit.cpus > 0)
		set_throttled(&use, process->limit.throttled - process->throttled_before, interval);
	use.throttled_is_exact = use.throttled >= 0 && exact;
	return use;
}
