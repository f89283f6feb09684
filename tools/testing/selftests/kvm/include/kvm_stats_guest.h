/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A vCPU of a KVM selftest, its statistics, and threads that run vCPUs.
 */
#ifndef SELFTEST_KVM_STATS_GUEST_H
#define SELFTEST_KVM_STATS_GUEST_H

#include <pthread.h>

#include "test_util.h"
#include "kvm_util.h"
#include "kvm_stats_vmm.h"

struct stats_guest {
	struct kvm_vm *vm;
	uint32_t vcpu_id;
	int vm_stats;
	int vcpu_stats;
};

/* Opens the statistics of the VM and of the vCPU. */
struct stats_guest stats_guest_of(struct kvm_vm *vm, uint32_t vcpu_id);

/*
 * For the setup of a suite: makes that the machine of the target, of type struct
 * stats_guest.  Always returns NULL.
 */
const char *stats_use_guest(struct stats_target *target, struct kvm_vm *vm,
			    uint32_t vcpu_id);

/*
 * Runs the vCPU until its next ucall, which is returned.  MMIO is ignored: a read
 * returns undefined data.
 */
uint64_t stats_run_guest(const struct stats_guest *guest);

int stats_vcpu_fd(struct kvm_vm *vm, uint32_t vcpu_id);

/* The address of the guest's copy of a global variable of this program. */
#define stats_in_guest(vm, global) \
	((typeof(global) *)addr_gva2hva(vm, (vm_vaddr_t)&(global)))

/*
 * Take snapshots of the statistics of a vCPU and its VM, and check by how much
 * statistics changed between two of them.
 */

/* A check need not free it, because its process ends with it. */
struct stats_snapshot {
	struct stats_file vm;
	struct stats_file vcpu;
};

/* The expected change of a statistic.  Of a histogram the buckets are added. */
struct stats_change {
	const char *name;
	int64_t by;
};

struct stats_snapshot stats_now(const struct stats_guest *guest);
void stats_snapshot_free(struct stats_snapshot *snapshot);

/* The functions below find @name in the file of the VM or of the vCPU. */
const uint64_t *stats_values(const struct stats_snapshot *snapshot,
			     const char *name, unsigned int *num);

/* Returns the sum of the values of the statistic, which is often just one. */
uint64_t stats_sum(const struct stats_snapshot *snapshot, const char *name);

int64_t stats_changed(const struct stats_snapshot *before,
		      const struct stats_snapshot *after, const char *name);

const char *stats_check_value(const struct stats_snapshot *now,
			      const char *name, uint64_t expected);

const char *stats_check_changes(const struct stats_snapshot *before,
				const struct stats_snapshot *after,
				const struct stats_change *changes, size_t num);

/* STATS_CHECK_CHANGES(&before, &after, { "NAME", BY }, ...) */
#define STATS_CHECK_CHANGES(before, after, ...)				\
	stats_check_changes(before, after,				\
			    (const struct stats_change[]) { __VA_ARGS__ }, \
			    sizeof((const struct stats_change[]) { __VA_ARGS__ }) / \
			    sizeof(struct stats_change))

/*
 * Run vCPUs in threads of their own, and observe whether these threads sleep.
 */

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

#endif /* SELFTEST_KVM_STATS_GUEST_H */
