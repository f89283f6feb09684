// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM binary statistics: descriptors
 *
 * The lists of statistics declare the fields of struct kvm_vm_stat and struct
 * kvm_vcpu_stat in asm/kvm_host.h.  Here they are included a second time, to
 * describe these fields.
 */
#include <linux/kernel.h>
#include <linux/kvm_host.h>

#include "kvm_stats.h"

/* The kinds of statistics: the second argument of KVM_STAT(). */
#define KVM_STATS_FLAGS(type, unit)					\
	(KVM_STATS_TYPE_##type | KVM_STATS_UNIT_##unit | KVM_STATS_BASE_POW10)
#define KVM_STATS_COUNTER	KVM_STATS_FLAGS(CUMULATIVE, NONE)
#define KVM_STATS_COUNTER_NS	KVM_STATS_FLAGS(CUMULATIVE, SECONDS)
#define KVM_STATS_INSTANT	KVM_STATS_FLAGS(INSTANT, NONE)
#define KVM_STATS_BOOLEAN	KVM_STATS_FLAGS(INSTANT, BOOLEAN)
#define KVM_STATS_PEAK		KVM_STATS_FLAGS(PEAK, NONE)
#define KVM_STATS_PEAK_NS	KVM_STATS_FLAGS(PEAK, SECONDS)
#define KVM_STATS_LOG2_NS	KVM_STATS_FLAGS(LOG_HIST, SECONDS)

/* All times are in nanoseconds. */
#define KVM_STATS_EXPONENT(flags)					\
	(((flags) & KVM_STATS_UNIT_MASK) == KVM_STATS_UNIT_SECONDS ? -9 : 0)

#undef KVM_STAT_FIELD
#undef KVM_STAT_DESC
#define KVM_STAT_FIELD(declaration)
#define KVM_STAT_DESC(statistic, field, kind) {				\
	.flags = KVM_STATS_##kind,					\
	.exponent = KVM_STATS_EXPONENT(KVM_STATS_##kind),		\
	.size = sizeof_field(struct KVM_STATS_STRUCT, field) / sizeof(u64), \
	.offset = offsetof(struct KVM_STATS_STRUCT, field) +		\
		BUILD_BUG_ON_ZERO(sizeof(#statistic) > KVM_STATS_NAME_SIZE), \
	.name = #statistic,						\
},

#define KVM_STATS_STRUCT	kvm_vm_stat
static const struct kvm_stats_desc kvm_vm_stats_desc[] __aligned(sizeof(u64)) = {
#include <asm/kvm_vm_stat_defs.h>
};

#undef KVM_STATS_STRUCT
#define KVM_STATS_STRUCT	kvm_vcpu_stat
static const struct kvm_stats_desc kvm_vcpu_stats_desc[] __aligned(sizeof(u64)) = {
#include <asm/kvm_vcpu_stat_defs.h>
};

const struct kvm_stats_schema kvm_vm_stats_schema = {
	.desc = kvm_vm_stats_desc,
	.num_desc = ARRAY_SIZE(kvm_vm_stats_desc),
	.data_size = sizeof(struct kvm_vm_stat),
};

KVM_STATS_EXPORT_IF_KUNIT(kvm_vm_stats_schema);

const struct kvm_stats_schema kvm_vcpu_stats_schema = {
	.desc = kvm_vcpu_stats_desc,
	.num_desc = ARRAY_SIZE(kvm_vcpu_stats_desc),
	.data_size = sizeof(struct kvm_vcpu_stat),
};

KVM_STATS_EXPORT_IF_KUNIT(kvm_vcpu_stats_schema);
