// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read many vCPUs, as a monitor does: one after the other, or all vCPUs of a VM at once.  The
 * rows are counts per vCPU.
 */
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
	int whole_vms[MAX_VCPUS / VCPUS_PER_VM];	/* files with all vCPUs, or -1 */
	struct stats_layout layout;
	struct stats_layout whole_layout;		/* without the records */
	char buf[1 << 20] __attribute__((aligned(64)));
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

static long read_whole_vms(void *arg)
{
	const struct loop *loop = arg;
	unsigned int i, left;
	long size, total = 0;

	for (i = 0, left = loop->num; left; i++) {
		size = kernel_call(SYS_pread64, loop->whole_vms[i], (long)loop->buf,
				   sizeof(loop->buf), loop->whole_layout.data_offset, 0, 0);
		if (size < 0)
			return size;
		total += size;
		left -= left < VCPUS_PER_VM ? left : VCPUS_PER_VM;
	}
	return total;
}

/* The number of bytes that read_whole_vms() reads. */
static long whole_size(unsigned int num)
{
	unsigned int vms = (num + VCPUS_PER_VM - 1) / VCPUS_PER_VM;

	return vms * loop.whole_layout.data_size +
	       num * (sizeof(struct kvm_stats_record) + loop.layout.data_size);
}

static bool create_vm(unsigned int i)
{
	loop.vms[i] = vm_create();
	loop.whole_vms[i] = loop.vms[i] < 0 ? -1 : stats_open_whole(loop.vms[i]);
	if (!i && loop.whole_vms[0] >= 0)
		loop.whole_layout = stats_layout(loop.whole_vms[0]);
	return loop.vms[i] >= 0;
}

static bool create_vcpu(unsigned int i)
{
	const int *vm = &loop.vms[i / VCPUS_PER_VM];

	if (i % VCPUS_PER_VM == 0 && !create_vm(i / VCPUS_PER_VM))
		return false;
	loop.vcpus[i] = *vm < 0 ? -1 : vcpu_create(*vm, i % VCPUS_PER_VM);
	loop.stats[i] = loop.vcpus[i] < 0 ? -1 : stats_open(loop.vcpus[i]);
	return loop.stats[i] >= 0;
}

static double count_loop(unsigned int num, long (*run)(void *arg), long result)
{
	loop.num = num;
	return count_op(&(struct bench_op) { .run = run, .arg = &loop, .result = result });
}

/* Subtract the cost of a loop over no vCPU. */
static void row_loop(const char *method, unsigned int num, long (*run)(void *arg), long result)
{
	double overhead = count_loop(0, run, 0), count = count_loop(num, run, result);
	char name[32];

	snprintf(name, sizeof(name), "%s_%u", method, num);
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

static void row_whole(unsigned int num)
{
	char name[32];

	if (loop.whole_vms[0] >= 0) {
		row_loop("whole", num, read_whole_vms, whole_size(num));
		return;
	}
	snprintf(name, sizeof(name), "whole_%u", num);
	rows_missing(name, "this kernel has no KVM_STATS_OPEN");
}

static void close_all(unsigned int created)
{
	unsigned int i;

	for (i = 0; i < created; i++) {
		close(loop.stats[i]);
		close(loop.vcpus[i]);
	}
	for (i = 0; i < created; i += VCPUS_PER_VM) {
		close(loop.whole_vms[i / VCPUS_PER_VM]);
		close(loop.vms[i / VCPUS_PER_VM]);
	}
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
		if (created < numbers[i]) {
			row_failed("loop");
			continue;
		}
		row_loop("loop", numbers[i], read_all, numbers[i]);
		row_whole(numbers[i]);
	}
	close_all(created);
}

const struct bench_group group_loop = {
	.run = run,
	.rows = "loop_1 whole_1 loop_64 whole_64 loop_1024 whole_1024",
	.needs_stats = true,
};
