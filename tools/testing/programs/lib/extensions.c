// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "kvm_stats_open.h"

#include "lib/extensions.h"

bool kernel_has_stats_open(void)
{
	int kvm = stats_open_kvm();
	int mask = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);

	close(kvm);
	return mask > 0 && (mask & KVM_STATS_CAP_OPEN);
}
