// SPDX-License-Identifier: GPL-2.0-only
/* Count one operation: the median of many rounds, minus the cost of counting. */
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "bench.h"

#define WARM_UP	64	/* rounds that fill the caches of the allocators, for example */
#define ROUNDS	301	/* odd, so that the median is a count */

static uint64_t now(void)
{
	_mm_lfence();
	return __rdtsc();
}

static bool count_once(const struct bench_op *op, uint64_t *count)
{
	uint64_t start;
	long result;

	if (op->before)
		op->before(op->arg);
	start = now();
	result = op->run(op->arg);
	*count = now() - start;
	if (op->after)
		op->after(op->arg, result);
	if (result < 0)
		set_why("%s", strerror(-result));
	else if (op->result != ANY_RESULT && result != op->result)
		set_why("returned %ld, expected %ld", result, op->result);
	else
		return true;
	return false;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median_of_rounds(const struct bench_op *op)
{
	static uint64_t counts[ROUNDS];
	int i;

	for (i = 0; i < WARM_UP; i++)
		if (!count_once(op, &counts[0]))
			return 0;
	for (i = 0; i < ROUNDS; i++)
		if (!count_once(op, &counts[i]))
			return 0;
	qsort(counts, ROUNDS, sizeof(counts[0]), compare);
	return counts[ROUNDS / 2];
}

static long do_nothing(void *arg)
{
	(void)arg;
	return 0;
}

static uint64_t counting_overhead(void)
{
	const struct bench_op op = { .run = do_nothing };
	static uint64_t count;

	if (!count)
		count = median_of_rounds(&op);
	return count;
}

double count_op(const struct bench_op *op)
{
	uint64_t overhead = counting_overhead();
	uint64_t count = median_of_rounds(op);

	return count > overhead ? count - overhead : 0;
}
