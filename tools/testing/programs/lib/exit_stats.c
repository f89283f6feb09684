// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <unistd.h>

#include "lib/exit_stats.h"

static const char path[] = "/sys/module/kvm/parameters/exit_stats";

bool kernel_has_exit_stats(void)
{
	return !access(path, F_OK);
}

bool exit_stats_are_enabled(void)
{
	FILE *file = fopen(path, "re");
	bool enabled = file && fgetc(file) == 'Y';

	if (file)
		fclose(file);
	return enabled;
}

bool exit_stats_enable(bool enable)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return false;
	fputc(enable ? 'Y' : 'N', file);
	return !fclose(file);
}
