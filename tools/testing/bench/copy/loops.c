// SPDX-License-Identifier: GPL-2.0-only
/*
 * The read function of the series, loops that only copy through buffers of several sizes, and one
 * copy of all values at once, which mainline's read function does. copy_nothing() is a call alone.
 */
#include "loops.h"

struct file *opened_file;

/* These start at a page boundary.  The buffer of the reader starts in the middle of a page. */
static struct kvm vm __attribute__((aligned(4096)));
static struct kvm_vcpu vcpu __attribute__((aligned(4096))) = { .kvm = &vm };

static bool copy_nothing(void *to)
{
	return to;
}

static bool copy_series(void *to)
{
	static struct kvm_stats_header header;
	loff_t pos = 0;

	if (!opened_file) {
		kvm_stats_init_vm(&vm);
		kvm_stats_vcpu_ioctl(&vcpu, KVM_STATS_GETFD);
		opened_file->f_op->read(opened_file, (void *)&header, sizeof(header), &pos);
	}
	pos = header.data_offset;
	return opened_file->f_op->read(opened_file, to, sizeof(vcpu.stat), &pos) ==
	       sizeof(vcpu.stat);
}

static bool copy_at_once(void *to)
{
	return !copy_to_user(to, &vcpu.stat, sizeof(vcpu.stat));
}

#define DEFINE_COPY(buffer)							\
	static bool copy_##buffer(void *to)					\
	{									\
		const u64 *value = (const u64 *)&vcpu.stat;			\
		size_t num = sizeof(vcpu.stat) / sizeof(u64), part, i;		\
		u64 buf[buffer];						\
										\
		for (; num; num -= part, value += part, to += part * sizeof(u64)) { \
			part = min(num, ARRAY_SIZE(buf));			\
			for (i = 0; i < part; i++)				\
				buf[i] = READ_ONCE(value[i]);			\
			if (copy_to_user(to, buf, part * sizeof(u64)))		\
				return false;					\
		}								\
		return true;							\
	}

DEFINE_COPY(16)
DEFINE_COPY(32)
DEFINE_COPY(64)

static const struct {
	const char *title;
	bool (*copy)(void *to);
} loops[NUM_LOOPS] = {
	[LOOP_NOTHING] = { "nothing", copy_nothing },
	[LOOP_SERIES] = { "the series, which reads a file", copy_series },
	[LOOP_AT_ONCE] = { "all values at once, the reference", copy_at_once },
	[LOOP_16] = { "through a buffer of 16 values", copy_16 },
	[LOOP_32] = { "through a buffer of 32 values", copy_32 },
	[LOOP_64] = { "through a buffer of 64 values", copy_64 },
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
	return loops[loop].copy(to);
}
