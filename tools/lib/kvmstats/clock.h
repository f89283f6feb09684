/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Times and intervals are in ns, times are of CLOCK_MONOTONIC. */
#ifndef KVMSTATS_CLOCK_H
#define KVMSTATS_CLOCK_H

#include <stdint.h>
#include <time.h>

#define SECOND	UINT64_C(1000000000)

static inline uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + now.tv_nsec;
}

#endif /* KVMSTATS_CLOCK_H */
