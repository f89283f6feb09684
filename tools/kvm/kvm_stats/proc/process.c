// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "proc/file.h"
#include "proc/process.h"

void process_init(struct process *process, pid_t pid)
{
	*process = (struct process){ .pid = pid };
}

void process_free(struct process *process)
{
	free(process->thread);
	*process = (struct process){ 0 };
}

/* ---- names of threads ---- */

/* Returns the number at the end of @text after separators, or -1. */
static int number_of(const char *text)
{
	text += strspn(text, " -_/");
	if (!isdigit((unsigned char)*text) || strlen(text) > 6 ||
	    text[strspn(text, "0123456789")])
		return -1;
	return atoi(text);
}

static int qemu_number(const char *name)
{
	char number[8] = "";
	size_t len = strspn(name, "0123456789");

	if (!len || len >= sizeof(number) || strncmp(name + len, "/KVM", 4))
		return -1;
	memcpy(number, name, len);
	return atoi(number);
}

int process_vcpu_of_name(const char *name)
{
	const char *vcpu = strstr(name, "vcpu");

	if (!strncmp(name, "CPU ", 4))
		return qemu_number(name + 4);
	return vcpu ? number_of(vcpu + 4) : -1;
}

/* ---- the list of threads ---- */

static struct thread *find(struct process *process, pid_t tid)
{
	size_t i;

	for (i = 0; i < process->threads; i++) {
		if (process->thread[i].tid == tid)
			return &process->thread[i];
	}
	return NULL;
}

static struct thread *add(struct process *process, pid_t tid)
{
	struct thread *more = array_grow(process->thread, process->threads, &process->capacity,
					 sizeof(*more));

	if (!more)
		return NULL;
	process->thread = more;
	more += process->threads++;
	*more = (struct thread){ .tid = tid, .number = -1, .vcpu = -1 };
	return more;
}

static void read_thread(const struct process *process, struct thread *thread)
{
	struct task task;

	if (!task_read_thread(&task, process->pid, thread->tid))
		return;
	thread->number = process_vcpu_of_name(task.name);
	thread->runs_vcpu |= thread->number >= 0 || task.guest;
	if (thread->runs_vcpu)
		task_read_waiting(&task, process->pid, thread->tid);
	thread->has_before = *thread->now.name;
	thread->before = thread->now;
	thread->now = task;
	thread->seen = true;
}

static bool read_threads(struct process *process)
{
	char path[PROC_PATH_SIZE];
	struct dirent *dirent;
	bool good = true;
	DIR *dir;

	proc_path(path, "%d/task", (int)process->pid);
	dir = opendir(path);
	while (dir && good && (dirent = readdir(dir))) {
		pid_t tid = (pid_t)atoi(dirent->d_name);
		struct thread *thread = tid > 0 ? find(process, tid) : NULL;

		if (tid > 0 && !thread) {
			thread = add(process, tid);
			good = thread;
		}
		if (thread)
			read_thread(process, thread);
	}
	if (dir)
		closedir(dir);
	return good;
}

static int by_number(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;
	int order = (x->number > y->number) - (x->number < y->number);

	return order ? order : (x->tid > y->tid) - (x->tid < y->tid);
}

static void drop_ended(struct process *process)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < process->threads; i++) {
		if (process->thread[i].seen)
			process->thread[kept++] = process->thread[i];
	}
	process->threads = kept;
	if (kept)
		qsort(process->thread, kept, sizeof(*process->thread), by_number);
}

static size_t count_vcpu_threads(const struct process *process)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < process->threads; i++)
		count += process->thread[i].runs_vcpu;
	return count;
}

static void assign_vcpus(struct process *process, const int *id, size_t vcpus)
{
	bool all = count_vcpu_threads(process) == vcpus;
	size_t i, n = 0;

	for (i = 0; i < process->threads; i++) {
		struct thread *thread = &process->thread[i];

		thread->vcpu = all && thread->runs_vcpu ? id[n++] : thread->number;
	}
}

bool process_update(struct process *process, uint64_t time, const int *id, size_t vcpus)
{
	size_t i;

	process->has_before = process->has_now;
	process->before = process->now;
	process->time_before = process->time;
	process->time = time;
	process->has_now = task_read_process(&process->now, process->pid);
	for (i = 0; i < process->threads; i++)
		process->thread[i].seen = false;
	if (!read_threads(process))
		return false;
	drop_ended(process);
	assign_vcpus(process, id, vcpus);
	return true;
}

const struct thread *process_vcpu(const struct process *process, int vcpu)
{
	size_t i;

	for (i = 0; i < process->threads; i++) {
		if (process->thread[i].runs_vcpu && process->thread[i].vcpu == vcpu)
			return &process->thread[i];
	}
	return NULL;
}

/* ---- the use of CPUs ---- */

static double percent(uint64_t before, uint64_t now, uint64_t interval)
{
	return now > before ? 100.0 * (double)(now - before) / (double)interval : 0;
}

/* The kernel scales user and system times, so the guest time can grow more than the user time. */
static struct cpu_use use_of(const struct task *before, const struct task *now, uint64_t interval)
{
	struct cpu_use use = { -1, -1, -1, -1 };
	double user;

	if (!interval)
		return use;
	user = percent(before->user, now->user, interval);
	use.guest = percent(before->guest, now->guest, interval);
	use.user = user > use.guest ? user - use.guest : 0;
	use.kernel = percent(before->kernel, now->kernel, interval);
	if (before->has_waiting && now->has_waiting)
		use.waiting = percent(before->waiting, now->waiting, interval);
	return use;
}

static uint64_t interval_of(const struct process *process, bool has_before)
{
	return has_before ? process->time - process->time_before : 0;
}

struct cpu_use process_use(const struct process *process)
{
	return use_of(&process->before, &process->now,
		      interval_of(process, process->has_now && process->has_before));
}

struct cpu_use thread_use(const struct process *process, const struct thread *thread)
{
	return use_of(&thread->before, &thread->now, interval_of(process, thread->has_before));
}
