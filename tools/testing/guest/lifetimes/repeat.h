/* SPDX-License-Identifier: GPL-2.0-only */
/* Run checks for a VM and for a vCPU, LIFETIMES_COUNT times (default: 1). */
#ifndef LIFETIMES_REPEAT_H
#define LIFETIMES_REPEAT_H

#include "lib/run_suites.h"
#include "lifetimes/setup.h"

static inline unsigned long lifetimes_count(void)
{
	const char *value = getenv("LIFETIMES_COUNT");
	unsigned long count = value ? strtoul(value, NULL, 0) : 1;

	if (count && count <= 10000)
		return count;
	printf("Bail out! LIFETIMES_COUNT=%s, expected 1 to 10000\n", value);
	exit(1);
}

static inline void run_repeatedly(const struct stats_check *checks, size_t num)
{
	const struct stats_suite vm = { "vm", -1, checks, num, lifetimes_set_up };
	const struct stats_suite vcpu = { "vcpu", STATS_VCPU_ID, checks, num,
					  lifetimes_set_up };
	unsigned long i, count = lifetimes_count();
	struct stats_suite suites[2 * count];

	for (i = 0; i < count; i++) {
		suites[2 * i] = vm;
		suites[2 * i + 1] = vcpu;
	}
	run_suites(suites, 2 * count);
}

#endif /* LIFETIMES_REPEAT_H */
