/* SPDX-License-Identifier: GPL-2.0-only */
/* The monotonic clock. */
#ifndef GUEST_CLOCK_H
#define GUEST_CLOCK_H

#include <time.h>

static inline long long ns_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static inline long long ms_now(void)
{
	return ns_now() / 1000000;
}

static inline void ms_sleep(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

#endif /* GUEST_CLOCK_H */
