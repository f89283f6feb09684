/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc has of VMMs and of the host: CPU times, memory, and the threads of vCPUs. */
#ifndef PROC_H
#define PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- tasks: a process or one thread ---- */

#define TASK_NAME_SIZE	64

/* Times are in ns, since the start of the task. */
struct task {
	char name[TASK_NAME_SIZE];
	char state;		/* the letter of proc(5) */
	uint64_t user;		/* in user mode, including the time in a guest */
	uint64_t kernel;
	uint64_t guest;
	uint64_t waiting;	/* runnable, but not on a CPU */
	bool has_waiting;	/* the kernel has statistics of its scheduler */
	uint64_t memory;	/* resident memory of the process, in bytes */
};

/*
 * Reads the thread @tid of a process, or the sums over all its threads if @tid is 0, without
 * @waiting. Returns whether it exists.
 */
bool task_read(struct task *task, pid_t pid, pid_t tid);

/* Whether a signal or a debugger stopped it. */
static inline bool task_is_stopped(const struct task *task)
{
	return task->state == 'T' || task->state == 't';
}

/*
 * ---- processes: kvm-stats-top(1) describes how the threads of vCPUs are found ----
 *
 * The number in a name is an index, not an ID: on x86, vCPU IDs are APIC IDs and can have gaps. So
 * the thread with the lowest number runs the vCPU with the lowest ID, and so on, if every vCPU has
 * a thread. Threads without numbers are assumed to have been started in the order of the vCPUs.
 */
struct thread {
	pid_t tid;
	int number;		/* in its name, -1: none */
	int vcpu;		/* ID of the vCPU, -1: unknown */
	bool runs_vcpu;
	bool seen;		/* by the last update */
	bool has_before;
	struct task now;
	struct task before;	/* as of the previous update */
};

/* Initialize it with zeros and the PID. */
struct process {
	pid_t pid;
	bool has_now;
	bool has_before;
	struct task now;
	struct task before;
	uint64_t time;		/* of the last update, in ns */
	uint64_t time_before;
	struct thread *thread;	/* sorted by number, then by TID */
	size_t threads;
	size_t capacity;
};

void process_free(struct process *process);

/*
 * Reads the process at @time (ns). @id are the IDs of its @vcpus vCPUs in ascending order. Returns
 * false if there is not enough memory. If the process cannot be read, process->has_now is false.
 */
bool process_update(struct process *process, uint64_t time, const int *id, size_t vcpus);

/* Returns the number of the vCPU in the name of a thread, or -1. */
int process_vcpu_of_name(const char *name);

/* Parts of one CPU, in percent. All are negative if there was no previous update. */
struct cpu_use {
	double guest;
	double user;		/* in user mode, outside of the guest */
	double kernel;
	double waiting;		/* negative also if the kernel does not count it */
};

/* The use of all threads. waiting is unknown. */
struct cpu_use process_use(const struct process *process);
struct cpu_use thread_use(const struct process *process, const struct thread *thread);

/* ---- the use of the CPUs and of the memory of the host ---- */

/* Times of all CPUs, in ticks. */
struct host_times {
	uint64_t guest;
	uint64_t user;		/* without guest */
	uint64_t kernel;	/* with interrupts */
	uint64_t all;
};

struct host {
	unsigned int cpus;		/* online ones */
	struct host_times now;
	struct host_times before;
	uint64_t memory;		/* in bytes */
	uint64_t available;
	double load;			/* average of the last minute */
};

void host_update(struct host *host);

/* Parts of the time of all CPUs, in percent; negative if there was no previous update. */
struct host_use {
	double guest;
	double user;
	double kernel;
};

struct host_use host_use(const struct host *host);

/* Where root switches exit statistics on and off, for all VMs at once. */
#define EXIT_STATS_PARAMETER	"/sys/module/kvm/parameters/exit_stats"

/* Whether exit statistics are switched off. False if it is not known. */
bool host_exit_stats_are_off(void);

#endif /* PROC_H */
