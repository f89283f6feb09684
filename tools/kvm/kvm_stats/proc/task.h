/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU times of a process or of one thread. */
#ifndef PROC_TASK_H
#define PROC_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TASK_NAME_SIZE	64

/* Times are in ns, since the start of the task. */
struct task {
	char name[TASK_NAME_SIZE];
	uint64_t user;		/* in user mode, including the time in a guest */
	uint64_t kernel;
	uint64_t guest;
	uint64_t waiting;	/* runnable, but not on a CPU */
	bool has_waiting;	/* the kernel has statistics of its scheduler */
	uint64_t memory;	/* resident memory of the process, in bytes */
};

/* Reads the sums over all threads of a process, without @waiting. Returns whether it exists. */
bool task_read_process(struct task *task, pid_t pid);

/* The same for one thread. */
bool task_read_thread(struct task *task, pid_t pid, pid_t tid);

/* Reads @waiting of a thread. */
void task_read_waiting(struct task *task, pid_t pid, pid_t tid);

#endif /* PROC_TASK_H */
