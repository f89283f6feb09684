// SPDX-License-Identifier: GPL-2.0-only
#include "kvm_stats_tap.h"

void stats_tap_begin(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	ksft_print_header();
	if (access("/dev/kvm", R_OK | W_OK))
		ksft_exit_skip("cannot access /dev/kvm: %s\n", strerror(errno));
	if (!kvm_check_cap(KVM_CAP_STATS_BINARY_FD))
		ksft_exit_skip("this kernel lacks KVM_CAP_STATS_BINARY_FD\n");
}

static void report(const char *suite, const char *check,
		   const struct stats_outcome *outcome)
{
	switch (outcome->verdict) {
	case STATS_PASS:
		ksft_test_result_pass("%s.%s\n", suite, check);
		break;
	case STATS_SKIP:
		ksft_test_result_skip("%s.%s: %s\n", suite, check,
				      outcome->message);
		break;
	default:
		ksft_test_result_fail("%s.%s\n", suite, check);
		ksft_print_msg("%s\n", outcome->message);
	}
}

static void run_suite(const struct stats_suite *suite)
{
	const struct stats_check *check;
	size_t i;

	for (i = 0; i < suite->num; i++) {
		check = &suite->checks[i];
		report(suite->name, check->name, stats_run(suite, check));
	}
}

void stats_tap_run(const struct stats_suite *suites, size_t num,
		   struct stats_param *params, size_t num_params)
{
	unsigned int plan = 0;
	size_t i;

	for (i = 0; i < num; i++)
		plan += suites[i].num;
	ksft_set_plan(plan);
	stats_params_save(params, num_params);
	for (i = 0; i < num; i++)
		run_suite(&suites[i]);
	stats_params_restore(params, num_params);
	ksft_exit(!ksft_get_fail_cnt());
}

void stats_tap_main(const struct stats_suite *suite,
		    struct stats_param *params, size_t num_params)
{
	stats_tap_begin();
	stats_tap_run(suite, 1, params, num_params);
}
