/* SPDX-License-Identifier: GPL-2.0-only */
/* Count TSC cycles, and find the median and other percentiles of many rounds. */
#ifndef COPY_MEASURE_H
#define COPY_MEASURE_H

#include <stdint.h>
#include <stdlib.h>
#include <x86intrin.h>

static inline uint64_t now(void)
{
	_mm_lfence();
	return __rdtsc();
}

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static inline void sort_rounds(double *rounds, size_t num)
{
	qsort(rounds, num, sizeof(*rounds), compare_doubles);
}

#endif /* COPY_MEASURE_H */
