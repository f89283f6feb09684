// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test KVM_STATS_OPEN and KVM_STATS_NEXT without running a guest. The program runs on every
 * architecture and, if the architecture has them, also as a 32-bit process on a 64-bit kernel.
 */
#define _GNU_SOURCE
#include "kvm_stats_check_open.h"
#include "lib/run.h"

static const struct stats_suite suites[] = {
	{ "open", -1, stats_open_checks, STATS_NUM_OPEN_CHECKS, stats_set_up_open },
	{ "end_open", -1, stats_end_checks, STATS_NUM_END_CHECKS, stats_set_up_end_open },
	{ "end_next", -1, stats_end_checks, STATS_NUM_END_CHECKS, stats_set_up_end_next },
	{ "next", -1, stats_next_checks, STATS_NUM_NEXT_CHECKS, stats_set_up_next },
};

int main(void)
{
	int kvm = stats_open_kvm();

	if (kvm < 0)
		return tap_skip_all("no access to /dev/kvm");
	if (!(ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD) & KVM_STATS_CAP_NEXT))
		return tap_skip_all("this kernel does not have KVM_STATS_NEXT");
	run_suites(suites, ARRAY_SIZE(suites));
	return tap_end();
}
