// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * The files of processes in /proc, and which processes to search for VMs.
 *
 * Reading all fds of all processes for every sample would take most of the time. A new process
 * is examined at once, then after 1, 2, 4, 8 and 16 s, and from then on every 32 s. A VMM can
 * create its VM at any time, for example when a client of Firecracker asks for it. So a process is
 * also examined when its number of fds has changed, in the seconds after the number of users of
 * KVM's modules has changed, or always if that is not known. The inode number of /proc/PID
 * distinguishes a process from a later one with the same PID.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define MAX_INTERVAL	(32 * SECOND)

/* The threads of vCPUs start after the VM was created. */
#define SUSPICIOUS_SCANS	3

/* Examining a process whose fds change all the time may use 1/EXAMINE_SHARE of a CPU. */
#define EXAMINE_SHARE	200

struct kvmstats_process {
	pid_t pid;
	ino_t ino;
	uint64_t due;
	uint64_t interval;
	uint64_t not_before;		/* when it may be examined before it is due */
	struct kvmstats_glance glance;	/* when it was examined */
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

/* proc(5) numbers the fields: 22 is starttime, and 43 guest_time. */
struct kvmstats_times kvmstats_times_of(pid_t pid)
{
	struct kvmstats_times times = { 0 };
	const char *end;
	size_t size;
	char *stat;

	if (kvmstats_read_proc(pid, "stat", 1024, &stat, &size))
		return times;
	end = strrchr(stat, ')');
	if (end)
		sscanf(end + 1, " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
		       " %*s %*s %*s %" SCNu64 " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
		       " %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64, &times.start, &times.guest);
	free(stat);
	return times;
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
	next.users = processes->users;
	next.suspicious = processes->suspicious;
	free(processes->process);
	*processes = next;
	return 0;
}

int kvmstats_glance_of(pid_t pid, struct kvmstats_glance *glance)
{
	struct stat st;
	char path[32];

	*glance = (struct kvmstats_glance){ 0 };
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	if (stat(path, &st))
		return errno == ENOENT ? -ESRCH : -errno;
	glance->fds = st.st_size;
	if (glance->fds)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if (stat(path, &st))
		return errno == ENOENT ? -ESRCH : -errno;
	glance->threads = st.st_nlink;
	return 0;
}

bool kvmstats_glance_differs(const struct kvmstats_glance *a, const struct kvmstats_glance *b)
{
	return a->threads != b->threads || a->fds != b->fds;
}

long kvmstats_kvm_users(void)
{
	long users = 0, count;
	bool found = false;
	glob_t files;
	FILE *file;
	size_t i;

	if (glob("/sys/module/kvm*/refcnt", 0, NULL, &files))
		return -1;
	for (i = 0; i < files.gl_pathc; i++) {
		file = fopen(files.gl_pathv[i], "re");
		if (file && fscanf(file, "%ld", &count) == 1) {
			users += count;
			found = true;
		}
		if (file)
			fclose(file);
	}
	globfree(&files);
	return found ? users : -1;
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
	uint64_t start = clock_read(CLOCK_THREAD_CPUTIME_ID);
	int err;

	kvmstats_glance_of(process->pid, &process->glance);
	process->interval = process->interval ? process->interval * 2 : SECOND;
	if (process->interval > MAX_INTERVAL)
		process->interval = MAX_INTERVAL;
	process->due = now + process->interval;
	err = fn(process->pid, arg);
	process->denied = err == -EACCES || err == -EPERM;
	process->not_before = now + EXAMINE_SHARE *
			      (clock_read(CLOCK_THREAD_CPUTIME_ID) - start);
	if (!is_resource_shortage(err))
		return 0;
	reset(process);
	return err;
}

/* Sets whether this scan looks for processes that have changed. */
static void suspect(struct kvmstats_processes *processes)
{
	long users = kvmstats_kvm_users();

	if (users < 0 || users != processes->users)
		processes->suspicious = SUSPICIOUS_SCANS;
	else if (processes->suspicious)
		processes->suspicious--;
	processes->users = users;
}

static bool is_due(const struct kvmstats_processes *processes,
		   const struct kvmstats_process *process, uint64_t now)
{
	struct kvmstats_glance glance;

	if (process->due <= now)
		return true;
	return processes->suspicious && process->not_before <= now &&
	       !kvmstats_glance_of(process->pid, &glance) &&
	       kvmstats_glance_differs(&glance, &process->glance);
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
	suspect(processes);
	for (i = 0; i < processes->count; i++) {
		if (!err && is_due(processes, &processes->process[i], now))
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
