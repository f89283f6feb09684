// SPDX-License-Identifier: GPL-2.0-only
#include "base/clock.h"

uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + now.tv_nsec;
}
