// SPDX-License-Identifier: GPL-2.0-only
/*
 * The copy loop of the series, kvm_stats_store(), and other loops with the same task.
 * copy_nothing() does only what all of them do before they copy.
 */
#include "virt/kvm/kvm_stats.c"

#include "loops.h"

const char *user_end = (const char *)UINTPTR_MAX;
unsigned long copies_to_iter;
struct file *opened_file;
struct mutex kvm_lock;	/* of the kernel; no lock here */
struct list_head vm_list;

/* These start at a page boundary.  The buffer of the reader starts in the middle of a page. */
static struct kvm vm __attribute__((aligned(4096)));
static struct kvm_vcpu vcpu __attribute__((aligned(4096))) = { .kvm = &vm };

/* Store @times values, without a loop. */
#define STORE_UNROLLED(times)							\
	do {									\
		_Pragma("GCC unroll 32")					\
		for (size_t j = 0; j < (times); j++)				\
			unsafe_put_user(READ_ONCE(value[j]), &to[j], fault);	\
		value += (times);						\
		to += (times);							\
	} while (0)

static noinline bool copy_nothing(u64 __user *to, const u64 *value, size_t num)
{
	return user_write_access_begin(to, num * sizeof(*to));
}

static noinline bool copy_plain(u64 __user *to, const u64 *value, size_t num)
{
	const u64 *end = value + num;

	if (!user_write_access_begin(to, num * sizeof(*to)))
		return false;
	while (value < end)
		STORE_UNROLLED(1);
	return true;
fault:
	return false;
}

static noinline bool copy_unrolled(u64 __user *to, const u64 *value, size_t num)
{
	if (!user_write_access_begin(to, num * sizeof(*to)))
		return false;
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

static inline void rep_movsq(u64 __user *to, const u64 *value, size_t num)
{
	asm volatile("rep movsq" : "+D" (to), "+S" (value), "+c" (num) : : "memory");
}

static noinline bool copy_rep_movsq(u64 __user *to, const u64 *value, size_t num)
{
	if (!user_write_access_begin(to, num * sizeof(*to)))
		return false;
	rep_movsq(to, value, num);
	return true;
}

static noinline bool copy_buffer(u64 __user *to, const u64 *value, size_t num)
{
	u64 buf[32];
	size_t i, part;

	if (!user_write_access_begin(to, num * sizeof(*to)))
		return false;
	for (; num; num -= part, to += part, value += part) {
		part = min(num, ARRAY_SIZE(buf));
		for (i = 0; i < part; i++)
			buf[i] = READ_ONCE(value[i]);
		rep_movsq(to, buf, part);
	}
	return true;
}

static const struct {
	const char *title;
	bool (*copy)(u64 __user *to, const u64 *value, size_t num);
} loops[NUM_LOOPS] = {
	[LOOP_NOTHING] = { "nothing", copy_nothing },
	[LOOP_SERIES] = { "the series: eight stores per iteration", kvm_stats_store },
	[LOOP_REFERENCE] = { "32 stores per iteration, the reference", copy_unrolled },
	[LOOP_PLAIN] = { "one store per iteration", copy_plain },
	[LOOP_REP_MOVSQ] = { "rep movsq", copy_rep_movsq },
	[LOOP_BUFFER] = { "through a buffer of 32 values, then rep movsq", copy_buffer },
};

size_t values_size(void)
{
	return sizeof(vcpu.stat);
}

void values_set(int byte)
{
	memset(&vcpu.stat, byte, sizeof(vcpu.stat));
}

const char *loop_title(enum loop loop)
{
	return loops[loop].title;
}

bool loop_copy(enum loop loop, void *to)
{
	return loops[loop].copy(to, (const u64 *)&vcpu.stat, sizeof(vcpu.stat) / sizeof(u64));
}
