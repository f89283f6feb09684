// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "kvm_stats_open.h"

#include "lib/features.h"

static const char exit_stats[] = "/sys/module/kvm/parameters/exit_stats";

bool kernel_has_stats_open(void)
{
	int kvm = stats_open_kvm();
	int mask = ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_STATS_BINARY_FD);

	close(kvm);
	return mask > 0 && (mask & KVM_STATS_CAP_OPEN);
}

bool kernel_has_exit_stats(void)
{
	return !access(exit_stats, F_OK);
}

bool exit_stats_are_enabled(void)
{
	FILE *file = fopen(exit_stats, "re");
	bool enabled = file && fgetc(file) == 'Y';

	if (file)
		fclose(file);
	return enabled;
}

bool exit_stats_enable(bool enable)
{
	FILE *file = fopen(exit_stats, "we");

	if (!file)
		return false;
	fputc(enable ? 'Y' : 'N', file);
	return !fclose(file);
}
