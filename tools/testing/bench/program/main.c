// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the cost of each operation, as TAP.
 *
 * BENCH_GROUPS in the environment is a list of groups, separated by commas.  The default
 * is all groups.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const struct bench_group *const groups[] = {
	&group_syscall, &group_read, &group_open, &group_loop, &group_vector,
	&group_uring, &group_debugfs, &group_exit, &group_halt,
};

#define NUM_GROUPS	(sizeof(groups) / sizeof(groups[0]))

static bool is_wanted(const struct bench_group *group)
{
	const char *list = getenv("BENCH_GROUPS");
	size_t length = strlen(group->name);

	while (list && *list) {
		if (strcspn(list, ",") == length && !strncmp(list, group->name, length))
			return true;
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return !list;
}

int main(void)
{
	size_t i;

	if (kvm_open() < 0) {
		printf("Bail out! %s\n", why());
		return 1;
	}
	for (i = 0; i < NUM_GROUPS; i++) {
		if (!is_wanted(groups[i]))
			continue;
		if (groups[i]->needs_stats && !stats_supported())
			rows_missing(groups[i]->rows, "this kernel has no statistics fd");
		else
			groups[i]->run();
		fflush(stdout);
	}
	return rows_end();
}
