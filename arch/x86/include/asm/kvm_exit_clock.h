/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of the exit statistics, in nanoseconds.  Only differences between its
 * times have a meaning.  If the clock source of the kernel is the TSC, reading the
 * clock takes few instructions and no function call.
 */
#ifndef _ASM_X86_KVM_EXIT_CLOCK_H
#define _ASM_X86_KVM_EXIT_CLOCK_H

#include <linux/compiler.h>
#include <linux/sched/clock.h>
#include <linux/types.h>

/**
 * struct kvm_exit_clock - the clock of a vCPU
 * @mult: nanoseconds per cycle of the TSC, in units of 2^-64, or 0 if the clock is
 *	local_clock()
 */
struct kvm_exit_clock {
	u64 mult;
};

#ifdef CONFIG_X86_64
void kvm_exit_clock_init(struct kvm_exit_clock *clock);

/*
 * The TSC itself is converted instead of differences, so that no time gets lost by
 * rounding.  In C, the compiler would copy registers, and align the stack for the
 * product of 128 bits.
 */
static __always_inline u64 kvm_exit_clock_read(const struct kvm_exit_clock *clock)
{
	u64 ns;

	if (unlikely(!clock->mult))
		return local_clock();

	asm volatile ("rdtsc\n\t"
		      "shl $32, %%rdx\n\t"
		      "or %%rdx, %%rax\n\t"
		      "mulq %1"
		      : "=&d" (ns) : "m" (clock->mult) : "rax", "cc");
	return ns;
}
#else
static inline void kvm_exit_clock_init(struct kvm_exit_clock *clock)
{
}

static inline u64 kvm_exit_clock_read(const struct kvm_exit_clock *clock)
{
	return local_clock();
}
#endif

#endif /* _ASM_X86_KVM_EXIT_CLOCK_H */
