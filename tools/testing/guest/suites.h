/* SPDX-License-Identifier: GPL-2.0-only */
/* Run suites of the kselftest's kind as a test of the emulated host. */
#ifndef BOOT_TESTS_SUITES_H
#define BOOT_TESTS_SUITES_H

#include "kvm_stats_run.h"
#include "tap.h"

static inline void run_suites(const struct stats_suite *suites, size_t num)
{
	static const enum tap_verdict verdicts[] = {
		[STATS_PASS] = TAP_OK,
		[STATS_FAIL] = TAP_NOT_OK,
		[STATS_SKIP] = TAP_SKIP,
	};
	size_t i, j, points = 0;

	for (i = 0; i < num; i++)
		points += suites[i].num;
	tap_plan(points);

	for (i = 0; i < num; i++) {
		for (j = 0; j < suites[i].num; j++) {
			const struct stats_outcome *outcome;

			outcome = stats_run(&suites[i], &suites[i].checks[j]);
			tap_report(verdicts[outcome->verdict], suites[i].name,
				   suites[i].checks[j].name, outcome->message);
		}
	}
}

#endif /* BOOT_TESTS_SUITES_H */
