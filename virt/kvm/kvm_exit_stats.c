// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM exit statistics: where the time of a vCPU goes
 *
 * Each change between guest, handling of an exit, halt and user space adds the
 * time since the previous change to one value.  The scheduler measures the wait
 * for a CPU with the same clock.
 */
#include <linux/kvm_exit_stats.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/sched/clock.h>

DEFINE_STATIC_KEY_FALSE(kvm_exit_stats_used);
EXPORT_SYMBOL_GPL(kvm_exit_stats_used);

/*
 * The number of the period, which is odd while the statistics count.  Only an
 * entry to the guest lets a vCPU join a period.  Until then it counts nothing, so
 * an interval that a switch of the parameter interrupts is dropped.  New vCPUs are
 * in period 0.
 */
static unsigned int kvm_exit_stats_period = 2;

static bool exit_stats;

/* The module's parameter lock is held.  The key is enabled in odd periods. */
static int kvm_exit_stats_set(const char *val, const struct kernel_param *kp)
{
	bool was_set = exit_stats;
	int r;

	r = param_set_bool(val, kp);
	if (r || exit_stats == was_set)
		return r;

	if (exit_stats)
		static_branch_enable(&kvm_exit_stats_used);
	WRITE_ONCE(kvm_exit_stats_period, kvm_exit_stats_period + 1);
	if (!exit_stats)
		static_branch_disable(&kvm_exit_stats_used);
	return 0;
}

static const struct kernel_param_ops exit_stats_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = kvm_exit_stats_set,
	.get = param_get_bool,
};

module_param_cb(exit_stats, &exit_stats_ops, &exit_stats, 0644);
MODULE_PARM_DESC(exit_stats, "Count exits and times of all vCPUs by class");

static bool kvm_exit_stats_joined(const struct kvm_vcpu *vcpu)
{
	return vcpu->exit_state.period == READ_ONCE(kvm_exit_stats_period);
}

/*
 * kvm_sched_in() changes @since, so preemption is disabled.  The clock of another
 * CPU can be a little behind.
 */
static void kvm_exit_stats_add(struct kvm_vcpu *vcpu, u64 *value)
{
	struct kvm_exit_state *state = &vcpu->exit_state;
	u64 now = local_clock();
	s64 ns = now - state->since;

	if (ns > 0)
		*value += ns;
	state->since = now;
}

static void kvm_exit_stats_join(struct kvm_exit_state *state)
{
	unsigned int period = READ_ONCE(kvm_exit_stats_period);

	if (period % 2) {
		state->period = period;
		state->since = local_clock();
		state->in_exit = false;
	}
}

/**
 * __kvm_exit_stats_enter - the guest is about to run
 * @vcpu: the vCPU
 */
void __kvm_exit_stats_enter(struct kvm_vcpu *vcpu)
{
	struct kvm_exit_state *state = &vcpu->exit_state;
	u64 *ns = &vcpu->stat.exit_class[state->class].ns;

	if (!kvm_exit_stats_joined(vcpu)) {
		kvm_exit_stats_join(state);
		return;
	}

	kvm_exit_stats_add(vcpu, ns);
	if (state->in_exit)
		kvm_stats_log2_hist_update(vcpu->stat.exit_hist,
					   *ns - state->ns_before);
	state->in_exit = false;
}
EXPORT_SYMBOL_GPL(__kvm_exit_stats_enter);

static u64 *kvm_exit_stats_time(struct kvm_vcpu *vcpu, enum kvm_vcpu_time time)
{
	struct kvm_vcpu_stat *stat = &vcpu->stat;

	switch (time) {
	case KVM_TIME_GUEST:
		return &stat->guest_ns;
	case KVM_TIME_HALTED:
		return &stat->halted_ns;
	case KVM_TIME_USERSPACE:
		return &stat->userspace_ns;
	default:
		return &stat->exit_class[vcpu->exit_state.class].ns;
	}
}

/**
 * __kvm_exit_stats_spent - add the time since the last change
 * @vcpu: the vCPU
 * @time: what the vCPU has done in this time
 */
void __kvm_exit_stats_spent(struct kvm_vcpu *vcpu, enum kvm_vcpu_time time)
{
	preempt_disable();
	if (kvm_exit_stats_joined(vcpu))
		kvm_exit_stats_add(vcpu, kvm_exit_stats_time(vcpu, time));
	preempt_enable();
}
EXPORT_SYMBOL_GPL(__kvm_exit_stats_spent);

/**
 * __kvm_exit_stats_classify - count an exit
 * @vcpu: the vCPU
 * @class: class of the exit
 */
void __kvm_exit_stats_classify(struct kvm_vcpu *vcpu, enum kvm_exit_class class)
{
	struct kvm_exit_class_stat *stat = &vcpu->stat.exit_class[class];
	struct kvm_exit_state *state = &vcpu->exit_state;

	if (!kvm_exit_stats_joined(vcpu))
		return;

	++stat->count;
	state->class = class;
	state->ns_before = stat->ns;
	state->in_exit = true;
}
EXPORT_SYMBOL_GPL(__kvm_exit_stats_classify);

/**
 * __kvm_exit_stats_skip - leave out time in which the vCPU waited for a CPU
 * @vcpu: the vCPU
 * @ns: this time
 */
void __kvm_exit_stats_skip(struct kvm_vcpu *vcpu, u64 ns)
{
	if (kvm_exit_stats_joined(vcpu))
		vcpu->exit_state.since += ns;
}
