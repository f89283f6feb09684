// SPDX-License-Identifier: GPL-2.0-only
/* Test that the end of a VM is not an error, and that VMs of unknown processes are followed. */
#include "fake_vms.h"
#include "model.h"
#include "tap.h"

static struct monitor *start(const struct filter *filter)
{
	const struct monitor_options options = { .filter = filter };
	struct monitor *monitor;

	start_vms(1, 2, 0);
	if (monitor_open(&monitor, &options) || monitor_sample(monitor))
		exit(1);
	return monitor;
}

static void test_end(struct monitor *monitor)
{
	tap_ok(monitor->vmms == 2 && !monitor->vmm[0]->pid &&
	       monitor->vmm[0]->targets == 1 + VM_IMAGE_VCPUS,
	       "VMs whose process is not known are read");
	tap_ok(vmm_key(monitor->vmm[0]) < vmm_key(monitor->vmm[1]) &&
	       !strcmp(monitor->vmm[0]->guest, "vm 1"), "they have the order of their numbers");
	end_vm(1);
	monitor_sample(monitor);
	tap_ok(monitor->vmms == 1 && !strcmp(monitor->vmm[0]->guest, "vm 2"),
	       "a VM that has ended is released");
}

/* The VM ends after the check for events. */
static void test_end_at_read(struct monitor *monitor)
{
	alive[2] = false;
	tap_is(monitor_sample(monitor), 0, "a sample of a VM that ends is read");
	tap_ok(!vmm_fails(monitor->vmm[0], monitor->options.filter),
	       "it has no values that could be missing");
	tap_is(monitor->vmm[0]->targets, 0, "it has no values");
	monitor_refresh(monitor);
	tap_is(monitor->vmms, 0, "the next refresh releases it");
}

int main(void)
{
	struct filter filter = { 0 };
	struct monitor *monitor = start(&filter);

	test_end(monitor);
	test_end_at_read(monitor);
	monitor_close(monitor);
	return tap_end();
}
