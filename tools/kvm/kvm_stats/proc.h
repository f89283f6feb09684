/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What /proc and the cgroups have of VMMs and of the host: CPU times, memory, states, and limits.
 * Only files are read that all users can read, and that do not wait for the address space of a
 * process, as /proc/PID/cmdline and maps do: a VMM that hangs must not block kvm-stats.
 */
#ifndef PROC_H
#define PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kvmstats.h"

/* ---- tasks: a process or one thread ---- */

#define TASK_NAME_SIZE	64

/* Times are in ns, since the start of the task. */
struct task {
	char name[TASK_NAME_SIZE];
	char state;		/* the letter of proc(5) */
	bool outside;		/* of a vCPU: if it sleeps, it is not in KVM_RUN */
	bool has_waiting;	/* the kernel has statistics of its scheduler */
	uint64_t user;		/* in user mode, including the time in a guest */
	uint64_t kernel;
	uint64_t guest;
	uint64_t runtime;	/* all of it, by the scheduler's clock; else user and kernel */
	uint64_t waiting;	/* runnable, but not on a CPU, also while a cgroup throttles it */
	uint64_t major_faults;
	uint64_t memory;	/* resident memory of the process in bytes, without huge pages */
	size_t threads;		/* of the process; 0: not known, as in a recording */
	int cpu;		/* that it is on, or was on last; not of a sample */
	unsigned int policy;	/* of sched(7); not of a sample */
};

/* Whether the policy is SCHED_FIFO, SCHED_RR or SCHED_DEADLINE. */
static inline bool task_is_real_time(const struct task *task)
{
	return task->policy == 1 || task->policy == 2 || task->policy == 6;
}

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

/* ---- processes ---- */

/* The threads of a VMM by what they do. Names of threads show it, see threads.c. */
enum thread_group {
	THREAD_VCPU,
	THREAD_VHOST,		/* the kernel's workers for virtio devices */
	THREAD_IO,		/* I/O threads and workers for I/O */
	THREAD_EMULATOR,	/* all others, such as the main thread */
	THREAD_GROUPS,
};

/* "vcpu", "vhost", "iothread", "emulator" */
const char *thread_group_name(enum thread_group group);

struct thread {
	pid_t tid;
	enum thread_group group;
	int number;		/* of the vCPU in its name, -1: none */
	int vcpu;		/* ID of the vCPU, -1: unknown */
	bool is_kernel;		/* it is not one of the process, but works for it */
	bool seen;		/* by the last update */
	bool has_before;
	struct task now;
	struct task before;	/* as of the previous update */
	struct membership *membership;	/* see cgroup.h; NULL: not known */
};

/* What the threads of a group have used. It only grows, also when threads end. */
struct group_times {
	uint64_t guest;
	uint64_t user;		/* in user mode, outside of the guest */
	uint64_t kernel;
	uint64_t runtime;
	uint64_t waiting;	/* if the kernel counts it */
};

enum process_state {
	PROCESS_RUNS,		/* or could, or waits for an event */
	PROCESS_PAUSED,		/* by the VMM: all vCPUs sleep outside of KVM_RUN */
	PROCESS_STOPPED,	/* by a signal, or by a debugger */
	PROCESS_FROZEN,		/* by the freezer of a cgroup */
	PROCESS_BLOCKED,	/* in uninterruptible sleep, for example for a disk */
	PROCESS_UNKNOWN,
	PROCESS_STATES,
};

/* "running", "paused", "stopped", "frozen", "blocked", "unknown" */
const char *process_state_name(enum process_state state);

/* The limits of CPU time of the cgroups of all vCPUs, and of those above them */
struct process_limit {
	double cpus;		/* that the tightest limit permits; 0: no limit */
	/*
	 * For how long they throttled, in ns, since the first update: the sum over all limits, and
	 * over the run queues of all CPUs. It is the time that a thread waited only if its cgroup
	 * has no other thread.
	 */
	uint64_t throttled;
	bool binds;		/* one of them does, see cgroup_limit_binds() */
	char cgroup[128];	/* path of that which binds, or else of the tightest */
};

/* Initialize it with zeros and the PID. */
struct process {
	pid_t pid;		/* 0: /proc does not have it, but a copy of another host */
	bool has_now;
	bool has_before;
	enum process_state state;
	struct task now;
	struct task before;
	uint64_t huge_memory;	/* resident huge pages of hugetlbfs, in bytes */
	uint64_t time;		/* of the last update, in ns */
	uint64_t time_before;
	uint64_t checked;	/* when what rarely changes was read */
	struct group_times group[THREAD_GROUPS];
	struct process_limit limit;
	uint64_t waiting_before;	/* of the threads of vCPUs */
	uint64_t throttled_before;
	struct thread *thread;	/* sorted by TID */
	size_t threads;
	size_t capacity;
};

/* A vCPU, as the caller knows it */
struct process_vcpu {
	int id;
	pid_t tid;		/* 0: not known */
	/* With or without the statistics thread_*; NULL: no statistics. It is not kept. */
	const struct kvmstats_sample *sample;
	uint64_t waiting;	/* see kvmstats_host_vcpu_waiting() */
};

/* What all updates of a pass have in common. Initialize it with zeros. */
struct processes {
	uint64_t time;
	bool all_threads;	/* also those that run no vCPU */
	bool states;		/* the same, with their states, which costs one more file each */
	bool keep_threads;	/* those that a pass without @all_threads does not read */
	/* For threads.c: the statistics thread_* in samples, and the kernel's threads vhost-PID */
	const struct kvmstats_stat *stat[16];
	struct worker *worker;
	size_t workers;
};

/*
 * Begins a pass at @time (ns). @schema is that of the samples of vCPUs, or NULL. Without
 * @all_threads, only threads that run vCPUs have values, which needs no file for those whose sample
 * has the statistics thread_*.
 */
void processes_begin(struct processes *processes, uint64_t time,
		     const struct kvmstats_schema *schema, bool all_threads);
void processes_free(struct processes *processes);

/*
 * Reads the process. @vcpu has all its vCPUs, in ascending order of IDs. Returns false if there is
 * not enough memory.
 *
 * The threads of vCPUs without a TID are guessed: the number in a thread's name is an index, not an
 * ID, because vCPU IDs are APIC IDs on x86, and can have gaps. So the thread with the lowest number
 * runs the vCPU with the lowest ID, and so on, if every vCPU has a thread. Threads without numbers
 * are assumed to have been started in the order of the vCPUs.
 */
bool process_update(struct process *process, const struct processes *processes,
		    const struct process_vcpu *vcpu, size_t vcpus);

/* The same, with all vCPUs of @vmm. */
bool process_update_vmm(struct process *process, const struct processes *processes,
			const struct kvmstats_host *host, const struct kvmstats_vmm *vmm);
void process_free(struct process *process);

/* For process.c: updates the threads of a process. */
bool process_update_threads(struct process *process, const struct processes *processes,
			    const struct process_vcpu *vcpu, size_t vcpus);

/* Returns by how much a counter has grown. */
static inline uint64_t grown(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

/* Adds what @now is more than @before. */
void group_times_add(struct group_times *to, const struct task *before, const struct task *now);

/* Writes the path of the innermost cgroup of version 2 that has all vCPUs, or "". Returns @buf. */
const char *process_cgroup(char *buf, size_t size, const struct process *process);

/* Returns the thread of a vCPU, or NULL. @tid 0: not known */
const struct thread *process_vcpu(const struct process *process, pid_t tid, int vcpu);

/* Reads the cgroups of a thread, unless @membership is already that. The caller puts it. */
void thread_read_membership(struct membership **membership, pid_t pid, pid_t tid);

/* Parts of one CPU between the last two updates, in percent. All are negative if not known. */
struct cpu_use {
	double guest;
	double user;		/* in user mode, outside of the guest */
	double kernel;
	double waiting;		/* for a CPU, without @throttled; also negative if not counted */
	/*
	 * Waiting because of limits of cgroups; negative without a limit. It is exact if the cgroup
	 * has only this thread; else the limits explain at most as much.
	 */
	double throttled;
	bool throttled_is_exact;
};

/* The use of all threads. waiting and throttled are unknown. */
struct cpu_use process_use(const struct process *process);
struct cpu_use thread_use(const struct process *process, const struct thread *thread);

/* Whether the kernel counts how long the threads of vCPUs wait, also of those that have ended. */
bool process_has_waiting(const struct process *process);

/* The sum over the threads of a group. Only vCPUs have throttled. */
struct cpu_use process_group_use(const struct process *process, enum thread_group group);

/* ---- the use of the CPUs and of the memory of the host ---- */

/* Times of all CPUs, in ticks. */
struct host_times {
	uint64_t guest;
	uint64_t user;		/* without guest */
	uint64_t kernel;	/* with interrupts */
	uint64_t steal;		/* in which a hypervisor below ran other guests */
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
	double steal;
};

struct host_use host_use(const struct host *host);

/* Where root switches exit statistics on and off, for all VMs at once. */
#define EXIT_STATS_PARAMETER	"/sys/module/kvm/parameters/exit_stats"

/* Whether exit statistics are switched off. False if it is not known. */
bool host_exit_stats_are_off(void);

#endif /* PROC_H */
