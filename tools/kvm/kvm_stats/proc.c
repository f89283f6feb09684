// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"
#include "util.h"

/* Returns the part of @interval, in percent. Some counters of the kernel can decrease. */
static double percent(uint64_t before, uint64_t now, uint64_t interval)
{
	return now > before ? 100.0 * (double)(now - before) / (double)interval : 0;
}

/* ---- tasks ---- */

static uint64_t ns_of_ticks(uint64_t ticks)
{
	return ticks * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* The name is in parentheses, and can contain spaces and parentheses itself. */
static const char *parse_name(const char *text, char *name)
{
	const char *start = strchr(text, '(');
	const char *end = strrchr(text, ')');

	if (!start || !end || end < start)
		return NULL;
	snprintf(name, TASK_NAME_SIZE, "%.*s", (int)(end - start - 1), start + 1);
	return end + 1;
}

/* proc(5) numbers the fields: 14 is utime, 15 stime, 24 rss, and 43 guest_time. */
static bool parse(struct task *task, const char *text)
{
	uint64_t utime, stime, guest;
	int64_t pages;

	*task = (struct task){ 0 };
	text = parse_name(text, task->name);
	if (!text ||
	    sscanf(text, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64 " %" SCNu64
		   " %*s %*s %*s %*s %*s %*s %*s %*s %" SCNd64
		   " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
		   " %" SCNu64, &task->state, &utime, &stime, &pages, &guest) != 5)
		return false;
	task->user = ns_of_ticks(utime);
	task->kernel = ns_of_ticks(stime);
	task->guest = ns_of_ticks(guest);
	task->memory = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
	return true;
}

bool task_read(struct task *task, pid_t pid, pid_t tid)
{
	char text[1024];
	bool read = tid ? proc_read(text, sizeof(text), "%d/task/%d/stat", (int)pid, (int)tid) :
			  proc_read(text, sizeof(text), "%d/stat", (int)pid);

	return read && parse(task, text);
}

static void read_waiting(struct task *task, pid_t pid, pid_t tid)
{
	char text[128];

	/* The fields are the time on a CPU, the time waiting for one, and the number of turns. */
	task->has_waiting = proc_read(text, sizeof(text), "%d/task/%d/schedstat", (int)pid,
				      (int)tid) &&
			    sscanf(text, "%*u %" SCNu64, &task->waiting) == 1;
}

void process_free(struct process *process)
{
	free(process->thread);
	*process = (struct process){ 0 };
}

/* ---- names of threads ---- */

int process_vcpu_of_name(const char *name)
{
	const char *vcpu = strstr(name, "vcpu");
	int number, end = 0;

	if (sscanf(name, "CPU %6d/KVM%n", &number, &end) == 1 && end)
		return number;
	if (!vcpu)
		return -1;
	vcpu += strlen("vcpu");
	vcpu += strspn(vcpu, " -_/");
	return sscanf(vcpu, "%6d%n", &number, &end) == 1 && !vcpu[end] ? number : -1;
}

/* ---- the list of threads ---- */

static struct thread *find_thread(struct process *process, pid_t tid)
{
	size_t i;

	for (i = 0; i < process->threads; i++) {
		if (process->thread[i].tid == tid)
			return &process->thread[i];
	}
	return NULL;
}

static struct thread *add_thread(struct process *process, pid_t tid)
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

	if (!task_read(&task, process->pid, thread->tid))
		return;
	thread->number = process_vcpu_of_name(task.name);
	thread->runs_vcpu |= thread->number >= 0 || task.guest;
	if (thread->runs_vcpu)
		read_waiting(&task, process->pid, thread->tid);
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
		struct thread *thread = tid > 0 ? find_thread(process, tid) : NULL;

		if (tid > 0 && !thread) {
			thread = add_thread(process, tid);
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

static void drop_ended_threads(struct process *process)
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

static void assign_vcpus(struct process *process, const int *id, size_t vcpus)
{
	size_t i, n = 0, count = 0;

	for (i = 0; i < process->threads; i++)
		count += process->thread[i].runs_vcpu;
	for (i = 0; i < process->threads; i++) {
		struct thread *thread = &process->thread[i];

		thread->vcpu = count == vcpus && thread->runs_vcpu ? id[n++] : thread->number;
	}
}

bool process_update(struct process *process, uint64_t time, const int *id, size_t vcpus)
{
	size_t i;

	process->has_before = process->has_now;
	process->before = process->now;
	process->time_before = process->time;
	process->time = time;
	process->has_now = task_read(&process->now, process->pid, 0);
	for (i = 0; i < process->threads; i++)
		process->thread[i].seen = false;
	if (!read_threads(process))
		return false;
	drop_ended_threads(process);
	assign_vcpus(process, id, vcpus);
	return true;
}

/* ---- the use of CPUs ---- */

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

struct cpu_use process_use(const struct process *process)
{
	bool known = process->has_now && process->has_before;

	return use_of(&process->before, &process->now,
		      known ? process->time - process->time_before : 0);
}

struct cpu_use thread_use(const struct process *process, const struct thread *thread)
{
	return use_of(&thread->before, &thread->now,
		      thread->has_before ? process->time - process->time_before : 0);
}

/* ---- the host ---- */

/* In the order of proc(5) */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, GUEST, GUEST_NICE, TIMES };

static void parse_times(struct host_times *times, const char *text)
{
	uint64_t t[TIMES] = { 0 };
	size_t i;

	if (sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &t[USER], &t[NICE], &t[SYSTEM],
		   &t[IDLE], &t[IOWAIT], &t[IRQ], &t[SOFTIRQ], &t[STEAL], &t[GUEST],
		   &t[GUEST_NICE]) < 4)
		return;
	*times = (struct host_times){
		/* The times of guests are included in the user times. */
		.guest = t[GUEST] + t[GUEST_NICE],
		.user = t[USER] + t[NICE] - t[GUEST] - t[GUEST_NICE],
		.kernel = t[SYSTEM] + t[IRQ] + t[SOFTIRQ],
	};
	for (i = USER; i <= STEAL; i++)
		times->all += t[i];
}

/* The file starts with a line for the sum and one for each CPU, of which there can be thousands. */
static void read_stat(struct host *host)
{
	char path[PROC_PATH_SIZE], line[256];
	FILE *file;

	proc_path(path, "stat");
	file = fopen(path, "re");
	if (!file)
		return;
	host->before = host->now;
	for (host->cpus = 0; fgets(line, sizeof(line), file) && !strncmp(line, "cpu", 3);) {
		if (line[3] == ' ')
			parse_times(&host->now, line);
		else
			host->cpus++;
	}
	fclose(file);
}

static uint64_t memory_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	uint64_t kib = 0;

	if (at)
		sscanf(at + strlen(name), ": %" SCNu64, &kib);
	return kib * 1024;
}

void host_update(struct host *host)
{
	char text[4096];

	read_stat(host);
	if (proc_read(text, sizeof(text), "meminfo")) {
		host->memory = memory_of(text, "MemTotal");
		host->available = memory_of(text, "MemAvailable");
	}
	if (proc_read(text, sizeof(text), "loadavg"))
		sscanf(text, "%lf", &host->load);
}

struct host_use host_use(const struct host *host)
{
	uint64_t all = host->now.all - host->before.all;

	if (!host->before.all || host->now.all <= host->before.all)
		return (struct host_use){ -1, -1, -1 };
	return (struct host_use){
		.guest = percent(host->before.guest, host->now.guest, all),
		.user = percent(host->before.user, host->now.user, all),
		.kernel = percent(host->before.kernel, host->now.kernel, all),
	};
}

bool host_exit_stats_are_off(void)
{
	char text[8];

	return proc_read(text, sizeof(text), ".." EXIT_STATS_PARAMETER) &&
	       (*text == 'N' || *text == '0');
}
