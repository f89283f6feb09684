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
	int cpu;
	enum { OCCUPANT_RUNS, OCCUPANT_WAITS, OCCUPANT_OTHER } kind;	/* vCPUs, other threads */
	pid_t pid;
	pid_t tid;
	int vcpu;			/* -1: not a vCPU */
	const struct kvmstats_vmm *vmm;	/* its VMM, or NULL; valid until the next pass */
	char name[16];			/* of another thread */
};

/* Initialize it with zeros. */
struct occupants {
	struct occupant *occupant;
	size_t occupants;
	size_t capacity;
	bool sorted;			/* by CPU and kind */
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
 * Returns those that compete for @cpu with a vCPU, and sets @count: if it waits, the vCPU that is
 * on the CPU; otherwise those that wait for it. If there are no such vCPUs, returns other threads
 * that run there, or could: /proc does not show which of several runs. The vCPU can be one of
 * these; this program is not. They are valid until the next call.
 */
const struct occupant *occupants_on(struct occupants *occupants, int cpu, bool waits,
				    size_t *count);

/* Returns this thread, whose name is @name if it is not a vCPU that the pass shows on a CPU. */
struct occupant occupants_thread(const struct occupants *occupants, pid_t pid, pid_t tid,
				 const char *name);
void occupants_free(struct occupants *occupants);

#endif /* WHY_OCCUPANTS_H */
