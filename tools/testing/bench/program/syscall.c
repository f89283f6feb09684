// SPDX-License-Identifier: GPL-2.0-only
/* The cheapest operation: a system call that does almost nothing. */
#include "bench.h"

static long get_parent(void *arg)
{
	(void)arg;
	return kernel_call(SYS_getppid, 0, 0, 0, 0, 0, 0);
}

static void run(void)
{
	row_count("syscall", &(struct bench_op) { .run = get_parent, .result = ANY_RESULT });
}

const struct bench_group group_syscall = { "syscall", run, "syscall" };
