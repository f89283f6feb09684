/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Arrays, time and the PID namespace, for the library and for kvm-stats. */
#ifndef KVMSTATS_BASICS_H
#define KVMSTATS_BASICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Times and intervals are in ns. Times without another name are of CLOCK_MONOTONIC. */
#define MILLISECOND	UINT64_C(1000000)
#define SECOND		UINT64_C(1000000000)

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

/* Returns the time that is left until @deadline, 0 if it has passed. */
static inline struct timespec clock_until(uint64_t deadline)
{
	uint64_t now = clock_now(), left = deadline > now ? deadline - now : 0;

	return (struct timespec){ (time_t)(left / SECOND), (long)(left % SECOND) };
}

/*
 * Grows an array, so that one more entry of @size bytes fits after the first @count ones. @capacity
 * is the number of entries that fit. Returns the array, which may have moved, or NULL if memory is
 * exhausted; then the old one is unchanged.
 */
static inline void *array_grow(void *array, size_t count, size_t *capacity, size_t size)
{
	size_t wanted = *capacity ? *capacity * 2 : 16;

	if (count < *capacity)
		return array;
	array = realloc(array, wanted * size);
	if (array)
		*capacity = wanted;
	return array;
}

/* Whether this process is in another PID namespace than the initial one, whose PIDs KVM has. */
bool kvmstats_has_other_pids(void);

#endif /* KVMSTATS_BASICS_H */
