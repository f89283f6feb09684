// SPDX-License-Identifier: GPL-2.0-only
/* Read many vCPUs one after the other, as a monitor does.  The rows are per vCPU. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

#define MOST		1024
#define VCPUS_PER_VM	256	/* 5.10 has at most 288 */

static struct loop {
	unsigned int num;
	int vcpus[MOST];
	int stats[MOST];
	int vms[MOST / VCPUS_PER_VM];
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

static bool make_vcpu(unsigned int i)
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

/* Subtract the cost of the loop without any vCPU. */
static void row_loop(unsigned int num)
{
	double nothing = count_loop(0), count = count_loop(num);
	char name[32];

	snprintf(name, sizeof(name), "loop_%u", num);
	if (count > nothing)
		row_value(name, (count - nothing) / num);
	else
		row_failed(name);
}

static void let_open(unsigned int fds)
{
	struct rlimit limit = { fds, fds };

	setrlimit(RLIMIT_NOFILE, &limit);
}

static void close_all(unsigned int made)
{
	unsigned int i;

	for (i = 0; i < made; i++) {
		close(loop.stats[i]);
		close(loop.vcpus[i]);
	}
	for (i = 0; i < made; i += VCPUS_PER_VM)
		close(loop.vms[i / VCPUS_PER_VM]);
}

static void run(void)
{
	static const unsigned int numbers[] = { 1, 64, 1024 };
	unsigned int made = 0, i;

	let_open(2 * MOST + 64);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		while (made < numbers[i] && make_vcpu(made))
			made++;
		if (!i)
			loop.layout = stats_layout(loop.stats[0]);
		if (made < numbers[i])
			row_failed("loop");
		else
			row_loop(numbers[i]);
	}
	close_all(made);
}

const struct bench_group group_loop = {
	.name = "loop",
	.run = run,
	.rows = "loop_1 loop_64 loop_1024",
	.needs_stats = true,
};
