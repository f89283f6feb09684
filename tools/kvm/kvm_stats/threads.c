// SPDX-License-Identifier: GPL-2.0-only
/* The threads of VMMs, and what they do: see proc.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "guest.h"
#include "proc.h"
#include "util.h"

/* ---- names of threads ---- */

const char *thread_group_name(enum thread_group group)
{
	static const char * const names[] = {
		[THREAD_VCPU] = "vcpu", [THREAD_VHOST] = "vhost", [THREAD_IO] = "iothread",
		[THREAD_EMULATOR] = "emulator",
	};

	return names[group];
}

/* QEMU has I/O threads "IO NAME", and workers for disks. The kernel has those of io_uring. */
static enum thread_group group_of_task(const struct task *task)
{
	static const char * const io[] = { "IO ", "worker", "iou-wrk-", "iou-sqp-" };
	size_t i;

	if (kvmstats_vcpu_of_name(task->name) >= 0 || task->guest)
		return THREAD_VCPU;
	if (!strncmp(task->name, "vhost-", strlen("vhost-")))
		return THREAD_VHOST;
	for (i = 0; i < ARRAY_SIZE(io); i++) {
		if (!strncmp(task->name, io[i], strlen(io[i])))
			return THREAD_IO;
	}
	return THREAD_EMULATOR;
}

/* ---- threads vhost-PID of the kernel: before Linux 6.4, they are not those of the process ---- */

struct worker {
	pid_t tid;
	pid_t owner;		/* a thread of the VMM; 0: the thread is no worker */
};

static int by_tid(const void *a, const void *b)
{
	const struct worker *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* The names of threads that the last pass knows are not read again. Most are of other kinds. */
static struct worker new_worker(const struct processes *processes, pid_t tid)
{
	struct worker worker = { .tid = tid }, *known;
	char name[TASK_NAME_SIZE];

	known = processes->workers ? bsearch(&worker, processes->worker, processes->workers,
					     sizeof(worker), by_tid) : NULL;
	/* A recording has the names of workers in each sample. */
	if (known && !known->owner)
		return *known;
	if (proc_read(name, sizeof(name), "%d/comm", (int)tid))
		sscanf(name, "vhost-%d", &worker.owner);
	return worker;
}

struct workers {
	const struct processes *known;
	struct worker *worker;
	size_t workers;
	size_t capacity;
};

static bool add_worker(pid_t tid, void *arg)
{
	struct workers *list = arg;
	struct worker *more = array_grow(list->worker, list->workers, &list->capacity,
					 sizeof(*more));

	if (!more)
		return false;
	list->worker = more;
	more[list->workers++] = new_worker(list->known, tid);
	return true;
}

/* Thread 2 creates all threads of the kernel. Another PID namespace does not have it. */
static void find_workers(struct processes *processes)
{
	struct workers list = { .known = processes };
	char name[TASK_NAME_SIZE];

	if (!proc_read(name, sizeof(name), "2/comm") || strcmp(name, "kthreadd\n"))
		return;
	proc_list(add_worker, &list, "2/task/2/children");
	if (list.workers)
		qsort(list.worker, list.workers, sizeof(*list.worker), by_tid);
	free(processes->worker);
	processes->worker = list.worker;
	processes->workers = list.workers;
}

/* ---- passes ---- */

enum {
	KNOWN, STATE, RUN_DELAY, RUNTIME, USER, SYSTEM, GUEST, MAJOR_FAULTS, BLOCKING,
	THREAD_STATS,
};

void processes_begin(struct processes *processes, uint64_t time,
		     const struct kvmstats_schema *schema, bool all_threads)
{
	static const char * const names[] = {
		[KNOWN] = "thread_known", [STATE] = "thread_state",
		[RUN_DELAY] = "thread_run_delay_ns", [RUNTIME] = "thread_runtime_ns",
		[USER] = "thread_user_ns", [SYSTEM] = "thread_system_ns",
		[GUEST] = "thread_guest_ns", [MAJOR_FAULTS] = "thread_major_faults",
		[BLOCKING] = "blocking",
	};
	size_t i;

	_Static_assert(ARRAY_SIZE(processes->stat) >= THREAD_STATS, "each statistic has a place");
	cgroups_begin();
	processes->time = time;
	processes->all_threads = all_threads;
	for (i = 0; i < THREAD_STATS; i++)
		processes->stat[i] = schema ? kvmstats_schema_find(schema, names[i]) : NULL;
	if (all_threads)
		find_workers(processes);
}

void processes_free(struct processes *processes)
{
	free(processes->worker);
	*processes = (struct processes){ 0 };
}

/* Returns false if there is no such statistic. */
static bool get_stat(uint64_t *value, const struct processes *processes,
		     const struct kvmstats_sample *sample, size_t i)
{
	const uint64_t *values = sample && processes->stat[i] ?
				 kvmstats_sample_values(sample, processes->stat[i]) : NULL;

	if (values)
		*value = *values;
	return values;
}

/* The bits of thread_state, see kvm-stats-host-file(5) */
static char letter_of(uint64_t state)
{
	if (state & 12)
		return state & 4 ? 'T' : 't';
	if (state & 2)
		return 'D';
	return state & 1 ? 'S' : 'R';
}

/* Whether KVM counts that the vCPU is blocking, and it is not. */
static bool is_outside(const struct processes *processes, const struct process_vcpu *vcpu)
{
	uint64_t blocking;

	return get_stat(&blocking, processes, vcpu->sample, BLOCKING) && !blocking;
}

/* Returns false if the sample does not have the values of the thread. */
static bool task_of_sample(struct task *task, const struct processes *processes,
			   const struct process_vcpu *vcpu)
{
	const struct kvmstats_sample *sample = vcpu->sample;
	uint64_t known = 0, state = 0;

	*task = (struct task){ 0 };
	if (!get_stat(&known, processes, sample, KNOWN) || !known ||
	    !get_stat(&state, processes, sample, STATE) ||
	    !get_stat(&task->runtime, processes, sample, RUNTIME))
		return false;
	task->state = letter_of(state);
	task->has_waiting = get_stat(&task->waiting, processes, sample, RUN_DELAY);
	task->waiting += vcpu->waiting;
	get_stat(&task->user, processes, sample, USER);
	get_stat(&task->kernel, processes, sample, SYSTEM);
	get_stat(&task->guest, processes, sample, GUEST);
	get_stat(&task->major_faults, processes, sample, MAJOR_FAULTS);
	return true;
}

/* ---- reading threads ---- */

static bool read_schedstat(struct task *task, const char *directory, pid_t tid)
{
	uint64_t runtime, waiting;
	char text[128], *waited, *end;

	if (!proc_read(text, sizeof(text), "%s/%d/schedstat", directory, (int)tid))
		return false;
	/* The fields are the time on a CPU, the time waiting for one, and the number of turns. */
	runtime = strtoull(text, &waited, 10);
	waiting = strtoull(waited, &end, 10);
	if (waited == text || end == waited)
		return false;
	task->has_waiting = true;
	task->runtime = runtime;
	task->waiting = waiting;
	return true;
}

/* What is read of a thread */
enum detail {
	DETAIL_TIMES,		/* those in schedstat, which is cheaper than stat */
	DETAIL_STATE,		/* also the state, which the process has of its main thread */
	DETAIL_ALL,
};

/*
 * A new thread can still have the name of the thread that created it, so that is read twice,
 * whatever the @detail is.
 */
static bool read_thread_task(struct task *task, const struct process *process,
			     const struct thread *thread, enum detail detail)
{
	pid_t pid = thread->is_kernel ? thread->tid : process->pid;
	bool is_main = thread->tid == process->pid && process->has_now;
	char directory[32];

	snprintf(directory, sizeof(directory), "%d/task", (int)pid);
	if ((detail == DETAIL_TIMES || (detail == DETAIL_STATE && is_main)) &&
	    thread->has_before && thread->group != THREAD_VCPU) {
		*task = thread->now;
		if (is_main)
			task->state = process->now.state;
		if (read_schedstat(task, directory, thread->tid))
			return true;
	}
	if (!task_read(task, pid, thread->tid))
		return false;
	read_schedstat(task, directory, thread->tid);
	return true;
}

void group_times_add(struct group_times *to, const struct task *before, const struct task *now)
{
	uint64_t guest = grown(before->guest, now->guest);

	to->guest += guest;
	/* The kernel scales user times, so the guest time can grow more. */
	to->user += grown(guest, grown(before->user, now->user));
	to->kernel += grown(before->kernel, now->kernel);
	to->runtime += grown(before->runtime, now->runtime);
	to->waiting += grown(before->waiting, now->waiting);
}

/* Makes @task the new values of the thread. */
static void set_thread(struct process *process, struct thread *thread, const struct task *task)
{
	thread->has_before = thread->now.state;
	thread->before = thread->now;
	thread->now = *task;
	/* The estimate of a wait, made before the wait ended, can be a bit too high. */
	if (thread->now.waiting < thread->before.waiting)
		thread->now.waiting = thread->before.waiting;
	thread->seen = true;
	group_times_add(&process->group[thread->group], &thread->before, &thread->now);
}

/* ---- the list of threads ---- */

static int compare_threads(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* The first @sorted threads are sorted. The others are new. */
static struct thread *find_thread(const struct process *process, size_t sorted, pid_t tid)
{
	struct thread key = { .tid = tid }, *found = NULL;

	if (sorted)
		found = bsearch(&key, process->thread, sorted, sizeof(key), compare_threads);
	for (; !found && sorted < process->threads; sorted++) {
		if (process->thread[sorted].tid == tid)
			found = &process->thread[sorted];
	}
	return found;
}

/* Returns the thread, which is added if it is new, or NULL if there is not enough memory. */
static struct thread *get_thread(struct process *process, size_t sorted, pid_t tid)
{
	struct thread *thread = find_thread(process, sorted, tid);

	if (thread)
		return thread;
	thread = array_grow(process->thread, process->threads, &process->capacity, sizeof(*thread));
	if (!thread)
		return NULL;
	process->thread = thread;
	thread += process->threads++;
	*thread = (struct thread){
		.tid = tid, .number = -1, .vcpu = -1, .group = THREAD_EMULATOR,
	};
	return thread;
}

/* Updates the threads of vCPUs that the caller knows. */
static bool update_vcpus(struct process *process, const struct processes *processes, size_t sorted,
			 const struct process_vcpu *vcpu, size_t vcpus)
{
	size_t i;

	for (i = 0; i < vcpus; i++) {
		struct thread *thread;
		struct task task;

		if (!vcpu[i].tid)
			continue;
		thread = get_thread(process, sorted, vcpu[i].tid);
		if (!thread)
			return false;
		thread->vcpu = vcpu[i].id;
		thread->group = THREAD_VCPU;
		if (!task_of_sample(&task, processes, &vcpu[i]) &&
		    !read_thread_task(&task, process, thread, DETAIL_ALL))
			continue;
		task.outside = is_outside(processes, &vcpu[i]);
		/* A thread can run vCPUs of several VMs, one after the other. */
		if (!thread->seen)
			set_thread(process, thread, &task);
	}
	return true;
}

/* Updates a thread that may be one of the process, or of the kernel. */
static bool update_other(struct process *process, size_t sorted, pid_t tid, bool is_kernel,
			 enum detail detail)
{
	struct thread *thread = get_thread(process, sorted, tid);
	struct task task;

	if (!thread)
		return false;
	thread->is_kernel = is_kernel;
	if (thread->seen || !read_thread_task(&task, process, thread, detail))
		return true;
	if (thread->group != THREAD_VCPU)
		thread->group = group_of_task(&task);
	thread->number = kvmstats_vcpu_of_name(task.name);
	set_thread(process, thread, &task);
	return true;
}

struct others {
	struct process *process;
	size_t sorted;
	enum detail detail;
};

static bool update_listed(pid_t tid, void *arg)
{
	const struct others *others = arg;

	return update_other(others->process, others->sorted, tid, false, others->detail);
}

/*
 * Updates the known threads. Sets *@all if they are all of the process: as many as it has, and none
 * of them has ended.
 */
static bool update_known(struct process *process, size_t sorted, enum detail detail, bool *all)
{
	size_t threads = 0, i;

	*all = true;
	for (i = 0; i < process->threads; i++) {
		if (process->thread[i].is_kernel)
			continue;
		if (!update_other(process, sorted, process->thread[i].tid, false, detail))
			return false;
		*all &= process->thread[i].seen;
		threads++;
	}
	/* A recording has no number of threads. */
	*all &= threads && threads == process->now.threads;
	return true;
}

/* The list of threads costs the kernel more than the files of a thread. It rarely changes. */
static bool update_others(struct process *process, size_t sorted, enum detail detail)
{
	struct others others = { process, sorted, detail };
	bool all;

	if (!update_known(process, sorted, detail, &all))
		return false;
	return all || proc_list(update_listed, &others, "%d/task", (int)process->pid);
}

static bool update_workers(struct process *process, const struct processes *processes,
			   size_t sorted)
{
	size_t i;

	for (i = 0; i < processes->workers; i++) {
		const struct worker *worker = &processes->worker[i];

		if (worker->owner && find_thread(process, sorted, worker->owner) &&
		    !update_other(process, sorted, worker->tid, true,
				  processes->states ? DETAIL_STATE : DETAIL_TIMES))
			return false;
	}
	return true;
}

static void drop_ended_threads(struct process *process, bool keep_others)
{
	size_t kept = 0, i;

	for (i = 0; i < process->threads; i++) {
		if (process->thread[i].seen ||
		    (keep_others && process->thread[i].group != THREAD_VCPU))
			process->thread[kept++] = process->thread[i];
		else
			membership_put(process->thread[i].membership);
	}
	process->threads = kept;
	if (kept)
		qsort(process->thread, kept, sizeof(*process->thread), compare_threads);
}

/* ---- the threads of vCPUs without a TID ---- */

static int by_number(const void *a, const void *b)
{
	const struct thread *x = *(struct thread * const *)a, *y = *(struct thread * const *)b;
	int order = (x->number > y->number) - (x->number < y->number);

	return order ? order : (x->tid > y->tid) - (x->tid < y->tid);
}

static bool guess_vcpus(struct process *process, const struct processes *processes,
			const struct process_vcpu *vcpu, size_t vcpus)
{
	struct thread **free_thread = calloc(process->threads + 1, sizeof(struct thread *));
	size_t threads = 0, unknown = 0, i, n = 0;

	if (!free_thread)
		return false;
	for (i = 0; i < vcpus; i++)
		unknown += !vcpu[i].tid;
	for (i = 0; i < process->threads; i++) {
		struct thread *thread = &process->thread[i];

		if (thread->group == THREAD_VCPU && thread->vcpu < 0)
			free_thread[threads++] = thread;
	}
	qsort(free_thread, threads, sizeof(*free_thread), by_number);
	for (i = 0; i < threads; i++) {
		free_thread[i]->vcpu = free_thread[i]->number;
		if (threads != unknown)
			continue;
		while (vcpu[n].tid)
			n++;
		free_thread[i]->vcpu = vcpu[n].id;
		free_thread[i]->now.outside = is_outside(processes, &vcpu[n++]);
	}
	free(free_thread);
	return true;
}

/* ---- the cgroup of all vCPUs ---- */

/* Cuts @path to what it has in common with @other: that of "/vm/vcpu0" and "/vm/vcpu1" is "/vm". */
static void cut_to_common(char *path, const char *other)
{
	size_t common = 0, i;

	for (i = 0; ; i++) {
		if ((!path[i] || path[i] == '/') && (!other[i] || other[i] == '/'))
			common = i;
		if (!path[i] || path[i] != other[i])
			break;
	}
	path[common] = '\0';
}

/* libvirt has one for each vCPU, and the emulator and its memory are in others. */
const char *process_cgroup(char *buf, size_t size, const struct process *process)
{
	bool found = false;
	size_t i;

	*buf = '\0';
	for (i = 0; i < process->threads; i++) {
		const struct membership *membership = process->thread[i].membership;
		const char *path = membership && membership->unified ? membership->unified : "";

		if (!membership)
			continue;
		if (found)
			cut_to_common(buf, path);
		else
			snprintf(buf, size, "%s", path);
		found = true;
	}
	return buf;
}

/* ---- all threads ---- */

/* Adds the main thread if its state has to be examined. Returns false without memory. */
static bool update_main_thread(struct process *process, size_t sorted)
{
	return process->now.state != 'D' ||
	       update_other(process, sorted, process->pid, false, DETAIL_TIMES);
}

bool process_update_threads(struct process *process, const struct processes *processes,
			    const struct process_vcpu *vcpu, size_t vcpus)
{
	enum detail detail = processes->states ? DETAIL_STATE : DETAIL_TIMES;
	size_t sorted = process->threads, i;
	bool guess = !vcpus;

	for (i = 0; i < sorted; i++) {
		process->thread[i].seen = false;
		process->thread[i].vcpu = -1;
	}
	for (i = 0; i < vcpus; i++)
		guess |= !vcpu[i].tid;
	if (!update_vcpus(process, processes, sorted, vcpu, vcpus) ||
	    !update_main_thread(process, sorted))
		return false;
	if ((guess || processes->all_threads) && process->pid &&
	    (!update_others(process, sorted, guess ? DETAIL_ALL : detail) ||
	     !update_workers(process, processes, sorted)))
		return false;
	drop_ended_threads(process, processes->keep_threads && !processes->all_threads && !guess);
	return !guess || guess_vcpus(process, processes, vcpu, vcpus);
}

const struct thread *process_vcpu(const struct process *process, pid_t tid, int vcpu)
{
	size_t i;

	if (tid)
		return find_thread(process, process->threads, tid);
	for (i = 0; i < process->threads; i++) {
		if (process->thread[i].group == THREAD_VCPU && process->thread[i].vcpu == vcpu)
			return &process->thread[i];
	}
	return NULL;
}
