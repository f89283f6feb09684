// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare natively how long reads of a vCPU's values take: the read function of the series, which
 * is compiled here for user space, and loops that only copy, with buffers of other sizes.  They
 * take turns in each round, on one CPU, so other load affects all of them.  Only ratios of TSC
 * cycles are printed, as rows of a table.  The flags of the kernel forbid floating point.
 */
#include <sched.h>

#include "kvm_stats.h"

#define ROUNDS	5001	/* odd, so that one round has the median */
#define COPIES	40	/* in each round, by each way */

/* The buffer of the reader starts in the middle of a page, the vCPU at the start of one. */
static char page[12288] __aligned(4096);
static struct kvm_vcpu vcpu __aligned(4096);

/* ---- ways to copy; each returns the number of bytes ---- */

static ssize_t copy_nothing(void *to)
{
	return sizeof(vcpu.stat);
}

static ssize_t copy_at_once(void *to)
{
	return sizeof(vcpu.stat) - copy_to_user(to, &vcpu.stat, sizeof(vcpu.stat));
}

/* The file has no head, so its values are at its start. */
static ssize_t copy_series(void *to)
{
	static const struct kvm_stats_schema schema = { .data_size = sizeof(vcpu.stat) };
	static struct kvm kvm;
	static struct kvm_stats_vm vm = { .kvm = &kvm };
	static struct kvm_stats_file stats = {
		.vm = &vm, .vcpu = &vcpu, .schema = &schema, .values = &vcpu.stat,
	};
	struct file file = { &stats };
	loff_t pos = 0;

	return kvm_stats_fops.read(&file, to, sizeof(vcpu.stat), &pos);
}

#define DEFINE_COPY(buffer)							\
	static ssize_t copy_##buffer(void *to)					\
	{									\
		size_t num = VCPU_VALUES, part, i;				\
		const u64 *value = vcpu.stat;					\
		u64 buf[buffer];						\
										\
		for (; num; num -= part, value += part, to += part * sizeof(u64)) { \
			part = min(num, ARRAY_SIZE(buf));			\
			for (i = 0; i < part; i++)				\
				buf[i] = READ_ONCE(value[i]);			\
			if (copy_to_user(to, buf, part * sizeof(u64)))		\
				return -EFAULT;					\
		}								\
		return sizeof(vcpu.stat);					\
	}

DEFINE_COPY(16)
DEFINE_COPY(32)
DEFINE_COPY(64)

static struct way {
	const char *title;
	ssize_t (*copy)(void *to);
	u64 cycles[ROUNDS];
} ways[] = {
	{ "nothing", copy_nothing },
	{ "one copy of all values, which can tear them", copy_at_once },
	{ "the series, which reads a file", copy_series },
	{ "through a buffer of 16 values", copy_16 },
	{ "through a buffer of 32 values", copy_32 },
	{ "through a buffer of 64 values", copy_64 },
};

#define NUM_WAYS	((int)ARRAY_SIZE(ways))

/* ---- measuring ---- */

static u64 now(void)
{
	u32 low, high;

	asm volatile("lfence; rdtsc" : "=a" (low), "=d" (high));
	return low | (u64)high << 32;
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Each way, except the first, copies all values and writes nothing else. */
static void check_all(char *to)
{
	static char expected[4096];
	int i;

	for (i = 1; i < NUM_WAYS; i++) {
		memset(&vcpu.stat, i, sizeof(vcpu.stat));
		memset(expected, i, sizeof(vcpu.stat));
		memset(to, 0, sizeof(expected));
		if (ways[i].copy(to) != sizeof(vcpu.stat) ||
		    memcmp(to, expected, sizeof(expected))) {
			fprintf(stderr, "copy: error: copied wrong values: %s\n", ways[i].title);
			exit(1);
		}
	}
}

/* Another way is the first in each round. */
static void measure_all(char *to)
{
	int round, i, n;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < NUM_WAYS; i++) {
			struct way *way = &ways[(round + i) % NUM_WAYS];
			u64 start = now();

			for (n = 0; n < COPIES; n++)
				way->copy(to);
			way->cycles[round] = now() - start;
		}
	}
}

/* The median of the cycles, without those of the call. */
static u64 cycles_of(struct way *way)
{
	qsort(way->cycles, ROUNDS, sizeof(u64), compare);
	return way->cycles[ROUNDS / 2] - (way == ways ? 0 : ways[0].cycles[ROUNDS / 2]);
}

int main(void)
{
	char *to = page + 2048;
	cpu_set_t cpus;
	int i;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	check_all(to);
	measure_all(to);
	cycles_of(&ways[0]);
	printf("| copying %zu bytes of a vCPU's values, natively | cycles, ratio |\n",
	       sizeof(vcpu.stat));
	puts("| --- | ---: |");
	for (i = 1; i < NUM_WAYS; i++) {
		u64 ratio = cycles_of(&ways[i]) * 100 / cycles_of(&ways[1]);

		printf("| %s | %llu.%02llu |\n", ways[i].title, ratio / 100, ratio % 100);
	}
	return 0;
}
