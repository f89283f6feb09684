// SPDX-License-Identifier: GPL-2.0-only
/*
 * A read must return whole values although they change during the read. All bits of a value
 * flip together, from 0 to ~0 and back, so a torn value is neither 0 nor ~0. In one test,
 * another thread flips the values. In the other test, a signal handler flips them between two
 * instructions of the read. The second test finds each value that the read does not load with
 * one instruction, even on a machine with one CPU.
 */
#include "fake.h"
#include "tap.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define NUM_VALUES	(sizeof(vcpu.stat) / sizeof(u64))
#define FLIP_SECONDS	0.4
#define LIMIT_SECONDS	20	/* after which the test gives up waiting for changes */
#define MIN_CHANGES	1000
#define STEPPED_READS	30

/* A way to read the values. */
struct way {
	const char *name;
	size_t skip;		/* bytes at the start that are not read */
	size_t misaligned;	/* of the buffer, in bytes */
};

static const struct way ways[] = {
	{ "whole values, aligned buffer", 0, 0 },
	{ "whole values, unaligned buffer", 0, 1 },
	{ "from the middle of a value", 3, 0 },
};

static u64 *const values = (u64 *)&vcpu.stat;
static u8 memory[sizeof(vcpu.stat) + 64] __attribute__((aligned(64)));
static struct file *file;
static loff_t data_offset;

static struct result {
	unsigned long torn;	/* values with parts from different moments */
	unsigned long changes;	/* values that differ from the previous read */
	unsigned long errors;	/* reads with a wrong length */
} result;

static void set_values(u64 value)
{
	size_t i;

	for (i = 0; i < NUM_VALUES; i++)
		*(volatile u64 *)&values[i] = value;
}

static ssize_t read_once(const struct way *way)
{
	return pread_file(file, memory + way->misaligned, sizeof(vcpu.stat) - way->skip,
			  data_offset + way->skip);
}

/* All bytes of a value must be equal, also if the read starts in the middle of the value. */
static void inspect(const struct way *way, u8 *before)
{
	const u8 *buf = memory + way->misaligned;
	size_t i, end, byte = way->skip;

	for (i = 0; i < NUM_VALUES; i++) {
		const u8 first = buf[byte - way->skip];
		bool torn = first != 0 && first != 0xff;

		for (end = (i + 1) * sizeof(u64); byte < end; byte++)
			torn |= buf[byte - way->skip] != first;
		result.torn += torn;
		result.changes += first != before[i];
		before[i] = first;
	}
}

static void read_and_inspect(const struct way *way, u8 *before, ssize_t (*read)(const struct way *))
{
	result.errors += read(way) != (ssize_t)(sizeof(vcpu.stat) - way->skip);
	inspect(way, before);
}

static void report(const struct way *way, unsigned long min_changes, const char *how)
{
	tap_ok(!result.torn && !result.errors && result.changes >= min_changes,
	       "values that change %s are read whole: %s", how, way->name);
	printf("# torn: %lu, changed: %lu, wrong reads: %lu\n", result.torn, result.changes,
	       result.errors);
}

/* ---- another thread ---- */

static bool stop;

static void *flip_values(void *arg)
{
	u64 value = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		value = ~value;
		set_values(value);
	}
	return NULL;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void read_while_another_thread_flips(const struct way *way)
{
	u8 before[NUM_VALUES] = {};
	double start = now();
	pthread_t thread;

	result = (struct result) {};
	stop = false;
	if (pthread_create(&thread, NULL, flip_values, NULL)) {
		tap_ok(false, "a second thread can be started");
		return;
	}
	while (now() - start < FLIP_SECONDS ||
	       (result.changes < MIN_CHANGES && now() - start < LIMIT_SECONDS))
		read_and_inspect(way, before, read_once);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	report(way, MIN_CHANGES, "in another thread");
}

/* ---- between instructions ---- */

#ifdef __x86_64__
#define TRAP_FLAG	0x100

/*
 * Flip the values after about half of the instructions, at random. If they flipped after each
 * instruction, two loads that are two instructions apart would read the same value.
 */
static void flip_at_random(int signal)
{
	static u64 value, random = 1;

	random = random * 6364136223846793005 + 1442695040888963407;
	if (random >> 63) {
		value = ~value;
		set_values(value);
	}
}

static ssize_t read_stepwise(const struct way *way)
{
	ssize_t size;

	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
	size = read_once(way);
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~TRAP_FLAG);
	return size;
}

static void read_while_each_instruction_flips(const struct way *way)
{
	u8 before[NUM_VALUES] = {};
	int i;

	result = (struct result) {};
	signal(SIGTRAP, flip_at_random);
	for (i = 0; i < STEPPED_READS; i++)
		read_and_inspect(way, before, read_stepwise);
	report(way, MIN_CHANGES, "between instructions");
}
#else
static void read_while_each_instruction_flips(const struct way *way)
{
	tap_ok(true, "values that change between instructions are read whole: %s%s", way->name,
	       " # SKIP x86_64 only");
}
#endif

int main(void)
{
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	file = open_vcpu();
	pread_file(file, memory, sizeof(struct kvm_stats_header), 0);
	data_offset = ((struct kvm_stats_header *)memory)->data_offset;
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		read_while_another_thread_flips(&ways[i]);
		read_while_each_instruction_flips(&ways[i]);
	}
	return tap_end();
}
