/* SPDX-License-Identifier: GPL-2.0-only */
/* The macros that the series adds to the kernel's own linux/kvm_types.h. */
#pragma once

#include <linux/types.h>

#define KVM_STAT_FIELD(declaration)	declaration;
#define KVM_STAT_DESC(statistic, field, kind)
#define KVM_STAT_AS(field, statistic, kind)				\
	KVM_STAT_FIELD(u64 field) KVM_STAT_DESC(statistic, field, kind)
#define KVM_STAT(field, kind)		KVM_STAT_AS(field, field, kind)
#define KVM_STAT_ATOMIC(field, kind)					\
	KVM_STAT_FIELD(atomic64_t field) KVM_STAT_DESC(field, field, kind)
#define KVM_STAT_HIST(field, kind)					\
	KVM_STAT_FIELD(u64 field[KVM_STATS_BUCKETS]) KVM_STAT_DESC(field, field, kind)

#define KVM_STATS_BUCKETS	32

/* With CONFIG_KVM_EXIT_STATS */
#define KVM_EXIT_CLASS(class)	EXIT_CLASS_##class,
enum kvm_exit_class {
#include <asm/kvm_exit_classes.h>
	KVM_EXIT_CLASSES
};

#undef KVM_EXIT_CLASS
#define KVM_EXIT_CLASS(class)						\
	KVM_STAT_DESC(exit_##class, exit_class[EXIT_CLASS_##class].count, COUNTER) \
	KVM_STAT_DESC(exit_##class##_ns, exit_class[EXIT_CLASS_##class].ns, COUNTER_NS)

struct kvm_exit_class_stat {
	u64 count;
	u64 ns;
};
