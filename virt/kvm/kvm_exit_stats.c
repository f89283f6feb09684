// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM exit statistics: where the time of a vCPU goes
 *
 * Each change between guest, handling of an exit, halt and user space adds the
 * time since the previous change to one value.  The clock is the scheduler's, in
 * which the wait for a CPU is measured, too.  All functions that are called for a
 * vCPU are called by the thread that holds its mutex.
 */
#include <linux/kvm_exit_stats.h>
#include <linux/moduleparam.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>

static bool exit_stats;
module_param(exit_stats, bool, 0644);
MODULE_PARM_DESC(exit_stats, "Enable exit statistics for new VMs");

DEFINE_STATIC_KEY_FALSE(kvm_exit_stats_used);
EXPORT_SYMBOL_GPL(kvm_exit_stats_used);

/*
 * kvm_sched_in() moves exits->since, so preemption must be disabled.  The clock
 * can be a little behind after a vCPU has moved to another CPU.
 */
static void kvm_exit_stats_switch(struct kvm_exit_stats *exits, u64 *account)
{
	u64 now = local_clock();

	if (likely(now > exits->since))
		*exits->account += now - exits->since;
	exits->since = now;
	exits->account = account;
}

/**
 * kvm_exit_stats_account - let the time from now on belong to another value
 * @exits: the exit statistics of a vCPU
 * @account: the value
 */
void kvm_exit_stats_account(struct kvm_exit_stats *exits, u64 *account)
{
	preempt_disable();
	kvm_exit_stats_switch(exits, account);
	preempt_enable();
}

/**
 * kvm_exit_stats_enter - the guest is about to run
 * @exits: the exit statistics of a vCPU
 *
 * The handling of the last exit is complete, also if it included a return to user
 * space.  Called with interrupts disabled.
 */
void kvm_exit_stats_enter(struct kvm_exit_stats *exits)
{
	kvm_exit_stats_switch(exits, &exits->stat.guest_ns);
	if (!exits->in_exit)
		return;

	kvm_stats_log2_hist_update(exits->stat.exit_hist,
				   *exits->handling - exits->handled_ns);
	exits->in_exit = false;
}
EXPORT_SYMBOL_GPL(kvm_exit_stats_enter);

/**
 * kvm_exit_stats_exit - the guest has run
 * @exits: the exit statistics of a vCPU
 * @class: number of the class of the exit, or 0 if the guest did not run because
 *	KVM has to emulate its instructions
 *
 * Called with interrupts disabled.
 */
void kvm_exit_stats_exit(struct kvm_exit_stats *exits, unsigned int class)
{
	u64 *count = (u64 *)&exits->stat + class;

	if (!class) {
		kvm_exit_stats_switch(exits, exits->handling);
		return;
	}

	kvm_exit_stats_switch(exits, &count[1]);
	++count[0];
	exits->handling = &count[1];
	exits->handled_ns = count[1];
	exits->in_exit = true;
}
EXPORT_SYMBOL_GPL(kvm_exit_stats_exit);

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
	static_branch_inc(&kvm_exit_stats_used);
	mutex_lock(&kvm->lock);
	if (kvm->created_vcpus) {
		r = -EBUSY;
	} else {
		was_enabled = kvm->exit_stats;
		WRITE_ONCE(kvm->exit_stats, true);
	}
	mutex_unlock(&kvm->lock);
	if (was_enabled)
		static_branch_dec(&kvm_exit_stats_used);
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

	static_branch_inc(&kvm_exit_stats_used);
	kvm->exit_stats = true;
}

/**
 * kvm_exit_stats_destroy_vm - a VM is destroyed
 * @kvm: the VM, without vCPUs
 */
void kvm_exit_stats_destroy_vm(struct kvm *kvm)
{
	if (kvm->exit_stats)
		static_branch_dec(&kvm_exit_stats_used);
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

	exits->account = &exits->stat.userspace_ns;
	exits->handling = &exits->stat.exit_other_ns;
	preempt_disable();
	exits->since = local_clock();
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
