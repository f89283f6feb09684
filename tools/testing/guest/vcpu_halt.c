// SPDX-License-Identifier: GPL-2.0-only
/*
 * Let a vCPU halt a known number of times, and check what KVM counts: the waits, their
 * histogram and their time, and the same for the polls. A second thread reads `blocking` to
 * find out when the vCPU has halted, and then ends the halt with a signal.
 */
#define _GNU_SOURCE
#include "tap.h"
#include "vcpu_halt/vcpu_halt.h"

static void report(const char *what, bool ok)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, "", what, failure);
}

int main(void)
{
	static struct outcome outcome;
	const struct guest_action *halt;
	struct guest guest = {};
	const char *message;
	size_t i;
	bool ran;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	message = guest_create(&guest);
	if (message) {
		printf("Bail out! %s\n", message);
		return 1;
	}
	halt = guest_next_halt(&guest, NULL);
	if (!halt)
		return tap_skip_all("no guest of this architecture can run, so none can halt");
	halts_count_as_wakeups = !strcmp(halt->name, "power_save");
	if (ioctl(guest.vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) <= 0)
		return tap_skip_all("this kernel does not have KVM_CAP_BINARY_STATS_FD");

	tap_plan(1 + NUM_HALT_CHECKS);
	ran = halt_and_read(&guest, halt, &outcome);
	report("blocking is 1 during each halt", ran);
	for (i = 0; i < NUM_HALT_CHECKS; i++)
		report(halt_checks[i].name, ran ? halt_checks[i].check(&outcome) :
						  fail("the vCPU did not halt as expected"));
	return tap_end();
}
