/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks of KVM statistics as a kselftest reports them, in TAP.
 */
#ifndef SELFTEST_KVM_STATS_TAP_H
#define SELFTEST_KVM_STATS_TAP_H

#include "test_util.h"
#include "kvm_util.h"
#include "kvm_stats_run.h"

/* Ends the program, with the reason, where there is nothing to test. */
static inline void stats_tap_begin(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	ksft_print_header();
	if (access("/dev/kvm", R_OK | W_OK))
		ksft_exit_skip("no access to /dev/kvm: %s\n", strerror(errno));
	if (!kvm_check_cap(KVM_CAP_STATS_BINARY_FD))
		ksft_exit_skip("this kernel lacks KVM_CAP_STATS_BINARY_FD\n");
}

static inline void stats_tap_report(const struct stats_suite *suite,
				    const struct stats_check *check,
				    const struct stats_outcome *outcome)
{
	switch (outcome->verdict) {
	case STATS_PASS:
		ksft_test_result_pass("%s.%s\n", suite->name, check->name);
		break;
	case STATS_SKIP:
		ksft_test_result_skip("%s.%s: %s\n", suite->name, check->name,
				      outcome->message);
		break;
	default:
		ksft_test_result_fail("%s.%s\n", suite->name, check->name);
		ksft_print_msg("%s\n", outcome->message);
	}
}

static inline void stats_tap_run(const struct stats_suite *suites, size_t num)
{
	unsigned int plan = 0;
	size_t i, j;

	for (i = 0; i < num; i++)
		plan += suites[i].num;
	ksft_set_plan(plan);
	for (i = 0; i < num; i++)
		for (j = 0; j < suites[i].num; j++)
			stats_tap_report(&suites[i], &suites[i].checks[j],
					 stats_run(&suites[i],
						   &suites[i].checks[j]));
}

static inline void stats_tap_end(void)
{
	ksft_exit(!ksft_get_fail_cnt());
}

#endif /* SELFTEST_KVM_STATS_TAP_H */
