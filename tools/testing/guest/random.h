/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that a seed repeats, and settings from the environment. */
#ifndef BOOT_TESTS_RANDOM_H
#define BOOT_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* splitmix64 */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *wanted = getenv(name);

	return wanted ? strtoull(wanted, NULL, 0) : otherwise;
}

static inline uint64_t random_seed(const char *name)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return setting(name, (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

#endif /* BOOT_TESTS_RANDOM_H */
