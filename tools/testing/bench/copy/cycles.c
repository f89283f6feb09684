// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure in TSC cycles how long each loop takes to copy the values of a vCPU.  All loops take
 * turns in each round, on one CPU, so that other load affects all of them.  The cycles of
 * LOOP_NOTHING are subtracted.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loops.h"
#include "measure.h"

#define ROUNDS	5001	/* odd, so that one round has the median */
#define COPIES	40	/* in each round, by each loop */

static char page[12288] __attribute__((aligned(4096)));
static double cycles[NUM_LOOPS][ROUNDS];

static double measure(enum loop loop, char *to)
{
	uint64_t start = now();
	int i;

	for (i = 0; i < COPIES; i++) {
		if (!loop_copy(loop, to)) {
			fprintf(stderr, "cycles: error: cannot copy: %s\n", loop_title(loop));
			exit(1);
		}
	}
	return (double)(now() - start) / COPIES;
}

/* Another loop is the first in each round. */
static void measure_all(char *to)
{
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < NUM_LOOPS; i++) {
			enum loop loop = (round + i) % NUM_LOOPS;

			cycles[loop][round] = measure(loop, to);
		}
	}
	for (i = 0; i < NUM_LOOPS; i++)
		sort_rounds(cycles[i], ROUNDS);
}

/* Each loop, except LOOP_NOTHING, copies all values and writes nothing else. */
static void check_all(char *to)
{
	size_t size = values_size();
	char expected[4096] = {};
	int i;

	for (i = LOOP_SERIES; i < NUM_LOOPS; i++) {
		values_set(i);
		memset(expected, i, size);
		memset(to, 0, sizeof(expected));
		loop_copy(i, to);
		if (memcmp(to, expected, sizeof(expected))) {
			fprintf(stderr, "cycles: error: copied wrong values: %s\n", loop_title(i));
			exit(1);
		}
	}
}

static void stay_on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* The cycles below which @percent of the rounds are. */
static double percentile(enum loop loop, int percent)
{
	return cycles[loop][ROUNDS * percent / 100] - cycles[LOOP_NOTHING][ROUNDS / 2];
}

static double ratio(enum loop loop)
{
	return percentile(loop, 50) / percentile(LOOP_AT_ONCE, 50);
}

static void print_loop(enum loop loop)
{
	char range[32];

	snprintf(range, sizeof(range), "%.1f to %.1f", percentile(loop, 10), percentile(loop, 90));
	printf("  %-52s %9.1f %19s %12.3f\n", loop_title(loop), percentile(loop, 50), range,
	       ratio(loop));
}

int main(void)
{
	char *to = page + 2048, title[64];
	int i;

	stay_on_one_cpu();
	check_all(to);
	measure_all(to);
	snprintf(title, sizeof(title), "Copying %zu bytes of values, natively", values_size());
	printf("%-54s %9s %19s %12s\n", title, "cycles", "80% of rounds", "to reference");
	for (i = LOOP_SERIES; i < NUM_LOOPS; i++)
		print_loop(i);
	return 0;
}
