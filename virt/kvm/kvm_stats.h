/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the KUnit suite, and nobody else, sees of kvm_stats.c.  Without the suite
 * it is static there.
 */
#ifndef __KVM_STATS_H__
#define __KVM_STATS_H__

#include <linux/export.h>
#include <linux/fs.h>
#include <linux/kvm_stats.h>

#if IS_ENABLED(CONFIG_KVM_STATS_KUNIT_TEST)
#define KVM_STATS_VISIBLE_IF_KUNIT
#define KVM_STATS_EXPORT_IF_KUNIT		EXPORT_SYMBOL_GPL

extern const struct kvm_stats_schema kvm_vm_stats_schema;
extern const struct kvm_stats_schema kvm_vcpu_stats_schema;
extern const struct file_operations kvm_stats_fops;
#else
#define KVM_STATS_VISIBLE_IF_KUNIT		static
#define KVM_STATS_EXPORT_IF_KUNIT(symbol)
#endif

#endif /* __KVM_STATS_H__ */
