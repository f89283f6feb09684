/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of the exit statistics, in nanoseconds.  Only differences between its
 * times have a meaning.
 */
#ifndef __ASM_GENERIC_KVM_EXIT_CLOCK_H
#define __ASM_GENERIC_KVM_EXIT_CLOCK_H

#include <linux/sched/clock.h>
#include <linux/types.h>

struct kvm_exit_clock {
};

static inline void kvm_exit_clock_init(struct kvm_exit_clock *clock)
{
}

static inline u64 kvm_exit_clock_read(const struct kvm_exit_clock *clock)
{
	return local_clock();
}

#endif /* __ASM_GENERIC_KVM_EXIT_CLOCK_H */
