/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU time and the memory of a VMM's process, and the CPU time of its vCPU threads.
 *
 * A thread is a vCPU thread if its name says so ("CPU 0/KVM" of QEMU, "fc_vcpu 0" of Firecracker,
 * "vcpu0" of Cloud Hypervisor, "crosvm_vcpu0", "kvm-vcpu-0" of kvmtool), or if the kernel has
 * accounted guest time to it.
 *
 * The number in a name is an index, not an ID: on x86, vCPU IDs are APIC IDs and can have gaps. So
 * the thread with the lowest number runs the vCPU with the lowest ID, and so on, if every vCPU has
 * a thread. Threads without numbers are assumed to have been started in the order of the vCPUs.
 */
#ifndef PROC_PROCESS_H
#define PROC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "proc/task.h"

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

void process_init(struct process *process, pid_t pid);
void process_free(struct process *process);

/*
 * Reads the process at @time (ns). @id are the IDs of its @vcpus vCPUs in ascending order. Returns
 * false if there is not enough memory. If the process cannot be read, process->has_now is false.
 */
bool process_update(struct process *process, uint64_t time, const int *id, size_t vcpus);

/* Returns the number of the vCPU in the name of a thread, or -1. */
int process_vcpu_of_name(const char *name);

/* Returns the thread of a vCPU, or NULL if it is unknown. */
const struct thread *process_vcpu(const struct process *process, int vcpu);

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

#endif /* PROC_PROCESS_H */
