/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest of kvm_stats_test: it causes an event of the architecture a known
 * number of times, or keeps its vCPU busy.
 */
#ifndef SELFTEST_KVM_STATS_WORKLOAD_H
#define SELFTEST_KVM_STATS_WORKLOAD_H

#include "kvm_stats_arch.h"
#include "kvm_stats_thread.h"

#define IDLE_VCPU_ID	0	/* never runs */
#define VCPU_ID		STATS_VCPU_ID

/* How often the guest causes an event. */
#define STATS_TIMES	13

/* What the guest does: an index in stats_events, or one of these for ever. */
enum { GUEST_SPIN = STATS_NUM_EVENTS, GUEST_WAIT };

/* What KVM_RUN returned. */
struct stats_exits {
	uint64_t total;		/* with an exit reason */
	uint64_t expected;	/* with the exit reason of the event */
	uint64_t signals;	/* because of a signal */
};

struct kvm_vm *stats_create_vm(void);

/* Runs the guest until it has caused the event STATS_TIMES times. */
struct stats_exits stats_run_event(struct kvm_vm *vm, unsigned int event);

/* Lets the guest spin until @num signals have interrupted KVM_RUN. */
void stats_run_signals(struct kvm_vm *vm, uint64_t num);

/*
 * Runs GUEST_SPIN or GUEST_WAIT in a thread.  Returns when the vCPU is known to
 * spin in guest mode, or to block in the kernel.  It does so until the process
 * ends.
 */
const char *stats_keep_busy(struct kvm_vm *vm, unsigned int work);

/* Lets the busy vCPU return to user space, enter the guest and go on. */
void stats_wake_busy(void);

#endif /* SELFTEST_KVM_STATS_WORKLOAD_H */
