// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "clock.h"
#include "internal.h"
#include "processes.h"

#define MAX_INTERVAL	(32 * SECOND)

struct process {
	pid_t pid;
	ino_t ino;
	uint64_t due;
	uint64_t interval;
	bool denied;
};

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct process *find(const struct processes *processes, pid_t pid)
{
	struct process key = { .pid = pid };

	if (!processes->count)
		return NULL;
	return bsearch(&key, processes->process, processes->count, sizeof(key), by_pid);
}

static int append(struct processes *processes, size_t *count, const struct dirent *dirent)
{
	struct process entry = { .pid = atoi(dirent->d_name), .ino = dirent->d_ino };
	const struct process *known = find(processes, entry.pid);

	if (known && known->ino == entry.ino)
		entry = *known;
	if (*count == processes->next_capacity) {
		size_t capacity = *count ? *count * 2 : 512;
		struct process *more = realloc(processes->next, capacity * sizeof(*more));

		if (!more)
			return -ENOMEM;
		processes->next = more;
		processes->next_capacity = capacity;
	}
	processes->next[(*count)++] = entry;
	return 0;
}

static int list(struct processes *processes, size_t *count)
{
	DIR *proc = opendir("/proc");
	struct dirent *dirent;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err) {
		errno = 0;
		dirent = readdir(proc);
		if (!dirent) {
			err = -errno;
			break;
		}
		if (isdigit((unsigned char)dirent->d_name[0]))
			err = append(processes, count, dirent);
	}
	closedir(proc);
	if (!err)
		qsort(processes->next, *count, sizeof(*processes->next), by_pid);
	return err;
}

static void swap_tables(struct processes *processes, size_t count)
{
	struct process *table = processes->process;
	size_t capacity = processes->capacity;

	processes->process = processes->next;
	processes->capacity = processes->next_capacity;
	processes->count = count;
	processes->next = table;
	processes->next_capacity = capacity;
}

/* The process is due again at once. */
static void reset(struct process *process)
{
	process->due = 0;
	process->interval = 0;
}

static int examine(struct process *process, uint64_t now, int (*fn)(pid_t pid, void *arg),
		   void *arg)
{
	int err;

	process->interval = process->interval ? process->interval * 2 : SECOND;
	if (process->interval > MAX_INTERVAL)
		process->interval = MAX_INTERVAL;
	process->due = now + process->interval;
	err = fn(process->pid, arg);
	process->denied = err == -EACCES || err == -EPERM;
	if (!is_resource_shortage(err))
		return 0;
	reset(process);
	return err;
}

int kvmstats_processes_scan(struct processes *processes, uint64_t now,
			    int (*fn)(pid_t pid, void *arg), void *arg, size_t *denied)
{
	int hidden = kvmstats_check_proc();
	size_t count = 0;
	size_t i;
	int err = hidden == -ENOENT ? hidden : list(processes, &count);

	if (err)
		return err;
	swap_tables(processes, count);
	*denied = !!hidden;
	for (i = 0; i < processes->count; i++) {
		if (!err && processes->process[i].due <= now)
			err = examine(&processes->process[i], now, fn, arg);
		*denied += processes->process[i].denied;
	}
	return err;
}

void kvmstats_processes_forget(struct processes *processes, pid_t pid)
{
	struct process *process = find(processes, pid);

	if (process)
		reset(process);
}

void kvmstats_processes_free(struct processes *processes)
{
	free(processes->process);
	free(processes->next);
	*processes = (struct processes){ 0 };
}
