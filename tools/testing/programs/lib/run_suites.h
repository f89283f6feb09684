/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run the suites of checks that the KVM selftests define, and report each check as a test
 * case. Only the file with main() includes this header, because tap.h has static counters.
 */
#ifndef GUEST_RUN_SUITES_H
#define GUEST_RUN_SUITES_H

#include "kvm_stats_run.h"
#include "tap.h"

/* LEFT_OUT has the names of checks that are skipped, separated by blanks. */
static inline bool is_left_out(const char *name)
{
	char list[128], word[64];

	snprintf(list, sizeof(list), " %s ", getenv("LEFT_OUT") ?: "");
	snprintf(word, sizeof(word), " %s ", name);
	return strstr(list, word);
}

/* Allocates memory that the processes of all checks share. Exits if that fails. */
static inline void *shared_memory(size_t size)
{
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared != MAP_FAILED)
		return shared;
	printf("Bail out! mmap: %s\n", strerror(errno));
	exit(1);
}

static inline void run_suites(const struct stats_suite *suites, size_t num)
{
	static const enum tap_verdict verdicts[] = {
		[STATS_PASS] = TAP_OK,
		[STATS_FAIL] = TAP_NOT_OK,
		[STATS_SKIP] = TAP_SKIP,
	};
	size_t i, j, cases = 0;

	for (i = 0; i < num; i++)
		cases += suites[i].num;
	tap_plan(cases);

	for (i = 0; i < num; i++) {
		for (j = 0; j < suites[i].num; j++) {
			const struct stats_outcome *outcome;

			if (is_left_out(suites[i].checks[j].name)) {
				tap_report(TAP_SKIP, suites[i].name, suites[i].checks[j].name,
					   "LEFT_OUT names it");
				continue;
			}
			outcome = stats_run(&suites[i], &suites[i].checks[j]);
			tap_report(verdicts[outcome->verdict], suites[i].name,
				   suites[i].checks[j].name, outcome->message);
		}
	}
}

#endif /* GUEST_RUN_SUITES_H */
