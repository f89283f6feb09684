/* SPDX-License-Identifier: GPL-2.0-only */
/* Deadlines: points in time on the monotonic clock, in milliseconds. */
#ifndef QEMU_CLOCK_H
#define QEMU_CLOCK_H

#include <time.h>

static inline long long ms_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* What is left until @deadline, as poll() wants it; 0 once it has passed. */
static inline int ms_until(long long deadline)
{
	long long left = deadline - ms_now();

	return left > 0 ? (int)left : 0;
}

static inline void ms_sleep(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

#endif /* QEMU_CLOCK_H */
