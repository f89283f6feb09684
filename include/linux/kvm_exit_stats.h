/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM exit statistics: where the time of a vCPU goes
 *
 * They count while the module parameter exit_stats is set.  While it is not, each
 * call costs a patched-out branch.  All functions are called by the thread that
 * runs the vCPU.
 */
#ifndef _LINUX_KVM_EXIT_STATS_H
#define _LINUX_KVM_EXIT_STATS_H

#include <linux/jump_label.h>
#include <linux/kvm_host.h>

/* What the time of a vCPU is spent with. */
enum kvm_vcpu_time {
	KVM_TIME_EXIT,		/* handling the last exit */
	KVM_TIME_GUEST,
	KVM_TIME_HALTED,
	KVM_TIME_USERSPACE,	/* not in KVM_RUN */
};

DECLARE_STATIC_KEY_FALSE(kvm_exit_stats_used);

void __kvm_exit_stats_enter(struct kvm_vcpu *vcpu);
void __kvm_exit_stats_spent(struct kvm_vcpu *vcpu, enum kvm_vcpu_time time);
void __kvm_exit_stats_classify(struct kvm_vcpu *vcpu, enum kvm_exit_class class);
void __kvm_exit_stats_skip(struct kvm_vcpu *vcpu, u64 ns);

static __always_inline bool kvm_exit_stats_on(void)
{
	return IS_ENABLED(CONFIG_KVM_EXIT_STATS) &&
	       static_branch_unlikely(&kvm_exit_stats_used);
}

/*
 * The guest is about to run, and the handling of the last exit is complete, also if
 * it included a return to user space.  Called with interrupts disabled.
 */
static __always_inline void kvm_exit_stats_enter(struct kvm_vcpu *vcpu)
{
	if (kvm_exit_stats_on())
		__kvm_exit_stats_enter(vcpu);
}

/* The vCPU has spent the time since the last change with @time. */
static __always_inline void kvm_exit_stats_spent(struct kvm_vcpu *vcpu,
						 enum kvm_vcpu_time time)
{
	if (kvm_exit_stats_on())
		__kvm_exit_stats_spent(vcpu, time);
}

/* The same where a thread loads or puts the vCPU, which counts only in KVM_RUN. */
static __always_inline void kvm_exit_stats_spent_in_run(struct kvm_vcpu *vcpu,
							enum kvm_vcpu_time time)
{
	if (kvm_exit_stats_on() && vcpu->in_kvm_run)
		__kvm_exit_stats_spent(vcpu, time);
}

/*
 * The guest has exited.  Called after the time of the guest has been added, so that
 * finding the class is time of that class.
 */
static __always_inline void kvm_exit_stats_classify(struct kvm_vcpu *vcpu,
						    enum kvm_exit_class class)
{
	if (kvm_exit_stats_on())
		__kvm_exit_stats_classify(vcpu, class);
}

/* The vCPU has waited @ns for a CPU.  This time belongs to run_delay_ns. */
static __always_inline void kvm_exit_stats_skip(struct kvm_vcpu *vcpu, u64 ns)
{
	if (kvm_exit_stats_on())
		__kvm_exit_stats_skip(vcpu, ns);
}

#endif /* _LINUX_KVM_EXIT_STATS_H */
