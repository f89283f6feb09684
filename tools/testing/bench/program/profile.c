// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run one operation while the emulator logs each instruction.  BENCH_PROFILE in the
 * environment is the name of its row.  The markers show where the operation starts and
 * ends in the log.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define WARM_UP	64
#define TIMES	5	/* some of them are interrupted */

/* In seconds: the script waits for the line "ready" and then turns the log on. */
#define PAUSE	3

__attribute__((noinline)) void profile_begin(void)
{
	asm volatile("");
}

__attribute__((noinline)) void profile_end(void)
{
	asm volatile("");
}

static void print_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		printf("# symbol %s", line);
	if (file)
		fclose(file);
}

static bool run_once(const struct bench_op *op, bool marked)
{
	long result;

	if (op->before)
		op->before(op->arg);
	if (marked)
		profile_begin();
	result = op->run(op->arg);
	if (marked)
		profile_end();
	if (op->after)
		op->after(op->arg, result);
	if (result < 0)
		set_why("%s", strerror(-result));
	return result >= 0;
}

static bool run_times(const struct bench_op *op, int times, bool marked)
{
	while (times--)
		if (!run_once(op, marked))
			return false;
	return true;
}

bool profiling(void)
{
	return getenv("BENCH_PROFILE");
}

bool profile_is_wanted(const char *row)
{
	return profiling() && !strcmp(getenv("BENCH_PROFILE"), row);
}

bool profile_op(const struct bench_op *op)
{
	bool ok;

	ok = run_times(op, WARM_UP, false);
	print_symbols();
	printf("# ready\n");
	fflush(stdout);
	sleep(PAUSE);
	ok = ok && run_times(op, TIMES, true);
	printf("# done\n");
	fflush(stdout);
	sleep(PAUSE);
	return ok;
}
