// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM exit statistics: where the time of a vCPU goes
 *
 * Each change between guest, handling of an exit, halt and user space adds the
 * time since the previous change to one value.  The clock has the same rate as that
 * of the scheduler, which measures the wait for a CPU.  All functions that are called
 * for a vCPU are called by the thread that holds its mutex.
 */
#include <linux/kvm_exit_stats.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

static bool exit_stats;
module_param(exit_stats, bool, 0644);
MODULE_PARM_DESC(exit_stats, "Enable exit statistics for new VMs");

/*
 * Every user of /dev/kvm can enable and disable this by creating and destroying VMs,
 * so the code is patched at most once per second to disable it.
 */
DEFINE_STATIC_KEY_DEFERRED_FALSE(kvm_exit_stats_used, HZ);
EXPORT_SYMBOL_GPL(kvm_exit_stats_used);

/**
 * kvm_exit_stats_reenter - a fast path has handled an exit and reenters the guest
 * @exits: the exit statistics of a vCPU
 * @class: number of the class of the exit
 *
 * The fast path is short, so its time remains part of guest_ns.  Called with
 * interrupts disabled, after kvm_exit_stats_enter().
 */
void kvm_exit_stats_reenter(struct kvm_exit_stats *exits, unsigned int class)
{
	++((u64 *)&exits->stat)[class];
	kvm_stats_log2_hist_update(exits->stat.exit_hist, 0);
}
EXPORT_SYMBOL_GPL(kvm_exit_stats_reenter);

/**
 * kvm_exit_stats_enable - enable the exit statistics of a VM
 * @kvm: the VM
 * @cap: argument of KVM_ENABLE_CAP
 *
 * All vCPUs of a VM have the same statistics, so there must not be a vCPU yet.
 *
 * Return: 0, -EBUSY if there is a vCPU, or -EINVAL.
 */
int kvm_exit_stats_enable(struct kvm *kvm, const struct kvm_enable_cap *cap)
{
	bool was_enabled = true;
	int r = 0;

	if (cap->flags || cap->args[0] != KVM_STATS_ENABLE_EXITS)
		return -EINVAL;

	/* Patching code takes locks that are outside of kvm->lock. */
	static_branch_deferred_inc(&kvm_exit_stats_used);
	mutex_lock(&kvm->lock);
	if (kvm->created_vcpus) {
		r = -EBUSY;
	} else {
		was_enabled = kvm->exit_stats;
		WRITE_ONCE(kvm->exit_stats, true);
	}
	mutex_unlock(&kvm->lock);
	if (was_enabled)
		static_branch_slow_dec_deferred(&kvm_exit_stats_used);
	return r;
}

/**
 * kvm_exit_stats_init_vm - enable the exit statistics of a new VM by default
 * @kvm: the VM, whose creation cannot fail any more
 */
void kvm_exit_stats_init_vm(struct kvm *kvm)
{
	if (!READ_ONCE(exit_stats))
		return;

	static_branch_deferred_inc(&kvm_exit_stats_used);
	kvm->exit_stats = true;
}

/**
 * kvm_exit_stats_destroy_vm - a VM is destroyed
 * @kvm: the VM, without vCPUs
 */
void kvm_exit_stats_destroy_vm(struct kvm *kvm)
{
	if (kvm->exit_stats)
		static_branch_slow_dec_deferred(&kvm_exit_stats_used);
}

/**
 * kvm_exit_stats_init_vcpu - allocate the exit statistics of a new vCPU
 * @vcpu: the vCPU
 * @kvm: its VM, which counts the vCPU as created
 *
 * Return: 0 or -ENOMEM.
 */
int kvm_exit_stats_init_vcpu(struct kvm_vcpu *vcpu, const struct kvm *kvm)
{
	struct kvm_exit_stats *exits;

	if (!kvm->exit_stats)
		return 0;

	exits = kzalloc(sizeof(*exits), GFP_KERNEL_ACCOUNT);
	if (!exits)
		return -ENOMEM;

	exits->handling = &exits->stat.exit_other_ns;
	kvm_exit_clock_init(&exits->clock);
	preempt_disable();
	exits->since = kvm_exit_clock_read(&exits->clock);
	preempt_enable();
	vcpu->exit_stats = exits;
	return 0;
}

/**
 * kvm_exit_stats_destroy_vcpu - free the exit statistics of a vCPU
 * @vcpu: the vCPU
 */
void kvm_exit_stats_destroy_vcpu(struct kvm_vcpu *vcpu)
{
	kfree(vcpu->exit_stats);
}

/**
 * kvm_exit_stats_deinit - wait until the static key is no longer in use
 *
 * Called when there are no VMs any more, before the module can be removed.
 */
void kvm_exit_stats_deinit(void)
{
	static_key_deferred_flush(&kvm_exit_stats_used);
}
