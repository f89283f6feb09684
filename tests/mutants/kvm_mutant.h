/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mutants: each place that changes a statistic has a number, and one place at a time can be
 * made to count wrong while the kernel runs. `mutate` puts these macros around the places.
 */
#ifndef _LINUX_KVM_MUTANT_H
#define _LINUX_KVM_MUTANT_H

#include <linux/types.h>

/* What the selected place does wrong. mutants.list has these numbers. */
enum kvm_mutant_kind {
	KVM_MUTANT_NOT = 1,	/* does not count */
	KVM_MUTANT_TWICE,	/* counts twice */
	KVM_MUTANT_NEXT,	/* counts in the next bucket of a histogram, or in the next class */
	KVM_MUTANT_UP,		/* only counts up */
	KVM_MUTANT_LAST,	/* keeps the last value instead of the highest one */
	KVM_MUTANT_WRONG,	/* counts one outcome of an operation wrong */
};

/* All three functions also mark the place as reached. */

/* Return how often the place has to count. */
unsigned int kvm_mutant_times(unsigned int place, bool down);

/* Is this kind of the place selected? */
bool kvm_mutant_is(unsigned int place, enum kvm_mutant_kind kind);

/* Return @value, or a value that nobody reads. */
u64 *kvm_mutant_pointer(unsigned int place, u64 *value);

#define KVM_MUTANT(place, change) \
	KVM_MUTANT_IF(place, false, change)

#define KVM_MUTANT_IF(place, down, change)				\
	do {								\
		unsigned int times_ = kvm_mutant_times(place, down);	\
									\
		while (times_--)					\
			change;						\
	} while (0)

#define KVM_MUTANT_OUTCOME(place, change)				\
	do {								\
		if (kvm_mutant_is(place, KVM_MUTANT_WRONG))		\
			change;						\
	} while (0)

#define KVM_MUTANT_BUCKET(place, ns) \
	((ns) << kvm_mutant_is(place, KVM_MUTANT_NEXT))

#endif /* _LINUX_KVM_MUTANT_H */
