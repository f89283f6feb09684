/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run vCPUs in threads of their own, and observe whether these threads sleep.
 */
#ifndef SELFTEST_KVM_STATS_THREAD_H
#define SELFTEST_KVM_STATS_THREAD_H

#include <pthread.h>

#include "kvm_stats_guest.h"

struct stats_vcpu_thread {
	const struct stats_guest *guest;
	int cpu;		/* the only CPU that the thread may run on */
	pthread_t thread;
	pid_t tid;
	uint64_t sleeps;	/* number of times it slept before KVM_RUN */
};

/*
 * Starts a thread that runs the vCPU until its next ucall.  @vcpu must stay
 * valid until stats_vcpu_join().
 */
void stats_vcpu_start(struct stats_vcpu_thread *vcpu,
		      const struct stats_guest *guest, int cpu);
void stats_vcpu_join(struct stats_vcpu_thread *vcpu);

/* Returns the CPU at index @nth of those this process may use, or -1. */
int stats_nth_cpu(unsigned int nth);

/* Binds the calling thread to @cpu. */
void stats_pin(int cpu);

bool stats_thread_sleeps(pid_t tid);

/* Returns the number of times that the thread went to sleep. */
uint64_t stats_thread_sleep_count(pid_t tid);

/* Returns the number of times that another thread ran in its place. */
uint64_t stats_thread_preemption_count(pid_t tid);

#endif /* SELFTEST_KVM_STATS_THREAD_H */
