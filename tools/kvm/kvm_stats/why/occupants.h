/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which threads are on which CPU: vCPUs according to the host file, and other threads according to
 * /proc, which is only read if a vCPU waits for a CPU that no vCPU has.
 */
#ifndef WHY_OCCUPANTS_H
#define WHY_OCCUPANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kvmstats.h"

struct occupant {
	pid_t pid;
	pid_t tid;
	int cpu;
	int vcpu;			/* -1: not a vCPU */
	bool on_cpu;			/* a vCPU: it runs, otherwise it waits for the CPU */
	const struct kvmstats_vmm *vmm;	/* its VMM, or NULL; valid until the next pass */
	char name[16];			/* of another thread */
};

/* Initialize it with zeros. */
struct occupants {
	struct occupant *occupant;
	size_t occupants;
	size_t capacity;
	bool is_copy;			/* /proc is that of another host */
	bool has_vcpus;			/* the host file shows them */
	bool scanned;			/* in this pass */
	pid_t self;
	struct busy_process *process;	/* of the last scan, by PID */
	size_t processes;
};

/* Begins a pass. */
void occupants_begin(struct occupants *occupants, const struct kvmstats_host *host, bool is_copy);

/*
 * Calls @found with those that compete for @cpu with the vCPU thread @tid: if it waits, the vCPU
 * that is on the CPU; otherwise those that wait for it. Without such vCPUs, calls it with other
 * threads that run there, or could: /proc does not show which of several runs. Not with this
 * program.
 */
void occupants_on(struct occupants *occupants, int cpu, pid_t tid, bool waits,
		  void (*found)(const struct occupant *occupant, void *arg), void *arg);
void occupants_free(struct occupants *occupants);

#endif /* WHY_OCCUPANTS_H */
