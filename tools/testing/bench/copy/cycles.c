// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure each way to copy in TSC cycles: "NAME MEDIAN LOW HIGH", where 80 % of the
 * rounds are between LOW and HIGH.  All ways take turns in each round, on one CPU, so
 * that whatever else the machine does concerns all of them.  The cycles of
 * copy_nothing are subtracted.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "loops.h"

#define ROUNDS	5001
#define TIMES	40	/* copies in a round */

static char page[8192] __attribute__((aligned(4096)));
static double cycles[NUM_COPY_WAYS][ROUNDS];

static uint64_t now(void)
{
	_mm_lfence();
	return __rdtsc();
}

static double measure(int way, char *to)
{
	uint64_t start = now();
	int i;

	for (i = 0; i < TIMES; i++) {
		if (!copy_values(way, to)) {
			fprintf(stderr, "%s: cannot copy\n", copy_name(way));
			exit(1);
		}
	}
	return (double)(now() - start) / TIMES;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Every way starts first in some rounds. */
static void measure_all(char *to)
{
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < NUM_COPY_WAYS; i++) {
			int way = (round + i) % NUM_COPY_WAYS;

			cycles[way][round] = measure(way, to);
		}
	}
	for (i = 0; i < NUM_COPY_WAYS; i++)
		qsort(cycles[i], ROUNDS, sizeof(cycles[i][0]), compare);
}

/* Every way but the first one copies all values, and nothing else. */
static void check_all(char *to)
{
	size_t size = copy_size();
	char expected[2048] = {};
	int i;

	for (i = 1; i < NUM_COPY_WAYS; i++) {
		copy_set_values(i);
		memset(expected, i, size);
		memset(to, 0, sizeof(expected));
		copy_values(i, to);
		if (memcmp(to, expected, sizeof(expected))) {
			fprintf(stderr, "%s: copied wrong values\n", copy_name(i));
			exit(1);
		}
	}
}

static void pin(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

int main(void)
{
	char *to = page + 2048;
	double nothing;
	int i;

	pin();
	check_all(to);
	measure_all(to);
	nothing = cycles[0][ROUNDS / 2];
	printf("copy_bytes %zu\n", copy_size());
	for (i = 1; i < NUM_COPY_WAYS; i++)
		printf("%s %.1f %.1f %.1f\n", copy_name(i), cycles[i][ROUNDS / 2] - nothing,
		       cycles[i][ROUNDS / 10] - nothing, cycles[i][ROUNDS * 9 / 10] - nothing);
	return 0;
}
