/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has been measured of each guest: the sums of the last two windows. All of it comes from
 * passes of the host model and from struct process, with the times of the passes, so that a
 * recording gives the same evidence as the host.
 */
#ifndef WHY_EVIDENCE_H
#define WHY_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cgroup.h"
#include "model.h"
#include "proc.h"
#include "switches.h"
#include "why/occupants.h"

/* ---- threads ---- */

/* What is added up. Times are in ns. */
enum sum {
	SUM_TIME,		/* between the samples */
	SUM_GUEST,
	SUM_USER,		/* in user mode, outside of the guest */
	SUM_KERNEL,
	SUM_RUNTIME,		/* the sum of these three, by another clock */
	SUM_WAITING,		/* for a CPU, also while throttled */
	SUM_WAITED,		/* intervals with such a wait */
	SUM_INTERVALS,
	SUM_HALTED,		/* samples with each of these states */
	SUM_OUTSIDE,		/* sleep, and KVM counts no halt */
	SUM_BLOCKED,		/* uninterruptible sleep; of a helper, while a vCPU is outside */
	SUM_STOPPED,
	SUM_FAULTS,		/* major ones */
	SUM_PERIODS,		/* of the limit of a cgroup */
	SUM_THROTTLED_PERIODS,
	SUM_THROTTLED,
	SUM_HALT_TIME,		/* in halts that have ended. KVM counts this and what follows. */
	SUM_EXITS,
	SUM_EMULATED,		/* instructions */
	SUM_KINDS,		/* of exits, see thread_exits() */
	SUMS = SUM_KINDS + 12,
};

#define WINDOWS		2
#define COUNTERS	(SUMS - SUM_HALT_TIME)

struct thread_evidence {
	struct thread thread;		/* as of the last pass */
	bool has_values;		/* the host file has the thread */
	uint64_t time;			/* when it was read last; 0: never */
	uint64_t counter[COUNTERS];	/* of KVM: the last values */
	uint64_t sum[WINDOWS][SUMS];
	uint64_t wait_now;		/* how long the current wait has lasted */
	bool waited;			/* in the last interval */
	uint64_t asleep;		/* how long it has been asleep; 0: it is not */
	int cpu;			/* that it waits for */
	char limit[128];		/* path of the cgroup that throttles most; "": none */
	char max[64];			/* of that, see cgroup_limit_text() */
};

/* Returns the sum over both windows. */
uint64_t thread_sum(const struct thread_evidence *thread, enum sum sum);

/* Returns the name of the most frequent exits, or NULL. */
const char *thread_exits(const struct thread_evidence *thread);

/* Parts of the time of a vCPU, which exclude each other */
enum part {
	PART_GUEST,
	PART_KVM,
	PART_VMM,
	PART_HALTED,
	PART_WAITING,		/* for a CPU, without the next one */
	PART_THROTTLED,		/* at most: see struct cpu_use */
	PART_BLOCKED,		/* asleep, not halted */
	PART_STOPPED,		/* also frozen */
	PARTS,
};

/* "guest", "kvm", "vmm", "halted", "waiting", "throttled", "blocked", "stopped" */
const char *part_name(enum part part);

/* Sets percentages, whose sum is 100. Returns false if nothing has been measured. */
bool thread_parts(const struct thread_evidence *thread, double *part);

/* ---- guests ---- */

/* A thread that had a CPU while vCPUs of the guest waited for it */
struct neighbour {
	pid_t pid;
	pid_t tid;
	int cpu;			/* for which the last one waited */
	bool own;			/* a vCPU of the guest */
	uint64_t weight[WINDOWS];	/* samples, or the time in ns that vCPUs waited for it */
	char name[80];			/* "batch/vcpu2", "stress (PID 4711)" */
};

#define MAX_NEIGHBOURS	16

enum { PRESSURE_MEMORY, PRESSURE_CPU, PRESSURES };

struct guest_window {
	uint64_t samples;		/* that show a thread on a CPU for which a vCPU waits */
	uint64_t waits;			/* their parts, one for each thread; for --switches */
	uint64_t weight;		/* of all: 1 for each sample, or the time of the waits */
	uint64_t outside;		/* samples in which a vCPU sleeps outside of KVM_RUN */
	uint64_t pressure[PRESSURES];	/* for how long tasks waited */
	uint64_t pressure_time;		/* of how much time */
};

struct guest_evidence {
	uint64_t vmm;			/* its ID */
	pid_t pid;			/* 0: it is not in this machine's /proc */
	uint64_t age;			/* of the process, UINT64_MAX: not known */
	enum process_state state;
	unsigned int samples_taken;
	int printed;			/* for users: the verdict that they printed last */
	struct thread_evidence *thread;	/* sorted by TID */
	size_t threads;
	struct neighbour neighbour[MAX_NEIGHBOURS];
	size_t neighbours;
	struct guest_window window[WINDOWS];
	char cgroup[256];		/* see process_cgroup() */
	size_t sharers;			/* guests in it, if it has a high pressure */
	bool has_pressure;
	uint64_t pressure_time;		/* when it was read last */
	struct pressure pressure[PRESSURES];
};

/* Initialize it with zeros and the window. */
struct evidence {
	uint64_t window;		/* in ns: facts are about one to two of them */
	uint64_t time;
	uint64_t began;			/* the window */
	size_t current;			/* its index in the sums */
	double steal[WINDOWS];		/* sum of the percentages of the intervals */
	uint64_t intervals[WINDOWS];
	int64_t clock;			/* scheduler's clock - CLOCK_MONOTONIC */
	struct guest_evidence *guest;	/* one for each of monitor->vmm */
	size_t guests;
	struct occupants occupants;
	/* The waits since the last pass, by TID of the vCPU, if context switches are watched */
	const struct taken_cpu *taken;
	size_t takings;
	bool has_blocking;		/* KVM counts whether a vCPU is halted */
	const struct kvmstats_stat *stat[4], *counter[COUNTERS];
};

/*
 * Adds a pass. The monitor reads processes with PROCESSES_STATES. Returns false if memory is
 * exhausted.
 */
bool evidence_update(struct evidence *evidence, const struct monitor *monitor,
		     const struct host *host);

/* Returns how much of the time tasks of the guest's cgroup waited, in percent, or NAN. */
double pressure_share(const struct guest_evidence *guest, size_t kind);

/* Returns NULL if the last pass did not have the guest. */
struct guest_evidence *evidence_of(const struct evidence *evidence, const struct vmm *vmm);
void evidence_free(struct evidence *evidence);

#endif /* WHY_EVIDENCE_H */
