// SPDX-License-Identifier: GPL-2.0-only
/* Read many vCPUs one after the other, as a monitor does.  The rows are counts per vCPU. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

#define MAX_VCPUS	1024
#define VCPUS_PER_VM	256	/* 5.10 allows 288 */

static struct loop {
	unsigned int num;
	int vcpus[MAX_VCPUS];
	int stats[MAX_VCPUS];
	int vms[MAX_VCPUS / VCPUS_PER_VM];
	struct stats_layout layout;
	char buf[65536] __attribute__((aligned(64)));
} loop;

static long read_all(void *arg)
{
	const struct loop *loop = arg;
	unsigned int i;
	long size;

	for (i = 0; i < loop->num; i++) {
		size = kernel_call(SYS_pread64, loop->stats[i], (long)loop->buf,
				   loop->layout.data_size, loop->layout.data_offset, 0, 0);
		if (size != loop->layout.data_size)
			return size < 0 ? size : 0;
	}
	return loop->num;
}

static bool create_vcpu(unsigned int i)
{
	int *vm = &loop.vms[i / VCPUS_PER_VM];

	if (i % VCPUS_PER_VM == 0)
		*vm = vm_create();
	loop.vcpus[i] = *vm < 0 ? -1 : vcpu_create(*vm, i % VCPUS_PER_VM);
	loop.stats[i] = loop.vcpus[i] < 0 ? -1 : stats_open(loop.vcpus[i]);
	return loop.stats[i] >= 0;
}

static double count_loop(unsigned int num)
{
	loop.num = num;
	return count_op(&(struct bench_op) { .run = read_all, .arg = &loop, .result = num });
}

/* Subtract the cost of a loop over no vCPU. */
static void row_loop(unsigned int num)
{
	double overhead = count_loop(0), count = count_loop(num);
	char name[32];

	snprintf(name, sizeof(name), "loop_%u", num);
	if (count > overhead)
		row_value(name, (count - overhead) / num);
	else
		row_failed(name);
}

static void allow_fds(unsigned int fds)
{
	struct rlimit limit = { fds, fds };

	setrlimit(RLIMIT_NOFILE, &limit);
}

static void close_all(unsigned int created)
{
	unsigned int i;

	for (i = 0; i < created; i++) {
		close(loop.stats[i]);
		close(loop.vcpus[i]);
	}
	for (i = 0; i < created; i += VCPUS_PER_VM)
		close(loop.vms[i / VCPUS_PER_VM]);
}

static void run(void)
{
	static const unsigned int numbers[] = { 1, 64, 1024 };
	unsigned int created = 0, i;

	allow_fds(2 * MAX_VCPUS + 64);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		while (created < numbers[i] && create_vcpu(created))
			created++;
		if (!i)
			loop.layout = stats_layout(loop.stats[0]);
		if (created < numbers[i])
			row_failed("loop");
		else
			row_loop(numbers[i]);
	}
	close_all(created);
}

const struct bench_group group_loop = {
	.run = run,
	.rows = "loop_1 loop_64 loop_1024",
	.needs_stats = true,
};
