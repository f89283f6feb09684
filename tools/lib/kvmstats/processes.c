// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * The files of processes in /proc, and which processes to search for VMs.
 *
 * Reading all fds of all processes for every sample would take most of the time. A new process
 * is examined at once, then after 1, 2, 4, 8 and 16 s, and from then on every 32 s: a VMM
 * usually creates its VM soon after it has started. The inode number of /proc/PID distinguishes
 * a process from a later one with the same PID.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

#define MAX_INTERVAL	(32 * SECOND)

struct kvmstats_process {
	pid_t pid;
	ino_t ino;
	uint64_t due;
	uint64_t interval;
	bool denied;
};

int kvmstats_read_proc(pid_t pid, const char *name, size_t max, char **text, size_t *len)
{
	char path[64];
	ssize_t n = 1;
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	*text = malloc(max + 1);
	err = *text ? 0 : -ENOMEM;
	*len = 0;
	while (!err && n && *len < max) {
		n = read(fd, *text + *len, max - *len);
		if (n >= 0)
			*len += n;
		else if (errno != EINTR)
			err = -errno;
	}
	close(fd);
	if (err)
		free(*text);
	else
		(*text)[*len] = '\0';
	return err;
}

static int by_pid(const void *a, const void *b)
{
	const struct kvmstats_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct kvmstats_process *find(const struct kvmstats_processes *processes, pid_t pid)
{
	struct kvmstats_process key = { .pid = pid };

	if (!processes->count)
		return NULL;
	return bsearch(&key, processes->process, processes->count, sizeof(key), by_pid);
}

/* Keeps what is known of the process. */
static int append(struct kvmstats_processes *to, const struct kvmstats_processes *from,
		  const struct dirent *dirent)
{
	struct kvmstats_process entry = { .pid = atoi(dirent->d_name), .ino = dirent->d_ino };
	const struct kvmstats_process *known = find(from, entry.pid);
	struct kvmstats_process *more = array_grow(to->process, to->count, &to->capacity,
						   sizeof(*more));

	if (!more)
		return -ENOMEM;
	to->process = more;
	more[to->count++] = known && known->ino == entry.ino ? *known : entry;
	return 0;
}

static int list(struct kvmstats_processes *processes)
{
	struct kvmstats_processes next = { 0 };
	DIR *proc = opendir("/proc");
	struct dirent *dirent;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err) {
		errno = 0;
		dirent = readdir(proc);
		if (!dirent)
			break;
		if (isdigit((unsigned char)dirent->d_name[0]))
			err = append(&next, processes, dirent);
	}
	if (!err)
		err = -errno;
	closedir(proc);
	if (err) {
		free(next.process);
		return err;
	}
	qsort(next.process, next.count, sizeof(*next.process), by_pid);
	free(processes->process);
	*processes = next;
	return 0;
}

/* The process is due again at once. */
static void reset(struct kvmstats_process *process)
{
	process->due = 0;
	process->interval = 0;
}

static int examine(struct kvmstats_process *process, uint64_t now, int (*fn)(pid_t pid, void *arg),
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

int kvmstats_processes_scan(struct kvmstats_processes *processes, uint64_t now,
			    int (*fn)(pid_t pid, void *arg), void *arg)
{
	struct stat st;
	size_t i;
	int err = stat("/proc/self", &st) ? -ENOENT : list(processes);

	if (err)
		return err;
	/* With hidepid=2, CAP_SYS_PTRACE shows all processes. access() would not use it. */
	processes->hidden = stat("/proc/1", &st);
	processes->denied = processes->hidden;
	for (i = 0; i < processes->count; i++) {
		if (!err && processes->process[i].due <= now)
			err = examine(&processes->process[i], now, fn, arg);
		processes->denied += processes->process[i].denied;
	}
	return err;
}

pid_t kvmstats_processes_denied(const struct kvmstats_processes *processes, size_t i)
{
	size_t n;

	if (i >= processes->denied)
		return 0;
	if (processes->hidden && !i--)
		return 1;
	for (n = 0; n < processes->count; n++) {
		if (processes->process[n].denied && !i--)
			return processes->process[n].pid;
	}
	return 0;
}

void kvmstats_processes_forget(struct kvmstats_processes *processes, pid_t pid)
{
	struct kvmstats_process *process = find(processes, pid);

	if (process)
		reset(process);
}

void kvmstats_processes_free(struct kvmstats_processes *processes)
{
	free(processes->process);
	*processes = (struct kvmstats_processes){ 0 };
}
