// SPDX-License-Identifier: GPL-2.0-only
/* Open a statistics file, and close it. */
#include <unistd.h>

#include "bench.h"

struct opening {
	int target;	/* the VM or vCPU */
	int stats;
};

static long get_stats(void *arg)
{
	const struct opening *opening = arg;

	return kernel_call(SYS_ioctl, opening->target, KVM_GET_STATS_FD, 0, 0, 0, 0);
}

static void close_result(void *arg, long result)
{
	(void)arg;
	if (result >= 0)
		close(result);
}

static void open_before(void *arg)
{
	struct opening *opening = arg;

	opening->stats = get_stats(arg);
}

static long close_stats(void *arg)
{
	const struct opening *opening = arg;

	return kernel_call(SYS_close, opening->stats, 0, 0, 0, 0, 0);
}

static void rows_open(const char *getfd, const char *close, int target)
{
	struct opening opening = { .target = target };

	row_count(getfd, &(struct bench_op) {
		.run = get_stats, .after = close_result, .arg = &opening, .result = ANY_RESULT,
	});
	row_count(close, &(struct bench_op) {
		.before = open_before, .run = close_stats, .arg = &opening,
	});
}

static void run(void)
{
	int vm = vm_create();
	int vcpu = vcpu_create(vm, 0);

	rows_open("getfd_vm", "close_vm", vm);
	rows_open("getfd_vcpu", "close_vcpu", vcpu);
	close(vcpu);
	close(vm);
}

const struct bench_group group_open = {
	.run = run,
	.rows = "getfd_vm close_vm getfd_vcpu close_vcpu",
	.needs_stats = true,
};
