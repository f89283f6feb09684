// SPDX-License-Identifier: GPL-2.0-only
/*
 * The direct path of the series, kvm_stats_read_direct(), and other ways to do its
 * work.  All of them check the request first, as it does, so that their cycles differ
 * by the copying only.  copy_nothing() has the checks alone.
 */
#include "virt/kvm/kvm_stats.c"

#include "loops.h"

#define inline_always	inline __attribute__((__always_inline__))

const char *user_end = (const char *)UINTPTR_MAX;
unsigned long copies_to_iter;
struct file *opened_file;

/* At the start of a page.  The reader's buffer is at the middle of another one. */
static struct kvm vm __attribute__((aligned(4096)));
static struct kvm_vcpu vcpu __attribute__((aligned(4096))) = { .kvm = &vm };
static loff_t data_offset;

typedef bool (*copy_values)(u64 __user *to, const u64 *value, size_t num);

static inline_always size_t check_and_copy(char *buf, size_t size, copy_values copy)
{
	const struct kvm_stats_source *source = &vcpu.stats_source;
	u64 offset = data_offset - kvm_stats_data_offset(source->schema);
	u64 __user *to = (u64 __user *)buf;

	if (offset >= source->schema->data_size)
		return 0;
	size = min_t(size_t, size, source->schema->data_size - offset);
	if (((size_t)offset | size | (size_t)buf) % sizeof(u64))
		return 0;
	if (!user_write_access_begin(to, size))
		return 0;
	return copy(to, source->values + offset / sizeof(u64), size / sizeof(u64)) ? size : 0;
}

static inline_always bool nothing(u64 __user *to, const u64 *value, size_t num)
{
	asm volatile("" : : "r" (to), "r" (value), "r" (num) : "memory");
	return true;
}

/* As many stores as @times says, without a loop. */
#define STORE_UNROLLED(times)							\
	do {									\
		_Pragma("GCC unroll 32")					\
		for (size_t j = 0; j < (times); j++)				\
			unsafe_put_user(READ_ONCE(value[j]), &to[j], fault);	\
		value += (times);						\
		to += (times);							\
	} while (0)

static inline_always bool one_per_iteration(u64 __user *to, const u64 *value, size_t num)
{
	const u64 *end = value + num;

	while (value < end)
		STORE_UNROLLED(1);
	return true;
fault:
	return false;
}

static inline_always bool thirty_two_per_iteration(u64 __user *to, const u64 *value, size_t num)
{
	for (; num >= 32; num -= 32)
		STORE_UNROLLED(32);
	if (num & 16)
		STORE_UNROLLED(16);
	if (num & 8)
		STORE_UNROLLED(8);
	if (num & 4)
		STORE_UNROLLED(4);
	if (num & 2)
		STORE_UNROLLED(2);
	if (num & 1)
		STORE_UNROLLED(1);
	return true;
fault:
	return false;
}

static inline_always bool rep_movsq(u64 __user *to, const u64 *value, size_t num)
{
	asm volatile("rep movsq" : "+D" (to), "+S" (value), "+c" (num) : : "memory");
	return true;
}

static inline_always bool through_buffer(u64 __user *to, const u64 *value, size_t num)
{
	u64 buf[32];
	size_t i, part;

	for (; num; num -= part, to += part, value += part) {
		part = min(num, ARRAY_SIZE(buf));
		for (i = 0; i < part; i++)
			buf[i] = READ_ONCE(value[i]);
		rep_movsq(to, buf, part);
	}
	return true;
}

static size_t copy_series(char *to, size_t size)
{
	return kvm_stats_read_direct(&vcpu.stats_source, to, size, data_offset);
}

static size_t copy_nothing(char *to, size_t size)
{
	return check_and_copy(to, size, nothing);
}

static size_t copy_unrolled(char *to, size_t size)
{
	return check_and_copy(to, size, thirty_two_per_iteration);
}

static size_t copy_plain(char *to, size_t size)
{
	return check_and_copy(to, size, one_per_iteration);
}

static size_t copy_rep_movsq(char *to, size_t size)
{
	return check_and_copy(to, size, rep_movsq);
}

static size_t copy_buffer(char *to, size_t size)
{
	return check_and_copy(to, size, through_buffer);
}

const struct copy_way copy_ways[NUM_COPY_WAYS] = {
	{ "copy_nothing", copy_nothing },
	{ "copy_series", copy_series },
	{ "copy_unrolled", copy_unrolled },
	{ "copy_plain", copy_plain },
	{ "copy_rep_movsq", copy_rep_movsq },
	{ "copy_buffer", copy_buffer },
};

size_t copy_init(void)
{
	kvm_stats_init_vm(&vm);
	kvm_stats_init_vcpu(&vcpu);
	memset(&vcpu.stat, 1, sizeof(vcpu.stat));
	data_offset = kvm_stats_data_offset(vcpu.stats_source.schema);
	return sizeof(vcpu.stat);
}
