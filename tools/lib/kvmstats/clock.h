/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Times and intervals are in ns. Times without another name are of CLOCK_MONOTONIC. */
#ifndef KVMSTATS_CLOCK_H
#define KVMSTATS_CLOCK_H

#include <stdint.h>
#include <time.h>

#define SECOND	UINT64_C(1000000000)

static inline uint64_t clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static inline uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/* The CPU time of this thread. */
static inline uint64_t clock_cpu(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

#endif /* KVMSTATS_CLOCK_H */
