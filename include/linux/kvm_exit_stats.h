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
#include <linux/jump_label.h>

struct kvm_exit_stat {
#include <linux/kvm_exit_stat_defs.h>
};

/*
 * The number of a class is the index of its count among the values.  The time of
 * the class is behind the count.  No class has number 0.
 */
#define KVM_EXIT(class)							\
	(offsetof(struct kvm_exit_stat, exit_##class) / sizeof(u64))

/**
 * struct kvm_exit_stats - the exit statistics of a vCPU
 * @stat: the values, which a statistics file contains
 * @account: the value in @stat to which the current time belongs
 * @handling: the time of the class of the last exit
 * @handled_ns: *@handling when that exit happened
 * @since: until here the time is in @stat, by local_clock()
 * @in_exit: that exit is not in the histogram yet
 *
 * At each moment the time of a vCPU belongs to one value: guest_ns, halted_ns,
 * userspace_ns or the time of the class of the last exit.  Time that the vCPU
 * waits for a CPU in KVM_RUN belongs to run_delay_ns instead.
 */
struct kvm_exit_stats {
	struct kvm_exit_stat stat;
	u64 *account;
	u64 *handling;
	u64 handled_ns;
	u64 since;
	bool in_exit;
};

DECLARE_STATIC_KEY_FALSE(kvm_exit_stats_used);

/* Return the exit statistics of the vCPU, or NULL if it has none. */
static inline struct kvm_exit_stats *kvm_exit_stats(struct kvm_vcpu *vcpu)
{
	if (static_branch_unlikely(&kvm_exit_stats_used))
		return vcpu->exit_stats;
	return NULL;
}

void kvm_exit_stats_enter(struct kvm_exit_stats *exits);
void kvm_exit_stats_exit(struct kvm_exit_stats *exits, unsigned int class);
void kvm_exit_stats_account(struct kvm_exit_stats *exits, u64 *account);

/* KVM_RUN begins.  The time until the first entry belongs to the last exit. */
static inline void kvm_exit_stats_begin_run(struct kvm_vcpu *vcpu)
{
	struct kvm_exit_stats *exits = kvm_exit_stats(vcpu);

	if (exits)
		kvm_exit_stats_account(exits, exits->handling);
}

/* KVM_RUN ends. */
static inline void kvm_exit_stats_end_run(struct kvm_vcpu *vcpu)
{
	struct kvm_exit_stats *exits = kvm_exit_stats(vcpu);

	if (exits)
		kvm_exit_stats_account(exits, &exits->stat.userspace_ns);
}

/* The vCPU halts. */
static inline void kvm_exit_stats_begin_halt(struct kvm_vcpu *vcpu)
{
	struct kvm_exit_stats *exits = kvm_exit_stats(vcpu);

	if (exits)
		kvm_exit_stats_account(exits, &exits->stat.halted_ns);
}

/* The halt ends. */
static inline void kvm_exit_stats_end_halt(struct kvm_vcpu *vcpu)
{
	struct kvm_exit_stats *exits = kvm_exit_stats(vcpu);

	if (exits)
		kvm_exit_stats_account(exits, exits->handling);
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

#else

static inline void kvm_exit_stats_begin_run(struct kvm_vcpu *vcpu)
{
}

static inline void kvm_exit_stats_end_run(struct kvm_vcpu *vcpu)
{
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

#endif

#endif /* _LINUX_KVM_EXIT_STATS_H */
