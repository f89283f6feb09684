/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Define one table of statistics descriptors and tie it to its fields.
 *
 * Before each inclusion define
 *
 *   KVM_STATS_STRUCT	the structure to describe, one of the four of kvm_stats.h
 *   KVM_STATS_LIST	(STAT(field, kind), ...), with a kind of kvm_stats.h
 *
 * The list has to name each field once, in the order of the structure, after
 * the generic ones where the structure starts with these; anything else does
 * not build, and the first error tells where.  To that end the list is also
 * expanded into a structure of its own, whose fields must fall on those of the
 * original.  It is enclosed in parentheses and has commas because declarators
 * of that structure and the elements of the table are separated alike.
 *
 * There is no include guard: an inclusion uses up the two definitions.
 */
#include <linux/kernel.h>
#include <linux/kvm_stats.h>
#include <linux/stddef.h>
#include <linux/stringify.h>

#define __KVM_STATS_NAME(suffix)	__PASTE(KVM_STATS_STRUCT, suffix)
#define __KVM_STATS_START		__PASTE(KVM_STATS_START_, KVM_STATS_STRUCT)
#define __KVM_STATS_FIELD(field)	((*(struct KVM_STATS_STRUCT *)NULL).field)
#define __KVM_STATS_ASSERT(expr, msg)					\
	(0 * sizeof(struct { int unused; static_assert(expr, msg); }))

/* The list without its parentheses. */
#define __KVM_STATS_UNWRAP(...)		__VA_ARGS__
#define __KVM_STATS_EXPAND(...)		__VA_ARGS__
#define __KVM_STATS_ITEMS						\
	__KVM_STATS_EXPAND(__KVM_STATS_UNWRAP KVM_STATS_LIST)

#define STAT(field, kind)						\
	at_##field[1 + __KVM_STATS_ASSERT(				\
			__same_type(__KVM_STATS_FIELD(field), u64),	\
			#field " is not a u64")]

struct __KVM_STATS_NAME(_shadow) {
	u64 __KVM_STATS_ITEMS;
};

#undef STAT

#define __KVM_STATS_SHADOW_OFFSET(member)				\
	(__KVM_STATS_START + offsetof(struct __KVM_STATS_NAME(_shadow), member))

#define STAT(field, kind) {						\
	KVM_STATS_##kind,						\
	.size = 1 +							\
		__KVM_STATS_ASSERT(sizeof(#field) <= KVM_STATS_NAME_SIZE, \
				   #field " is too long a name"),	\
	.offset = __KVM_STATS_SHADOW_OFFSET(at_##field) +		\
		__KVM_STATS_ASSERT(					\
			offsetof(struct KVM_STATS_STRUCT, field) ==	\
			__KVM_STATS_SHADOW_OFFSET(at_##field),		\
			#field " is out of order, or a field before it has no descriptor"), \
	.name = #field,							\
}

static const struct kvm_stats_desc __KVM_STATS_NAME(_desc)[] = {
	__KVM_STATS_ITEMS
};

#undef STAT

static_assert(__KVM_STATS_START + sizeof(struct __KVM_STATS_NAME(_shadow)) ==
	      sizeof(struct KVM_STATS_STRUCT),
	      "the last field of struct " __stringify(KVM_STATS_STRUCT)
	      " has no descriptor");

const struct kvm_stats_table __KVM_STATS_NAME(_table) = {
	.desc = __KVM_STATS_NAME(_desc),
	.num = ARRAY_SIZE(__KVM_STATS_NAME(_desc)),
};

#undef __KVM_STATS_SHADOW_OFFSET
#undef __KVM_STATS_ITEMS
#undef __KVM_STATS_EXPAND
#undef __KVM_STATS_UNWRAP
#undef __KVM_STATS_ASSERT
#undef __KVM_STATS_FIELD
#undef __KVM_STATS_START
#undef __KVM_STATS_NAME
#undef KVM_STATS_LIST
#undef KVM_STATS_STRUCT
