/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/*
 * Reads files in /proc that another process can delay.
 *
 * A read of /proc/PID/cmdline needs the lock of that process's address space. If the process hangs,
 * for example in a page fault on a file system that does not answer, the read hangs, too, in
 * uninterruptible sleep: neither a signal nor another thread can end it. So other processes do such
 * reads, the workers. A reader waits for them for a limited time.
 */
#ifndef KVMSTATS_READER_H
#define KVMSTATS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define READER_PATH_SIZE	64
/* How many reads can be late at the same time. Each of them occupies a worker. */
#define READER_MAX_LATE		16

/* A read that a worker does. */
struct kvmstats_read {
	char path[READER_PATH_SIZE];
	ino_t process;		/* inode number of /proc/PID: a later process has another one */
	int worker;		/* socket of the worker */
	bool started;		/* the worker has received the request */
};

struct kvmstats_reader {
	pid_t spawner;		/* the process that starts the workers, 0: none */
	int socket;		/* to this process, -1: none */
	int idle;		/* socket of a worker without a request, -1: none */
	struct kvmstats_read late[READER_MAX_LATE];
	size_t late_reads;
	unsigned int timeouts;	/* since kvmstats_reader_renew() */
};

/*
 * Starts the process that starts the workers. Call it before this process opens fds of VMs: for a
 * moment, the new process has copies of all fds. Returns 0 or -errno.
 */
int kvmstats_reader_start(struct kvmstats_reader *reader);

/* Also for a reader that could not be started. */
void kvmstats_reader_stop(struct kvmstats_reader *reader);

/*
 * Starts to count timeouts from 0. All reads up to the next call wait for processes that hang for
 * less than a second together.
 */
void kvmstats_reader_renew(struct kvmstats_reader *reader);

/*
 * Reads /proc/@pid/@name, up to 1 MiB, into a new, NUL-terminated buffer, which the caller frees.
 * -ESRCH: there is no such process. -ETIMEDOUT: the read is late. It goes on, and later calls for
 * the same file return what it has read, or -ETIMEDOUT again, without a wait. -EPIPE: the worker
 * has ended.
 */
int kvmstats_reader_read(struct kvmstats_reader *reader, pid_t pid, const char *name, char **text,
			 size_t *size);

#endif /* KVMSTATS_READER_H */
