// SPDX-License-Identifier: GPL-2.0-only
/* Test which statistics may be missing, because only the VMM can open them. */
#include <errno.h>

#include "model.h"
#include "tap.h"

static struct stat_set vcpu_set = { .stats = 1 };
static struct source source;
static struct target vcpu = { .source = &source, .origin = ORIGIN_TAKEN, .set = &vcpu_set };
static struct target *targets[] = { &vcpu };

/* A VMM with a vCPU that can be read. Its VM cannot be read. */
static struct vmm vmm_without_vm(void)
{
	return (struct vmm){
		.target = targets, .targets = 1, .unread = { .count = 1, .fd_error = -EIO },
	};
}

static void test_vm(void)
{
	struct vmm vmm = vmm_without_vm();
	struct filter filter = { 0 };

	tap_ok(!vmm_fails(&vmm, &filter), "values of the VM may be missing");
	filter.has_regex = true;
	tap_ok(!vmm_fails(&vmm, &filter),
	       "also if the expression matches a statistic of the vCPUs");
	vcpu_set.stats = 0;
	tap_ok(vmm_fails(&vmm, &filter), "but not if it matches none");
	vcpu_set.stats = 1;
	filter = (struct filter){ .vm = true };
	tap_ok(vmm_fails(&vmm, &filter), "nor if the user selects the VM");
	filter = (struct filter){ .qmp = true };
	vmm.unread.qmp_error = -ENXIO;
	tap_ok(vmm_fails(&vmm, &filter), "nor if QMP does not have them");
}

/* The kernel is locked down. */
static void test_debugfs(void)
{
	static struct source sums = { .has_sums = true };
	struct target vm = { .source = &source, .origin = ORIGIN_DEBUGFS, .set = &vcpu_set };
	struct target *both[] = { &vm, &vcpu };
	struct vmm vmm = { .target = both, .targets = 2, .unread.debugfs_error = -EPERM };
	struct filter filter = { 0 };

	tap_ok(!vmm_fails(&vmm, &filter), "debugfs may have some values of the VM");
	filter.vm = true;
	tap_ok(vmm_fails(&vmm, &filter), "but not if the user selects the VM");
	filter.vm = false;
	vm.source = &sums;
	tap_ok(vmm_fails(&vmm, &filter), "missing sums over the vCPUs are a failure");
}

static void test_others(void)
{
	struct vmm vmm = vmm_without_vm();
	struct filter filter = { 0 };

	vmm.unread.fd_error = -EMFILE;
	tap_ok(vmm_fails(&vmm, &filter), "another error is a failure");
	vmm = vmm_without_vm();
	vmm.unread.vcpus = 1;
	tap_ok(vmm_fails(&vmm, &filter), "a missing vCPU is a failure");
	vmm = vmm_without_vm();
	vmm.targets = 0;
	tap_ok(vmm_fails(&vmm, &filter), "a VMM without any values is a failure");
}

int main(void)
{
	test_vm();
	test_debugfs();
	test_others();
	return tap_end();
}
