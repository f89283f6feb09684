// SPDX-License-Identifier: GPL-2.0-only
/* Test that the prompt for a guest offers all VMs that a monitor finds. */
#include "classic/guests.h"
#include "fake_vms.h"
#include "tap.h"

static void test_list(void)
{
	struct guests guests = { 0 };

	start_vms(1, 2, 0);
	tap_ok(guests_find(&guests), "guests are found");
	tap_ok(guests.guests == 2 && guests_have(&guests, "vm 1") && guests_have(&guests, "vm 2"),
	       "they are the VMs that KVM_STATS_NEXT opens");
	tap_ok(guests.guests && !guests.guest[0].pid, "their processes are not known");
	guests_free(&guests);
}

/* In another PID namespace, the PID in the file of the VM has no meaning. */
static void test_pid(void)
{
	struct guests guests = { 0 };
	pid_t pid = getpid();

	start_vms(1, 1, pid);
	tap_ok(guests_find(&guests) && guests.guests == 1, "a guest with a PID is found");
	tap_is(guests_check(pid), guests.guests && guests.guest[0].pid ? 0 : -ENODEV,
	       "its PID can be chosen");
	tap_is(guests_check(1), -ENODEV, "that of a process without a VM cannot");
	guests_free(&guests);
}

int main(void)
{
	test_list();
	test_pid();
	return tap_end();
}
