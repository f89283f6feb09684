// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that the threads which take the CPU from a watched thread are found, on this machine's
 * kernel: this thread competes with a process for one CPU.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc.h"
#include "switches.h"
#include "tap.h"
#include "util.h"

#if HAVE_BPF

#define TEST_TIME	(SECOND / 2)

/* As in Linux 5.10: the maps do not have this operation. */
int __wrap_bpf_map_lookup_and_delete_elem(int fd, const void *key, void *value)
{
	errno = ENOTSUP;
	return -ENOTSUP;
}

static struct switches *switches;

/* Starts a process that uses the CPU of this thread, with the same policy. */
static pid_t start_taker(const char *name)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, name);
	for (;;)
		;
}

static void end_taker(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* No other threads than those of the tests compete, whatever else the machine does. */
static bool use_one_cpu(void)
{
	const struct sched_param priority = { .sched_priority = 1 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	return !sched_setaffinity(0, sizeof(cpus), &cpus) &&
	       !sched_setscheduler(0, SCHED_RR, &priority);
}

/* How long this thread has waited for a CPU, according to the kernel */
static uint64_t run_delay(void)
{
	unsigned long long ns = 0;
	char text[128];

	if (proc_read(text, sizeof(text), "thread-self/schedstat"))
		sscanf(text, "%*u %llu", &ns);
	return ns;
}

static void spin(void)
{
	uint64_t end = clock_now() + TEST_TIME;

	while (clock_now() < end)
		;
}

static void sleep_often(void)
{
	uint64_t end = clock_now() + TEST_TIME;

	while (clock_now() < end)
		usleep(1000);
}

/* The waits of this thread */
struct waits {
	uint64_t all, of_taker;		/* in ns */
	uint64_t delay;			/* according to the kernel */
	uint64_t count;
	bool others;			/* waits of another thread were counted */
	bool named;
};

static struct waits measure(void (*run)(void), pid_t taker, const char *name)
{
	struct waits waits = { 0 };
	const struct taken_cpu *taken;
	uint64_t before;
	size_t count, i;

	/* Waits count from the first time on that the thread leaves the CPU. */
	usleep(1000);
	switches_read(switches, &count);
	before = run_delay();
	run();
	usleep(1000);
	waits.delay = run_delay() - before;
	taken = switches_read(switches, &count);
	for (i = 0; i < count; i++) {
		waits.others |= taken[i].tid != getpid();
		waits.all += taken[i].ns;
		waits.count += taken[i].waits;
		if (taken[i].taker != taker)
			continue;
		waits.of_taker += taken[i].ns;
		waits.named = taken[i].taker_pid == taker && !strcmp(taken[i].name, name) &&
			      taken[i].waits;
	}
	printf("# waited %llu us: %llu us for %s, %llu us for all\n",
	       (unsigned long long)waits.delay / 1000, (unsigned long long)waits.of_taker / 1000,
	       name, (unsigned long long)waits.all / 1000);
	return waits;
}

/* The two are not read at the same time, and the program runs a bit after the scheduler's clock. */
static bool are_complete(const struct waits *waits)
{
	uint64_t tolerance = waits->delay / 100 + waits->count * 50000 + SECOND / 1000;

	return waits->all <= waits->delay + tolerance && waits->delay <= waits->all + tolerance;
}

/* A machine that is a guest itself can stop between the two clocks, so some attempts may fail. */
static struct waits measure_some_times(void (*run)(void), pid_t taker, const char *name)
{
	struct waits waits = { 0 };
	int i;

	for (i = 0; i < 5; i++) {
		waits = measure(run, taker, name);
		if (are_complete(&waits))
			break;
	}
	return waits;
}

static void test(const char *what, void (*run)(void))
{
	char name[] = "taker name";
	pid_t taker = start_taker(name);
	struct waits waits = measure_some_times(run, taker, name);

	end_taker(taker);
	tap_ok(waits.named, "%s: the process that takes the CPU is named", what);
	tap_ok(waits.of_taker > TEST_TIME / 10 && waits.of_taker >= waits.all / 4 * 3,
	       "%s: most waits are those for it", what);
	tap_ok(are_complete(&waits), "%s: all waits are those of the kernel", what);
	tap_ok(!waits.others, "%s: no other thread is watched", what);
}

static void test_alone(void)
{
	struct waits waits = measure_some_times(sleep_often, -1, "nobody");

	tap_ok(waits.all < TEST_TIME / 5 && are_complete(&waits),
	       "without the process, the thread waits little");
}

int main(void)
{
	struct message why;
	char text[MESSAGE_SIZE];

	switches = switches_open(&why);
	if (!switches)
		return tap_skip_all(message_text(&why, text, sizeof(text)));
	switches_watch(switches, getpid());
	tap_ok(use_one_cpu(), "this thread competes for one CPU");
	test("running", spin);
	test("waking up", sleep_often);
	test_alone();
	switches_close(switches);
	return tap_end();
}

#else

int main(void)
{
	return tap_skip_all("built without libbpf");
}

#endif
