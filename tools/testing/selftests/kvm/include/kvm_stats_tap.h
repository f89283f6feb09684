/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run checks of KVM statistics as a kselftest, which reports in TAP.
 */
#ifndef SELFTEST_KVM_STATS_TAP_H
#define SELFTEST_KVM_STATS_TAP_H

#include "test_util.h"
#include "kvm_util.h"
#include "kvm_stats_run.h"

/* Prints the TAP header.  Exits if this host or kernel has nothing to test. */
void stats_tap_begin(void);

/*
 * Runs all suites, reports the results, restores @params and exits.  @params may
 * be NULL.
 */
void stats_tap_run(const struct stats_suite *suites, size_t num,
		   struct stats_param *params, size_t num_params);

/* Both: the main() of a test that has one suite. */
void stats_tap_main(const struct stats_suite *suite,
		    struct stats_param *params, size_t num_params);

#endif /* SELFTEST_KVM_STATS_TAP_H */
