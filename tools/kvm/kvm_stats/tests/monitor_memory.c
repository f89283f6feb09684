// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples VMMs again and again: monitor_test PID|all SAMPLES [PROGRAM [ARGUMENT]...]
 *
 * One each millisecond, and meanwhile the VMM that PROGRAM is comes and goes.  Tells what a
 * sample and its sums take of a CPU.  Fails if afterwards more memory or files are in use, or if
 * anything is allocated for samples between which nobody looked at /proc.  To be linked with
 * --wrap for malloc, calloc and realloc.
 *
 * With "all", what is kept of the processes there are grows with them: to be run in a PID
 * namespace of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "memory_use.h"
#include "monitor.h"
#include "passing_vmm.h"
#include "total.h"

/*
 * All fds of a VMM are looked at every five seconds, for the first time then; of thousands it
 * takes a while more, because little time is spent on it.
 */
#define WARM_UP(targets)	(6 + (double)(targets) / 200)
#define STAY		200	/* samples that a passing VMM is there for, and is away for */
#define PATIENCE	20000	/* samples until it has been seen, or is gone */
#define PAGE		4096

/* A look for new VMMs and one at known ones each second, one at all fds every five. */
#define LOOKS_PER_SECOND	3

/* Less than a leak of one block, of 32 bytes at least, at each of ten comings and goings. */
#define SLACK_BYTES	256

/* Pages of the stack and of data that are first written to after the warm-up. */
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
	struct passing_vmm passing;
	size_t residents;		/* VMMs that stay */
	unsigned long passed;		/* how often the other one came and went */
	unsigned long samples;
	unsigned long allocating;	/* samples that allocated something */
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
	unsigned long patience = PATIENCE;

	while (run->monitor->vmms != vmms) {
		if (!patience-- || !sample(run, 1))
			return false;
	}
	return true;
}

static bool let_pass(struct run *run)
{
	bool good;

	passing_start(&run->passing);
	good = sample_until(run, run->residents + 1) && sample(run, STAY);
	passing_end(&run->passing);
	run->passed++;
	return good && sample_until(run, run->residents) && sample(run, STAY);
}

static bool sample_all(struct run *run, unsigned long count)
{
	while (run->samples < count) {
		if (run->passing.argv ? !let_pass(run) : !sample(run, 1))
			return false;
	}
	return true;
}

/* All that is done later has been done once, and has the memory that it keeps. */
static bool warm_up(struct run *run)
{
	double end = seconds(CLOCK_MONOTONIC) + WARM_UP(monitor_targets(run->monitor));

	if (!monitor_targets(run->monitor)) {
		printf("nothing to sample\n");
		return false;
	}
	while (seconds(CLOCK_MONOTONIC) < end) {
		if (!sample(run, 1))
			return false;
	}
	run->residents = run->monitor->vmms;
	if (run->passing.argv && !let_pass(run)) {
		printf("%s was not seen to come and go\n", run->passing.argv[0]);
		return false;
	}
	run->samples = run->allocating = run->passed = 0;
	return true;
}

/*
 * The allocator keeps what it once got, with holes: at most what was in use at one time more than
 * at the end.
 */
static bool has_not_grown(const struct run *run, const struct memory_use *early,
			  const struct memory_use *late)
{
	long holes = (long)(run->most_in_use - late->in_use + PAGE - 1) / PAGE;

	memory_use_print("before", early);
	memory_use_print("after", late);
	printf("at most %zu bytes were in use: up to %ld pages of holes\n", run->most_in_use,
	       holes);
	return late->in_use <= early->in_use + SLACK_BYTES && late->maps <= early->maps &&
	       late->files <= early->files &&
	       late->anonymous <= early->anonymous + holes + SLACK_PAGES;
}

/* Attaching to a VMM that comes allocates in some samples, too, and so does its end. */
static bool allocates_seldom(const struct run *run, double time)
{
	double looks = (time + 1) * LOOKS_PER_SECOND * (double)(run->residents + 1);
	double allowed = looks + 4.0 * (double)run->passed;

	printf("%lu samples allocated something, at most %.0f may\n", run->allocating, allowed);
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
	printf("%zu VMMs, %zu targets, %lu samples in %.1f s; another came and went %lu times\n",
	       run->residents, monitor_targets(run->monitor), run->samples, time, run->passed);
	printf("%.6f s of CPU each, or %.2f %% of a CPU at 4 a second\n", cpu, cpu * 400);
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
	memory_exact(argv);
	setvbuf(stdout, NULL, _IONBF, 0);
	if (strcmp(argv[1], "all") && !filter_set_pid(&filter, atoi(argv[1])))
		return 2;
	run.passing.argv = argc > 3 ? argv + 3 : NULL;
	if (monitor_open(&run.monitor, &options) ||
	    totals_open(&run.totals, run.monitor, NULL, NULL))
		return 1;
	failed = test(&run, strtoul(argv[2], NULL, 10));
	passing_end(&run.passing);
	totals_close(run.totals);
	monitor_close(run.monitor);
	filter_free(&filter);
	return failed;
}
