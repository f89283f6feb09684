/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which processes are worth a look for VMs.
 *
 * To look at all fds of all processes at every sample would take more time than all else.
 * New processes are looked at at once, and again after 1, 2, 4 … and then every 32 s:
 * a VMM opens its VM soon after it has started, if at all.  A process is told from a
 * later one of the same PID by the inode number of its directory in /proc.
 */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process;

/* It is we who lack something, whatever the process is. */
static inline bool is_resource_shortage(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

struct processes {
	struct process *process;	/* by PID */
	size_t count;
	size_t capacity;
	struct process *next;		/* the table while it is being made */
	size_t next_room;
};

/*
 * Calls @fn for those that are due at @now, in ns.  @fn may fail for a process, which is no
 * reason not to go on, unless is_resource_shortage(): then it is due again at once.  @denied is made the
 * number of those that it found it may not look into.  0 or -errno.
 */
int processes_scan(struct processes *processes, uint64_t now,
		   int (*fn)(pid_t pid, void *arg), void *arg, size_t *denied);

/* What was known of the process is out of date: it is due at once. */
void processes_forget(struct processes *processes, pid_t pid);
void processes_free(struct processes *processes);

#endif /* PROCESSES_H */
