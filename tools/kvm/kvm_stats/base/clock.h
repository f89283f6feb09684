/* SPDX-License-Identifier: GPL-2.0-only */
/* Times and intervals are in ns, times are of CLOCK_MONOTONIC. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define MILLISECOND	UINT64_C(1000000)
#define SECOND		UINT64_C(1000000000)

uint64_t clock_now(void);

/* Returns the time that is left until @deadline, 0 if it has passed. */
static inline struct timespec clock_until(uint64_t deadline)
{
	uint64_t now = clock_now();
	uint64_t left = deadline > now ? deadline - now : 0;

	return (struct timespec){ (time_t)(left / SECOND), (long)(left % SECOND) };
}

#endif /* BASE_CLOCK_H */
