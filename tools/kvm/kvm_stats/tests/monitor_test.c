// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples VMMs again and again: monitor_test PID|all SAMPLES
 *
 * One each millisecond.  Tells what a sample and its sums take of a CPU.  Fails if memory
 * grows, or if anything is allocated for samples between which nobody looked at /proc.
 * To be linked with --wrap for malloc, calloc and realloc.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "monitor.h"
#include "total.h"

#define WARM_UP	100

/* A look for new VMMs and one at known ones each second, one at all fds every five. */
#define LOOKS_PER_SECOND	3

static unsigned long allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	allocations++;
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	allocations++;
	return __real_realloc(old, size);
}

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long resident_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long size, resident = -1;

	if (file && fscanf(file, "%ld %ld", &size, &resident) != 2)
		resident = -1;
	if (file)
		fclose(file);
	return resident;
}

static size_t in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* How many of the samples allocated something, or -1. */
static long sample(struct monitor *monitor, struct totals *totals, unsigned long count)
{
	long allocating = 0;

	while (count--) {
		unsigned long before = allocations;

		if (monitor_sample(monitor) || totals_update(totals))
			return -1;
		allocating += allocations != before;
		usleep(1000);
	}
	return allocating;
}

static int test(struct monitor *monitor, struct totals *totals, unsigned long count)
{
	double cpu, time, allowed;
	size_t before, after;
	long early, late, allocating;

	if (sample(monitor, totals, WARM_UP) < 0 || !monitor_targets(monitor)) {
		printf("nothing to sample\n");
		return 1;
	}
	before = in_use();
	early = resident_pages();
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	time = seconds(CLOCK_MONOTONIC);
	allocating = sample(monitor, totals, count);
	cpu = (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (double)count;
	time = seconds(CLOCK_MONOTONIC) - time;
	after = in_use();
	late = resident_pages();
	allowed = (time + 1) * LOOKS_PER_SECOND * (double)monitor->vmms;
	printf("%zu VMMs, %zu targets, %lu samples in %.1f s\n", monitor->vmms,
	       monitor_targets(monitor), count, time);
	printf("%.6f s of CPU each, or %.2f %% of a CPU at 4 a second\n", cpu, cpu * 400);
	printf("in use: %zu bytes before, %zu after; resident: %ld pages before, %ld after\n",
	       before, after, early, late);
	printf("%ld samples allocated something, at most %.0f may\n", allocating, allowed);
	/*
	 * What is kept for the next look at /proc may have grown with the processes there are, and
	 * holes that VMMs left behind may not fit.
	 */
	return allocating < 0 || (double)allocating > allowed || after > before + 65536 ||
	       late > early + 64 + early / 20;
}

int main(int argc, char **argv)
{
	struct filter filter = { 0 };
	struct monitor_options options = { .filter = &filter };
	struct monitor *monitor;
	struct totals *totals;
	int failed;

	if (argc != 3)
		return 2;
	if (strcmp(argv[1], "all") && !filter_set_pid(&filter, atoi(argv[1])))
		return 2;
	if (monitor_open(&monitor, &options) || totals_open(&totals, monitor, NULL, NULL))
		return 1;
	failed = test(monitor, totals, strtoul(argv[2], NULL, 10));
	totals_close(totals);
	monitor_close(monitor);
	filter_free(&filter);
	return failed;
}
