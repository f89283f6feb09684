// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the second example program in Documentation/virt/kvm/stats.rst, which prints the
 * statistics of all VMs. It is compiled with the headers that the patched kernel installs.
 */
#define main example_main
#include "doc_example_next.inc"
#undef main

#include <linux/kvm.h>
#include <string.h>

#include "doc_example.h"
#include "tap.h"

#define NUM_VMS		2

static const int vcpu_ids[] = { 5, 0 };

static int create_vm(int kvm)
{
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	size_t i;

	if (vm < 0)
		err(1, "KVM_CREATE_VM");
	for (i = 0; i < sizeof(vcpu_ids) / sizeof(vcpu_ids[0]); i++)
		if (ioctl(vm, KVM_CREATE_VCPU, vcpu_ids[i]) < 0)
			err(1, "KVM_CREATE_VCPU");
	return vm;
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int found = 0;

	for (text = strstr(text, part); text; text = strstr(text + 1, part))
		found++;
	return found;
}

int main(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), i, status;
	const char *text;
	char id[32];

	if (kvm < 0)
		return tap_skip_all("no access to /dev/kvm");
	if (!(ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD) & KVM_STATS_CAP_NEXT))
		return tap_skip_all("this kernel has no KVM_STATS_NEXT");
	for (i = 0; i < NUM_VMS; i++)
		create_vm(kvm);
	text = output_of(example_main, &status);
	snprintf(id, sizeof(id), " kvm-%d\n", getpid());

	tap_ok(status == 0, "the example for all VMs runs");
	tap_is(count(text, id), NUM_VMS, "it prints the id of each VM");
	tap_is(count(text, "\nvm remote_tlb_flush "), NUM_VMS,
	       "it prints the statistics of each VM");
	tap_is(count(text, "\nvcpu5 halt_wakeup 0\n"), NUM_VMS,
	       "it prints the statistics of the first vCPU of each VM");
	tap_is(count(text, "\nvcpu0 halt_wakeup 0\n"), NUM_VMS,
	       "it prints the statistics of the second vCPU of each VM");
	return tap_end();
}
