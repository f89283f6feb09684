// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how long a VM lives. The statistics, vCPU, VM and /dev/kvm fds are closed in every
 * order. VMMs exit, are killed and call exec() while another process holds one of their
 * statistics files, received by dup(), SCM_RIGHTS, pidfd_getfd() or fork(). Any process that
 * holds a file of KVM_STATS_GETFD can read it. After the last holder has closed the file, nothing
 * of the VM is left. A file of KVM_STATS_OPEN does not hold the VM.
 *
 * LIFETIMES_COUNT is the number of times that all checks run (default: 1).
 */
#define _GNU_SOURCE
#include "lib/vmm_end.h"
#include "lifetimes/lifetimes.h"
#include "lifetimes/repeat.h"

struct lifetimes_totals *totals;

static const struct stats_check checks[] = {
	STATS_CHECK("closed_in_every_order", closed_in_every_order),
	STATS_CHECK("outlives_vmm_received", outlives_vmm, .arg = 0),
	STATS_CHECK("outlives_vmm_taken", outlives_vmm, .arg = 1),
	STATS_CHECK("outlives_vmm_by_dup", outlives_vmm, .arg = 2),
	STATS_CHECK("outlives_vmm_in_flight", outlives_vmm, .arg = 3),
	STATS_CHECK("outlives_vmm_with_another_user", outlives_vmm, .arg = 4),
	STATS_CHECK("kept_over_exec", kept_over_exec),
};

int main(int argc, char *argv[])
{
	vmm_end_main(argc, argv);
	if (argc == 5 && !strcmp(argv[1], "--read"))
		return read_after_exec(argv);
	if (lifetimes_skip_reason())
		return tap_skip_all(lifetimes_skip_reason());

	totals = shared_memory(sizeof(*totals));
	run_repeatedly(checks, ARRAY_SIZE(checks));
	tap_tried(totals->orders, "orders of closing fds");
	tap_tried(totals->ends, "ends of VMMs");
	tap_tried(totals->reads, "reads by processes that hold a file");
	return tap_end();
}
