// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples VMMs for a long time and checks that the monitor does not leak memory or files.
 *
 * usage: monitor_memory PID SAMPLES
 *        monitor_memory all SAMPLES [PROGRAM [ARGUMENT]...]
 *
 * It samples the VMM PID, or all VMMs, once per millisecond. In the meantime it starts and ends
 * the VMM PROGRAM, if given, repeatedly. It prints the CPU time of a sample, including the
 * totals. It fails if more memory or files are in use afterwards, or if samples allocate memory
 * although the monitor did not scan /proc for them.
 *
 * Link it with --wrap for malloc, calloc and realloc. With "all", run it in a PID namespace of
 * its own, because the monitor allocates memory for each process of the machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "memory_use.h"
#include "model.h"
#include "sums.h"
#include "temporary_vmm.h"

/*
 * In seconds. The monitor scans the fds of a VMM every five seconds. For thousands of targets
 * that takes longer, because the monitor limits the CPU time for scans.
 */
#define WARM_UP(targets)	(6 + (double)(targets) / 200)
#define STAY		200	/* samples after each start and each end of the temporary VMM */
#define MAX_WAIT	20000	/* samples within which the monitor must find or release it */
#define PAGE		4096

/*
 * Samples per second in which the monitor may allocate memory: in one it searches for VMMs, in
 * one it checks the known VMMs, and every five seconds it scans them.
 */
#define SCANS_PER_SECOND	3

/* If each of ten starts of the temporary VMM leaks a block, at least 32 bytes, that is more. */
#define SLACK_BYTES	256

/* The process may write to this many pages of its stack and data only after the warm-up. */
#define SLACK_PAGES	16

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

struct run {
	struct monitor *monitor;
	struct totals *totals;
	struct temporary_vmm temporary;
	size_t residents;		/* VMMs that do not end */
	unsigned long starts;		/* how often the temporary VMM was started and ended */
	unsigned long samples;
	unsigned long allocating;	/* samples that allocated memory */
	size_t most_in_use;
};

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool sample(struct run *run, unsigned long count)
{
	while (count--) {
		unsigned long before = allocations;
		size_t in_use;

		if (monitor_sample(run->monitor) || totals_update(run->totals))
			return false;
		run->samples++;
		run->allocating += allocations != before;
		in_use = memory_in_use();
		if (in_use > run->most_in_use)
			run->most_in_use = in_use;
		usleep(1000);
	}
	return true;
}

static bool sample_until(struct run *run, size_t vmms)
{
	unsigned long wait = MAX_WAIT;

	while (run->monitor->vmms != vmms) {
		if (!wait-- || !sample(run, 1))
			return false;
	}
	return true;
}

static bool start_and_end(struct run *run)
{
	bool good;

	temporary_start(&run->temporary);
	good = sample_until(run, run->residents + 1) && sample(run, STAY);
	temporary_end(&run->temporary);
	run->starts++;
	return good && sample_until(run, run->residents) && sample(run, STAY);
}

static bool sample_all(struct run *run, unsigned long count)
{
	while (run->samples < count) {
		if (run->temporary.argv ? !start_and_end(run) : !sample(run, 1))
			return false;
	}
	return true;
}

/* Does everything once, so that the test does not count memory that is allocated only once. */
static bool warm_up(struct run *run)
{
	double end = seconds(CLOCK_MONOTONIC) + WARM_UP(monitor_targets(run->monitor));

	if (!monitor_targets(run->monitor)) {
		printf("there is no VMM to sample; start one first\n");
		return false;
	}
	while (seconds(CLOCK_MONOTONIC) < end) {
		if (!sample(run, 1))
			return false;
	}
	run->residents = run->monitor->vmms;
	if (run->temporary.argv && !start_and_end(run)) {
		printf("the monitor did not find and release %s\n", run->temporary.argv[0]);
		return false;
	}
	run->samples = 0;
	run->allocating = 0;
	run->starts = 0;
	return true;
}

/*
 * The allocator does not return freed memory inside the heap to the kernel. The size of these
 * holes is at most the largest amount in use minus the amount in use at the end.
 */
static bool has_not_grown(const struct run *run, const struct memory_use *early,
			  const struct memory_use *late)
{
	long holes = (long)(run->most_in_use - late->in_use + PAGE - 1) / PAGE;

	memory_use_print("before", early);
	memory_use_print("after", late);
	printf("at most %zu bytes were in use, so up to %ld pages are holes\n", run->most_in_use,
	       holes);
	return late->in_use <= early->in_use + SLACK_BYTES && late->maps <= early->maps &&
	       late->files <= early->files &&
	       late->anonymous <= early->anonymous + holes + SLACK_PAGES;
}

/*
 * When the temporary VMM starts and ends, the monitor also allocates memory, in at most four
 * samples.
 */
static bool allocates_seldom(const struct run *run, double time)
{
	double scans = (time + 1) * SCANS_PER_SECOND * (double)(run->residents + 1);
	double allowed = scans + 4.0 * (double)run->starts;

	printf("%lu samples allocated memory, at most %.0f may\n", run->allocating, allowed);
	return (double)run->allocating <= allowed;
}

static int test(struct run *run, unsigned long count)
{
	struct memory_use early, late;
	double cpu, time;
	bool good;

	if (!warm_up(run))
		return 1;
	early = memory_use();
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	time = seconds(CLOCK_MONOTONIC);
	good = sample_all(run, count);
	cpu = (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (double)run->samples;
	time = seconds(CLOCK_MONOTONIC) - time;
	late = memory_use();
	printf("%zu VMMs, %zu targets, %lu samples in %.1f s; another VMM was started %lu times\n",
	       run->residents, monitor_targets(run->monitor), run->samples, time, run->starts);
	printf("%.6f s of CPU time per sample, or %.2f %% of a CPU at 4 samples per second\n", cpu,
	       cpu * 400);
	good &= has_not_grown(run, &early, &late);
	return good && allocates_seldom(run, time) ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct filter filter = { 0 };
	struct monitor_options options = { .filter = &filter };
	struct run run = { 0 };
	int failed;

	if (argc < 3)
		return 2;
	disable_malloc_cache(argv);
	setvbuf(stdout, NULL, _IONBF, 0);
	if (strcmp(argv[1], "all") && !filter_set_pid(&filter, atoi(argv[1])))
		return 2;
	run.temporary.argv = argc > 3 ? argv + 3 : NULL;
	if (monitor_open(&run.monitor, &options))
		return 1;
	run.totals = totals_open(run.monitor, NULL, NULL);
	if (!run.totals)
		return 1;
	failed = test(&run, strtoul(argv[2], NULL, 10));
	temporary_end(&run.temporary);
	totals_close(run.totals);
	monitor_close(run.monitor);
	filter_free(&filter);
	return failed;
}
