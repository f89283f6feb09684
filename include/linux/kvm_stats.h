/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM binary statistics: the interface to the rest of KVM
 */
#ifndef _LINUX_KVM_STATS_H
#define _LINUX_KVM_STATS_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/kvm_types.h>
#include <linux/types.h>
#include <uapi/linux/kvm_stats.h>

struct kvm;
struct kvm_vcpu;

#define KVM_STATS_NAME_SIZE	48

/*
 * Is it one of the ioctls that open statistics files?  They share their type and
 * number, which are the low 16 bits.
 */
#define KVM_STATS_IS_IOCTL(ioctl)	(!(u16)((ioctl) ^ KVM_STATS_GETFD))

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

int kvm_stats_init_vm(struct kvm *kvm);
void kvm_stats_number_vm(struct kvm *kvm, u64 number);
void kvm_stats_end_vm(struct kvm *kvm);
int kvm_stats_vm_ioctl(struct kvm *kvm, unsigned int ioctl, void __user *argp);
int kvm_stats_vcpu_ioctl(struct kvm_vcpu *vcpu, unsigned int ioctl);
int kvm_stats_next_vm(struct kvm_stats_next __user *argp);

#endif /* _LINUX_KVM_STATS_H */
