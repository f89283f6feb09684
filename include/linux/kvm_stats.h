/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM binary statistics: descriptor tables and the hooks for the rest of KVM
 *
 * A target, the VM or the vCPU, keeps its statistics in one structure of u64
 * fields, the generic ones first.  Two tables describe them: the generic one in
 * virt/kvm/kvm_stats.c and the architecture's in arch/<arch>/kvm/stats.c.
 */
#ifndef _LINUX_KVM_STATS_H
#define _LINUX_KVM_STATS_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kvm_types.h>
#include <linux/math64.h>
#include <linux/types.h>
#include <uapi/linux/kvm_stats.h>

struct kvm;
struct kvm_vcpu;

#define KVM_STATS_NAME_SIZE	__KVM_STATS_NAME_SIZE

/**
 * struct kvm_stats_table - descriptors of a run of fields
 * @desc: the descriptors, in the order of the fields
 * @num: number of @desc
 */
struct kvm_stats_table {
	const struct kvm_stats_desc *desc;
	unsigned int num;
};

/* The kinds for STAT() and HIST(); see linux/kvm_stats_table.h. */
#define KVM_STATS_FLAGS(type, unit, base)				\
	(KVM_STATS_TYPE_##type | KVM_STATS_UNIT_##unit | KVM_STATS_BASE_##base)

#define KVM_STATS_COUNTER						\
	.flags = KVM_STATS_FLAGS(CUMULATIVE, NONE, POW10)
#define KVM_STATS_COUNTER_NS						\
	.flags = KVM_STATS_FLAGS(CUMULATIVE, SECONDS, POW10), .exponent = -9
#define KVM_STATS_INSTANT						\
	.flags = KVM_STATS_FLAGS(INSTANT, NONE, POW10)
#define KVM_STATS_BOOLEAN						\
	.flags = KVM_STATS_FLAGS(INSTANT, BOOLEAN, POW10)
#define KVM_STATS_PEAK							\
	.flags = KVM_STATS_FLAGS(PEAK, NONE, POW10)
#define KVM_STATS_LINEAR(width)						\
	.flags = KVM_STATS_FLAGS(LINEAR_HIST, NONE, POW10), .bucket_size = (width)
#define KVM_STATS_LOG2							\
	.flags = KVM_STATS_FLAGS(LOG_HIST, NONE, POW10)
#define KVM_STATS_LOG2_NS						\
	.flags = KVM_STATS_FLAGS(LOG_HIST, SECONDS, POW10), .exponent = -9

/* Where the described fields start; see linux/kvm_stats_table.h. */
#define KVM_STATS_START_kvm_vm_stat_generic	0
#define KVM_STATS_START_kvm_vcpu_stat_generic	0
#define KVM_STATS_START_kvm_vm_stat		\
	offsetofend(struct kvm_vm_stat, generic)
#define KVM_STATS_START_kvm_vcpu_stat		\
	offsetofend(struct kvm_vcpu_stat, generic)

extern const struct kvm_stats_table kvm_vm_stat_generic_table;
extern const struct kvm_stats_table kvm_vcpu_stat_generic_table;
extern const struct kvm_stats_table kvm_vm_stat_table;
extern const struct kvm_stats_table kvm_vcpu_stat_table;

/**
 * struct kvm_stats_schema - everything of a target's files that is constant
 * @generic: descriptors of the fields that all architectures have
 * @arch: descriptors of the fields after those
 * @data_size: size in bytes of the structure that holds the values
 */
struct kvm_stats_schema {
	const struct kvm_stats_table *generic;
	const struct kvm_stats_table *arch;
	size_t data_size;
};

/**
 * struct kvm_stats_source - what a statistics fd reads
 * @schema: schema of the target
 * @kvm: the VM, of which each open file holds a reference
 * @values: the statistics, counted by the rest of KVM while they are read
 * @id: what files say who they are, padded with NUL: "kvm-", the PID, in the
 *	initial namespace, of the process that created the VM, and for a vCPU
 *	"/vcpu-" and its id
 * @file_name: name of the anonymous inodes of files
 *
 * Part of struct kvm and of struct kvm_vcpu, whose lifetime it shares.  Constant
 * once the VM or vCPU fd is there.
 */
struct kvm_stats_source {
	const struct kvm_stats_schema *schema;
	struct kvm *kvm;
	const u64 *values;
	char id[KVM_STATS_NAME_SIZE];
	char file_name[sizeof("kvm-vcpu-stats:-2147483648")];
};

/**
 * kvm_stats_linear_hist_update - count a value in a linear histogram
 * @buckets: the histogram
 * @num: number of @buckets; the last one takes all that is beyond
 * @value: the value
 * @width: range of values of a bucket, as in the descriptor
 */
static inline void kvm_stats_linear_hist_update(u64 *buckets, size_t num,
						u64 value, u32 width)
{
	u64 bucket = div_u64(value, width);

	++buckets[min_t(u64, bucket, num - 1)];
}

/**
 * kvm_stats_log2_hist_update - count a value in a logarithmic histogram
 * @buckets: the histogram
 * @num: number of @buckets; the last one takes all that is beyond
 * @value: the value; 0 goes to the first bucket, 2^(n-1) to 2^n - 1 to bucket n
 */
static inline void kvm_stats_log2_hist_update(u64 *buckets, size_t num,
					      u64 value)
{
	++buckets[min_t(size_t, fls64(value), num - 1)];
}

/**
 * kvm_stats_halt_polled - count the time that a halted vCPU polled
 * @stat: statistics of the vCPU
 * @ns: how long it polled
 * @success: whether it need not be blocked after that
 */
static inline void kvm_stats_halt_polled(struct kvm_vcpu_stat_generic *stat,
					 u64 ns, bool success)
{
	if (success) {
		stat->halt_poll_success_ns += ns;
		kvm_stats_log2_hist_update(stat->halt_poll_success_hist,
					   KVM_STATS_HALT_BUCKETS, ns);
	} else {
		stat->halt_poll_fail_ns += ns;
		kvm_stats_log2_hist_update(stat->halt_poll_fail_hist,
					   KVM_STATS_HALT_BUCKETS, ns);
	}
}

/**
 * kvm_stats_halt_waited - count the time that a halted vCPU was blocked
 * @stat: statistics of the vCPU
 * @ns: how long it was blocked, without the time that it polled before
 */
static inline void kvm_stats_halt_waited(struct kvm_vcpu_stat_generic *stat,
					 u64 ns)
{
	stat->halt_wait_ns += ns;
	kvm_stats_log2_hist_update(stat->halt_wait_hist,
				   KVM_STATS_HALT_BUCKETS, ns);
}

#ifdef CONFIG_HAVE_KVM_STATS_FD
void kvm_stats_init_vm(struct kvm *kvm);
void kvm_stats_init_vcpu(struct kvm_vcpu *vcpu);
int kvm_stats_getfd(struct kvm_stats_source *source);
#else
static inline void kvm_stats_init_vm(struct kvm *kvm)
{
}

static inline void kvm_stats_init_vcpu(struct kvm_vcpu *vcpu)
{
}

static inline int kvm_stats_getfd(struct kvm_stats_source *source)
{
	return -ENOTTY;
}
#endif

#endif /* _LINUX_KVM_STATS_H */
