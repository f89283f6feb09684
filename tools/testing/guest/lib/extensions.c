// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "kvm_stats_open.h"

#include "lib/extensions.h"

/* Returns the value of KVM's capability, or a value that is not positive. */
static int capability(void)
{
	int kvm = stats_open_kvm();
	int mask = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);

	close(kvm);
	return mask;
}

bool kernel_has_stats(void)
{
	return capability() > 0;
}

bool kernel_has_stats_open(void)
{
	int mask = capability();

	return mask > 0 && (mask & KVM_STATS_CAP_OPEN);
}

/* Numbers are never reused, so the search continues after the last result. */
uint64_t newest_vm(int kvm)
{
	static uint64_t newest;
	int fd;

	while ((fd = stats_open_next(kvm, &newest, 0)) >= 0)
		close(fd);
	return newest;
}
