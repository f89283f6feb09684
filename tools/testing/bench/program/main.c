// SPDX-License-Identifier: GPL-2.0-only
/* Print the cost of each operation, as TAP. */
#include <stdio.h>

#include "bench.h"

static const struct bench_group *const groups[] = {
	&group_read, &group_open, &group_running, &group_attach, &group_loop, &group_vector,
	&group_debugfs, &group_exit, &group_halt,
};

/* The cheapest operation: a system call that does almost nothing. */
static long get_parent(void *arg)
{
	(void)arg;
	return kernel_call(SYS_getppid, 0, 0, 0, 0, 0, 0);
}

static void run_group(const struct bench_group *group)
{
	if (group->needs_stats && !stats_supported())
		rows_missing(group->rows, "this kernel has no statistics fd");
	else
		group->run();
	fflush(stdout);
}

int main(void)
{
	size_t i;

	if (kvm_open() < 0) {
		printf("Bail out! %s\n", why());
		return 1;
	}
	row_count("syscall", &(struct bench_op) { .run = get_parent, .result = ANY_RESULT });
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		run_group(groups[i]);
	return rows_end();
}
