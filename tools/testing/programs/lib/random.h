/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that a seed reproduces, and settings from the environment. */
#ifndef GUEST_RANDOM_H
#define GUEST_RANDOM_H

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

/* Returns the number in the environment variable @name, or @preset if it is not set. */
static inline uint64_t setting(const char *name, uint64_t preset)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : preset;
}

/* Returns the seed in the environment variable @name, or a new one if it is not set. */
static inline uint64_t random_seed(const char *name)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return setting(name, (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

#endif /* GUEST_RANDOM_H */
