/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM binary statistics: the interface to the rest of KVM
 */
#ifndef _LINUX_KVM_STATS_H
#define _LINUX_KVM_STATS_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kvm_types.h>
#include <linux/types.h>
#include <uapi/linux/kvm_stats.h>

struct kvm;
struct kvm_stats_schema;
struct kvm_vcpu;

#define KVM_STATS_NAME_SIZE	48

/* Is it one of the ioctls that open statistics files?  They share a number. */
#define KVM_STATS_IS_IOCTL(ioctl)	(_IOC_NR(ioctl) == _IOC_NR(KVM_STATS_GETFD))

/**
 * struct kvm_stats_source - what a statistics file reads
 * @schema: describes @values
 * @vcpu_schema: describes the records, or NULL in files without records
 * @kvm: the VM; every open file holds a reference
 * @values: the statistics, which the rest of KVM updates during reads
 * @exits: the exit statistics of a vCPU, behind @values, or NULL
 * @data_offset: offset of @values in the file
 * @pid: process that created the VM, in the initial PID namespace
 * @vcpu_id: id of the vCPU, or -1 for the VM
 *
 * Embedded in struct kvm and struct kvm_vcpu.  Constant after their creation.
 */
struct kvm_stats_source {
	const struct kvm_stats_schema *schema;
	const struct kvm_stats_schema *vcpu_schema;
	struct kvm *kvm;
	const u64 *values;
	const u64 *exits;
	u32 data_offset;
	pid_t pid;
	int vcpu_id;
};

/**
 * kvm_stats_log2_hist_update - count a value in a logarithmic histogram
 * @buckets: the histogram, KVM_STATS_BUCKETS long
 * @value: the value
 *
 * The first bucket counts the value 0, and bucket n values from 2^(n-1) to
 * 2^n - 1.  The last bucket also counts all larger values.
 */
static inline void kvm_stats_log2_hist_update(u64 *buckets, u64 value)
{
	++buckets[min(fls64(value), KVM_STATS_BUCKETS - 1)];
}

#ifdef CONFIG_HAVE_KVM_STATS_FD
void kvm_stats_init_vm(struct kvm *kvm);
void kvm_stats_number_vm(struct kvm *kvm);
void kvm_stats_init_vcpu(struct kvm_vcpu *vcpu);
int kvm_stats_vm_ioctl(struct kvm *kvm, unsigned int ioctl, void __user *argp);
int kvm_stats_vcpu_ioctl(struct kvm_vcpu *vcpu, unsigned int ioctl);
int kvm_stats_next_vm(struct kvm_stats_next __user *argp);
#else
static inline void kvm_stats_init_vm(struct kvm *kvm)
{
}

static inline void kvm_stats_number_vm(struct kvm *kvm)
{
}

static inline void kvm_stats_init_vcpu(struct kvm_vcpu *vcpu)
{
}

static inline int kvm_stats_vm_ioctl(struct kvm *kvm, unsigned int ioctl,
				     void __user *argp)
{
	return -ENOTTY;
}

static inline int kvm_stats_vcpu_ioctl(struct kvm_vcpu *vcpu,
				       unsigned int ioctl)
{
	return -ENOTTY;
}

static inline int kvm_stats_next_vm(struct kvm_stats_next __user *argp)
{
	return -EINVAL;
}
#endif

#endif /* _LINUX_KVM_STATS_H */
