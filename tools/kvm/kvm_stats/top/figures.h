/* SPDX-License-Identifier: GPL-2.0-only */
/* What a line of the table of guests or vCPUs shows, of the last interval. */
#ifndef TOP_FIGURES_H
#define TOP_FIGURES_H

#include "proc/process.h"
#include "top/exits.h"
#include "top/vcpu_times.h"

#define FIGURES_KINDS	3	/* of exits */

/* A negative number is unknown. */
struct figures {
	double cpu;		/* in percent of one CPU, as in top(1) */
	/* In percent of the time of the vCPUs: */
	double guest;		/* in the guest */
	double kernel;		/* in the kernel, for the guest */
	double user;		/* in the VMM */
	double waiting;		/* for a CPU; figures_set_exits() knows it better than /proc */
	double halted;		/* the rest */
	double exits;		/* per second */
	double faults;
	double polls;		/* percent of successful halt polls */
	double memory;		/* in bytes */
	struct exit_kind kind[FIGURES_KINDS];	/* the most frequent ones; the rest has rate 0 */
};

/* All are unknown. */
void figures_clear(struct figures *figures);

/* Sets the figures of /proc of a whole process that has @vcpus vCPUs. */
void figures_set_process(struct figures *figures, const struct process *process, size_t vcpus);

/* Sets those of one vCPU thread. */
void figures_set_thread(struct figures *figures, const struct process *process,
			const struct thread *thread);

/* Sets the figures of KVM. Call it after the functions above. */
void figures_set_exits(struct figures *figures, struct exit_tally *tally);

/* Sets the times of vCPUs with exit statistics, which are exact. Call it last. */
void figures_set_times(struct figures *figures, const struct vcpu_times *times);

/* Adds what can be added over guests: CPU and memory. */
void figures_add_sums(struct figures *figures, const struct figures *other);

#endif /* TOP_FIGURES_H */
