/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the VM and the vCPU of x86 that the statistics file needs. */
#pragma once

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/kvm_types.h>
#include <linux/kvm_stats.h>
#include <unistd.h>

#define KVMIO			0xAE	/* of linux/kvm.h */
#define KVM_NR_PAGE_SIZES	3
#define task_tgid_nr(task)	getpid()

struct kvm_vm_stat {
#include <asm/kvm_vm_stat_defs.h>
};

struct kvm_vcpu_stat {
#include <asm/kvm_vcpu_stat_defs.h>
};

#define KVM_MAX_VCPUS		256

struct kvm {
	int users_count;
	u64 before_stat;	/* not 0, so that tests find a read from a wrong address */
	struct kvm_vm_stat stat;
	struct kvm_stats_vm *stats_vm;
	struct kvm_vcpu *vcpus[KVM_MAX_VCPUS];
	atomic_t online_vcpus;
};

struct kvm_vcpu {
	struct kvm *kvm;
	int vcpu_id;
	u64 before_stat;
	struct kvm_stats_record stats_record;
	struct kvm_vcpu_stat stat;
};

/* As in older releases, an index that is too high finds the first vCPU. */
static inline struct kvm_vcpu *kvm_get_vcpu(struct kvm *kvm, int i)
{
	return kvm->vcpus[i < atomic_read(&kvm->online_vcpus) ? i : 0];
}

static inline void kvm_get_kvm(struct kvm *kvm)
{
	kvm->users_count++;
}

static inline void kvm_put_kvm(struct kvm *kvm)
{
	kvm->users_count--;
}
