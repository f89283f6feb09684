// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <unistd.h>

#include "lib/exit_stats.h"

bool kernel_has_exit_stats(void)
{
	return !access(EXIT_STATS_PATH, F_OK);
}

bool exit_stats_are_on(void)
{
	FILE *file = fopen(EXIT_STATS_PATH, "re");
	bool on = file && fgetc(file) == 'Y';

	if (file)
		fclose(file);
	return on;
}

bool exit_stats_switch(bool on)
{
	FILE *file = fopen(EXIT_STATS_PATH, "we");

	if (!file)
		return false;
	fputc(on ? '1' : '0', file);
	return !fclose(file);
}
