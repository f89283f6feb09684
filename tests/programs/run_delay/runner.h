/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that each run a vCPU, and what the scheduler and the statistics report about the
 * duration of the run.
 */
#ifndef RUN_DELAY_RUNNER_H
#define RUN_DELAY_RUNNER_H

#include <pthread.h>

#include "vcpu/guest.h"

/* An endless loop of the guest */
#ifdef __aarch64__
static const uint32_t spin_code[] = { 0x14000000 };	/* b . */
#else
static const uint8_t spin_code[] = { 0xeb, 0xfe };	/* jmp . */
#endif

/* What /proc/PID/task/TID/schedstat shows. */
struct schedstat {
	unsigned long long run_ns;
	unsigned long long delay_ns;
	unsigned long long arrivals;	/* how often the thread got a CPU */
};

struct runner {
	volatile bool stop;
	volatile bool measures;	/* since the first exit of the guest */
	volatile bool ended;
	void (*run)(struct guest *guest);	/* runs until a signal */
	struct guest guest;
	bool flush;		/* call KVM_RUN before the statistics are read */
	int cpu;		/* where the thread runs */
	pthread_t thread;
	long long ns;		/* duration of the run */
	long long tail_ns;	/* from the last flush, until @after was read */
	struct schedstat before;
	struct schedstat after;
	struct outcome stats;
};

/* Can this thread's time in the run queue be measured? */
bool schedstat_exists(void);

/* Create a vCPU whose guest executes @code, which does not end by itself. */
void runner_create(struct runner *runner, const void *code, size_t size);
void runner_destroy(struct runner *runner);

/*
 * Run all vCPUs at the same time for @ms milliseconds. @meanwhile, which can be NULL, is called
 * every 20 ms.
 */
void runners_run(struct runner *runners, unsigned int num, long ms,
		 void (*meanwhile)(struct runner *runners));

/* Return the growth of the statistic during the run. */
uint64_t grown(const struct runner *runner, const char *name);

/* A `run` of struct runner: KVM_RUN. */
void run_guest(struct guest *guest);

#endif /* RUN_DELAY_RUNNER_H */
