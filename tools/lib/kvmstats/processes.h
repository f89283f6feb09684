/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * Decides which processes to search for VMs.
 *
 * Reading all fds of all processes for every sample would take most of the time. A new process
 * is examined at once, then after 1, 2, 4, 8 and 16 s, and from then on every 32 s: a VMM
 * usually creates its VM soon after it has started. The inode number of /proc/PID distinguishes
 * a process from a later one with the same PID.
 */
#ifndef KVMSTATS_PROCESSES_H
#define KVMSTATS_PROCESSES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process;

/* Whether @err means that the caller itself lacks memory or fds. */
static inline bool is_resource_shortage(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

struct processes {
	struct process *process;	/* sorted by PID */
	size_t count;
	size_t capacity;
	struct process *next;		/* the table of the scan that is in progress */
	size_t next_capacity;
};

/*
 * Calls @fn for each process that is due at @now (ns). If @fn fails because of a resource
 * shortage, the scan stops calling @fn, and the process is due again in the next scan. Other
 * errors of @fn are ignored. Sets @denied to the number of processes for which @fn returned
 * -EACCES or -EPERM, plus 1 if /proc hides processes. Returns 0 or -errno.
 */
int kvmstats_processes_scan(struct processes *processes, uint64_t now,
			    int (*fn)(pid_t pid, void *arg), void *arg, size_t *denied);

/* The process is due again in the next scan. */
void kvmstats_processes_forget(struct processes *processes, pid_t pid);
void kvmstats_processes_free(struct processes *processes);

#endif /* KVMSTATS_PROCESSES_H */
