/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kvm_stats_test has to know about an architecture: its statistics, and
 * guest code that causes events which they count.
 */
#ifndef SELFTEST_KVM_STATS_ARCH_H
#define SELFTEST_KVM_STATS_ARCH_H

#include "kvm_util.h"
#include "kvm_stats_layout.h"

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

#endif /* SELFTEST_KVM_STATS_ARCH_H */
