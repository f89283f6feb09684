/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __KVM_STATS_H__
#define __KVM_STATS_H__

#include <linux/export.h>
#include <linux/fs.h>
#include <linux/kvm_stats.h>

/**
 * struct kvm_stats_schema - the constant part of all files of one kind
 * @desc: the descriptors
 * @num_desc: number of @desc
 * @data_size: size in bytes of the structure that holds the values
 * @exits_size: size in bytes of struct kvm_exit_stat, which holds more values, or 0
 */
struct kvm_stats_schema {
	const struct kvm_stats_desc *desc;
	u32 num_desc;
	u32 data_size;
	u32 exits_size;
};

extern const struct kvm_stats_schema kvm_vm_stats_schema;
extern const struct kvm_stats_schema kvm_vcpu_stats_schema;

/* A vCPU with exit statistics, if the architecture has them. */
extern const struct kvm_stats_schema kvm_vcpu_exits_schema;

/* The KUnit suite is a module of its own and needs these symbols. */
#if IS_ENABLED(CONFIG_KVM_STATS_KUNIT_TEST)
#define KVM_STATS_STATIC
#define KVM_STATS_EXPORT_IF_KUNIT		EXPORT_SYMBOL_GPL

extern const struct file_operations kvm_stats_fops;

/* Tests the classes of exits of the architecture. */
extern struct kunit_suite kvm_exit_classes_suite;
#else
#define KVM_STATS_STATIC			static
#define KVM_STATS_EXPORT_IF_KUNIT(symbol)
#endif

#endif /* __KVM_STATS_H__ */
