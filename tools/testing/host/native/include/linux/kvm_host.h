/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the VM and the vCPU of x86 that the statistics file needs. */
#pragma once

#include <linux/kernel.h>
#include <linux/kvm_types.h>
#include <linux/kvm_stats.h>
#include <unistd.h>

#define KVM_NR_PAGE_SIZES	3
#define task_tgid_nr(task)	getpid()

struct kvm_vm_stat {
#include <asm/kvm_vm_stat_defs.h>
};

struct kvm_vcpu_stat {
#include <asm/kvm_vcpu_stat_defs.h>
};

struct kvm {
	int users_count;
	u64 before_stat;	/* not 0, so that tests find a read from a wrong address */
	struct kvm_vm_stat stat;
	struct kvm_stats_source stats_source;
};

struct kvm_vcpu {
	struct kvm *kvm;
	int vcpu_id;
	u64 before_stat;
	struct kvm_vcpu_stat stat;
	struct kvm_stats_source stats_source;
};

static inline void kvm_get_kvm(struct kvm *kvm)
{
	kvm->users_count++;
}

static inline void kvm_put_kvm(struct kvm *kvm)
{
	kvm->users_count--;
}
