/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Define one table of statistics descriptors and tie it to its fields.
 *
 * Before each inclusion define
 *
 *   KVM_STATS_STRUCT	the structure to describe, one of the four of kvm_stats.h
 *   KVM_STATS_LIST	(STAT(field, kind), ...), with a kind of kvm_stats.h, and
 *			HIST(field, kind) for a histogram, an array of u64; the
 *			field of a STAT() is a u64, or an atomic64_t where it
 *			has several writers
 *
 * The list has to name each field once, in the order of the structure, after
 * the generic ones where the structure starts with these; anything else does
 * not build, and the first error tells where.  To that end the list is also
 * expanded into a structure of its own, whose fields must fall on those of the
 * original.  It is enclosed in parentheses and has commas because declarators
 * of that structure and the elements of the table are separated alike.  A comma
 * follows the last element, too, so that a list may be empty.
 *
 * STAT_AS(name, field, kind) describes a field under another name than its own.
 * STATS(NAME), without a comma, stands for the elements of another such list,
 * for fields that depend on the configuration.  Lists do not nest deeper.
 *
 * There is no include guard: an inclusion uses up the two definitions.
 */
#include <linux/atomic.h>
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
#define __KVM_STATS_UNWRAP_INNER(...)	__VA_ARGS__
#define __KVM_STATS_EXPAND_INNER(...)	__VA_ARGS__
#define STATS(list)							\
	__KVM_STATS_EXPAND_INNER(__KVM_STATS_UNWRAP_INNER list)

/* STAT(field, kind) is STAT_AS(field, field, kind). */
#define STAT(...)	__KVM_STATS_SAME_NAME(__VA_ARGS__, __VA_ARGS__)
#define __KVM_STATS_SAME_NAME(name, kind, field, same_kind)		\
	STAT_AS(name, field, kind)

#define STAT_AS(name, field, kind)					\
	at_##name[1 + __KVM_STATS_ASSERT(				\
			__same_type(__KVM_STATS_FIELD(field), u64) ||	\
			__same_type(__KVM_STATS_FIELD(field), atomic64_t), \
			#field " is neither a u64 nor an atomic64_t")]

#define __KVM_STATS_LENGTH(array, name)					\
	(sizeof(array) / sizeof(u64) +					\
	 __KVM_STATS_ASSERT(__same_type(array, u64[]),			\
			    name " is not an array of u64"))

#define HIST(field, kind)						\
	at_##field[__KVM_STATS_LENGTH(__KVM_STATS_FIELD(field), #field)]

struct __KVM_STATS_NAME(_shadow) {
	u64 __KVM_STATS_ITEMS at_end[0];
};

#undef HIST
#undef STAT_AS

#define __KVM_STATS_SHADOW_OFFSET(member)				\
	(__KVM_STATS_START + offsetof(struct __KVM_STATS_NAME(_shadow), member))

#define __KVM_STATS_SIZE(member)					\
	(sizeof_field(struct __KVM_STATS_NAME(_shadow), member) / sizeof(u64))

#define STAT_AS(statistic, field, kind) {				\
	KVM_STATS_##kind,						\
	.size = __KVM_STATS_SIZE(at_##statistic) +			\
		__KVM_STATS_ASSERT(__KVM_STATS_SIZE(at_##statistic) <= U16_MAX, \
				   #statistic " has too many buckets") +	\
		__KVM_STATS_ASSERT(sizeof(#statistic) <= KVM_STATS_NAME_SIZE, \
				   #statistic " is too long a name"),	\
	.offset = __KVM_STATS_SHADOW_OFFSET(at_##statistic) +		\
		__KVM_STATS_ASSERT(					\
			offsetof(struct KVM_STATS_STRUCT, field) ==	\
			__KVM_STATS_SHADOW_OFFSET(at_##statistic),	\
			#field " is out of order, or a field before it has no descriptor"), \
	.name = #statistic,						\
}

#define HIST(field, kind)	STAT(field, kind)

static const struct kvm_stats_desc __KVM_STATS_NAME(_desc)[] = {
	__KVM_STATS_ITEMS
};

#undef HIST
#undef STAT_AS

static_assert(__KVM_STATS_START + sizeof(struct __KVM_STATS_NAME(_shadow)) ==
	      sizeof(struct KVM_STATS_STRUCT),
	      "the last field of struct " __stringify(KVM_STATS_STRUCT)
	      " has no descriptor");

const struct kvm_stats_table __KVM_STATS_NAME(_table) = {
	.desc = __KVM_STATS_NAME(_desc),
	.num = ARRAY_SIZE(__KVM_STATS_NAME(_desc)),
};

#undef __KVM_STATS_SIZE
#undef __KVM_STATS_SHADOW_OFFSET
#undef __KVM_STATS_SAME_NAME
#undef STAT
#undef STATS
#undef __KVM_STATS_EXPAND_INNER
#undef __KVM_STATS_UNWRAP_INNER
#undef __KVM_STATS_ITEMS
#undef __KVM_STATS_EXPAND
#undef __KVM_STATS_UNWRAP
#undef __KVM_STATS_LENGTH
#undef __KVM_STATS_ASSERT
#undef __KVM_STATS_FIELD
#undef __KVM_STATS_START
#undef __KVM_STATS_NAME
#undef KVM_STATS_LIST
#undef KVM_STATS_STRUCT
