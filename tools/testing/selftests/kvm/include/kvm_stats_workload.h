/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest of kvm_stats_test: it causes an event of the architecture a known
 * number of times, or keeps its vCPU busy.
 */
#ifndef SELFTEST_KVM_STATS_WORKLOAD_H
#define SELFTEST_KVM_STATS_WORKLOAD_H

#include "kvm_util.h"
#include "kvm_stats_file.h"
#include "kvm_stats_guest.h"

/*
 * What kvm_stats_test has to know about an architecture: its statistics, and
 * guest code that causes events which they count.
 */

#define STATS_COUNTER(name)	STATS_EXPECT(name, CUMULATIVE, NONE, 0, 1)
#define STATS_COUNTER_NS(name)	STATS_EXPECT(name, CUMULATIVE, SECONDS, -9, 1)
#define STATS_INSTANT(name)	STATS_EXPECT(name, INSTANT, NONE, 0, 1)
#define STATS_PEAK(name)	STATS_EXPECT(name, PEAK, NONE, 0, 1)
#define STATS_BOOLEAN(name)	STATS_EXPECT(name, INSTANT, BOOLEAN, 0, 1)
#define STATS_LOG2_NS(name)	STATS_EXPECT(name, LOG_HIST, SECONDS, -9, 32)

/* Values of stats_event.exit_reason: no exit to user space ... */
#define STATS_NO_EXIT	0
/* ... or the vCPU blocks in the kernel until the VMM wakes it. */
#define STATS_WAIT	(~0u)

/* When the guest calls @once, @stat increases, and KVM_RUN may return. */
struct stats_event {
	const char *name;
	const char *stat;
	void (*once)(void);
	uint32_t exit_reason;
};

/* A wrong number does not compile. */
#define STATS_NUM_EVENTS	5
extern const struct stats_event stats_events[STATS_NUM_EVENTS];

/* Blocks the vCPU until the VMM wakes it. */
void stats_guest_wait_once(void);

/* The number of checks of the VM's debugfs files: 0 if it has no such files. */
#ifdef __x86_64__
#define STATS_VM_DEBUGFS_CHECKS	1
#else
#define STATS_VM_DEBUGFS_CHECKS	0
#endif

const char *stats_check_arch_vm(const struct stats_file *file);
const char *stats_check_arch_vcpu(const struct stats_file *file);

/* Prepares a VM for the events. */
void stats_arch_prepare(struct kvm_vm *vm);

/* Makes a vCPU that blocked runnable, after a signal interrupted KVM_RUN. */
void stats_arch_wake(struct kvm_vm *vm, uint32_t vcpu_id);

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
