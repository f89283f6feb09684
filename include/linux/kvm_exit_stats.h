/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM exit statistics: where the time of a vCPU goes
 *
 * They are enabled for each VM separately.  The functions that are called while
 * a vCPU runs cost a patched-out branch as long as no VM has them.
 */
#ifndef _LINUX_KVM_EXIT_STATS_H
#define _LINUX_KVM_EXIT_STATS_H

#include <linux/kvm_host.h>

#ifdef CONFIG_HAVE_KVM_EXIT_STATS
#include <linux/jump_label_ratelimit.h>
#include <asm/kvm_exit_clock.h>

struct kvm_exit_stat {
#include <linux/kvm_exit_stat_defs.h>
};

/*
 * The number of a class is the index of its count among the values.  The time of
 * the class follows the count.  No class has number 0.
 */
#define KVM_EXIT(class)							\
	(offsetof(struct kvm_exit_stat, exit_##class) / sizeof(u64))

/**
 * struct kvm_exit_stats - the exit statistics of a vCPU
 * @stat: the values, which a statistics file contains
 * @handling: the time of the class of the last exit
 * @handled_ns: *@handling when that exit happened
 * @since: the time of @clock up to which @stat is complete
 * @clock: the clock, which can be read only while preemption is disabled
 * @in_exit: that exit is not in the histogram yet
 *
 * At each moment the time of a vCPU belongs to one value: guest_ns, halted_ns,
 * userspace_ns or the time of the class of the last exit.  Time that the vCPU
 * waits for a CPU in KVM_RUN belongs to run_delay_ns instead.
 */
struct kvm_exit_stats {
	struct kvm_exit_stat stat;
	u64 *handling;
	u64 handled_ns;
	u64 since;
	struct kvm_exit_clock clock;
	bool in_exit;
};

extern struct static_key_false_deferred kvm_exit_stats_used;

/* Return the exit statistics of the vCPU, or NULL if it has none. */
static __always_inline struct kvm_exit_stats *kvm_exit_stats(struct kvm_vcpu *vcpu)
{
	if (static_branch_unlikely(&kvm_exit_stats_used.key))
		return vcpu->exit_stats;
	return NULL;
}

/*
 * Add the time since the last change to @value.  kvm_sched_in() moves
 * exits->since, so preemption must be disabled.  The clock can be a little behind
 * after a vCPU has moved to another CPU.
 */
static __always_inline void __kvm_exit_stats_add(struct kvm_exit_stats *exits,
						 u64 *value)
{
	u64 now = kvm_exit_clock_read(&exits->clock);
	s64 ns = now - exits->since;

	if (likely(ns >= 0))
		*value += ns;
	exits->since = now;
}

static __always_inline void kvm_exit_stats_add(struct kvm_exit_stats *exits,
					       u64 *value)
{
	preempt_disable();
	__kvm_exit_stats_add(exits, value);
	preempt_enable();
}

/*
 * The guest is about to run.  The handling of the last exit is complete, also if
 * it included a return to user space.  Called with interrupts disabled.
 */
static __always_inline void kvm_exit_stats_enter(struct kvm_exit_stats *exits)
{
	u64 *handling = exits->handling;

	__kvm_exit_stats_add(exits, handling);
	if (!exits->in_exit)
		return;

	kvm_stats_log2_hist_update(exits->stat.exit_hist,
				   *handling - exits->handled_ns);
	exits->in_exit = false;
}

/*
 * The guest has run.  @class is the number of the class of the exit, or 0 if the guest
 * did not run because KVM has to emulate its instructions: the last exit then
 * continues.  Called with interrupts disabled.
 */
static __always_inline void kvm_exit_stats_exit(struct kvm_exit_stats *exits,
						unsigned int class)
{
	u64 *count = (u64 *)&exits->stat + class;

	__kvm_exit_stats_add(exits, &exits->stat.guest_ns);
	if (!class)
		return;

	++count[0];
	exits->handling = &count[1];
	exits->handled_ns = count[1];
	exits->in_exit = true;
}

void kvm_exit_stats_reenter(struct kvm_exit_stats *exits, unsigned int class);

/* Run the vCPU for KVM_RUN.  Outside of it, the time belongs to user space. */
static __always_inline int kvm_exit_stats_run(struct kvm_vcpu *vcpu)
{
	struct kvm_exit_stats *exits = kvm_exit_stats(vcpu);
	int r;

	if (!exits)
		return kvm_arch_vcpu_ioctl_run(vcpu);

	kvm_exit_stats_add(exits, &exits->stat.userspace_ns);
	r = kvm_arch_vcpu_ioctl_run(vcpu);
	kvm_exit_stats_add(exits, exits->handling);
	return r;
}

/* The vCPU halts. */
static inline void kvm_exit_stats_begin_halt(struct kvm_vcpu *vcpu)
{
	struct kvm_exit_stats *exits = kvm_exit_stats(vcpu);

	if (exits)
		kvm_exit_stats_add(exits, exits->handling);
}

/* The halt ends. */
static inline void kvm_exit_stats_end_halt(struct kvm_vcpu *vcpu)
{
	struct kvm_exit_stats *exits = kvm_exit_stats(vcpu);

	if (exits)
		kvm_exit_stats_add(exits, &exits->stat.halted_ns);
}

/* The vCPU has waited @ns for a CPU.  This time belongs to none of the values. */
static inline void kvm_exit_stats_skip(struct kvm_vcpu *vcpu, u64 ns)
{
	struct kvm_exit_stats *exits = kvm_exit_stats(vcpu);

	if (exits)
		exits->since += ns;
}

static inline const u64 *kvm_exit_stats_values(const struct kvm_vcpu *vcpu)
{
	return vcpu->exit_stats ? (const u64 *)&vcpu->exit_stats->stat : NULL;
}

int kvm_exit_stats_enable(struct kvm *kvm, const struct kvm_enable_cap *cap);
void kvm_exit_stats_init_vm(struct kvm *kvm);
void kvm_exit_stats_destroy_vm(struct kvm *kvm);
int kvm_exit_stats_init_vcpu(struct kvm_vcpu *vcpu, const struct kvm *kvm);
void kvm_exit_stats_destroy_vcpu(struct kvm_vcpu *vcpu);
void kvm_exit_stats_deinit(void);

#else

static inline int kvm_exit_stats_run(struct kvm_vcpu *vcpu)
{
	return kvm_arch_vcpu_ioctl_run(vcpu);
}

static inline void kvm_exit_stats_begin_halt(struct kvm_vcpu *vcpu)
{
}

static inline void kvm_exit_stats_end_halt(struct kvm_vcpu *vcpu)
{
}

static inline void kvm_exit_stats_skip(struct kvm_vcpu *vcpu, u64 ns)
{
}

static inline const u64 *kvm_exit_stats_values(const struct kvm_vcpu *vcpu)
{
	return NULL;
}

static inline int kvm_exit_stats_enable(struct kvm *kvm,
					const struct kvm_enable_cap *cap)
{
	return -EINVAL;
}

static inline void kvm_exit_stats_init_vm(struct kvm *kvm)
{
}

static inline void kvm_exit_stats_destroy_vm(struct kvm *kvm)
{
}

static inline int kvm_exit_stats_init_vcpu(struct kvm_vcpu *vcpu,
					   const struct kvm *kvm)
{
	return 0;
}

static inline void kvm_exit_stats_destroy_vcpu(struct kvm_vcpu *vcpu)
{
}

static inline void kvm_exit_stats_deinit(void)
{
}

#endif

#endif /* _LINUX_KVM_EXIT_STATS_H */
