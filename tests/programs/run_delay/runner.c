// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <signal.h>

#include "run_delay/runner.h"

static struct schedstat read_schedstat(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	struct schedstat stat;
	int found = file ? fscanf(file, "%llu %llu %llu", &stat.run_ns, &stat.delay_ns,
				  &stat.arrivals) : 0;

	if (found != 3)
		fail("/proc/thread-self/schedstat cannot be read");
	fclose(file);
	return stat;
}

bool schedstat_exists(void)
{
	return !access("/proc/thread-self/schedstat", F_OK);
}

void run_guest(struct guest *guest)
{
	if (ioctl(guest->vcpu, KVM_RUN, 0) < 0 && errno != EINTR)
		fail("KVM_RUN: %s", strerror(errno));
}

/* The guest exits once before it executes the code of the runner. */
static const struct guest_action first_exit;

void runner_create(struct runner *runner, const void *code, size_t size)
{
	/* With an exit reason, guest_append() appends nothing after the code. */
	struct guest_action action = { .code = code, .size = size, .exit_reason = KVM_EXIT_INTR };

	memset(runner, 0, sizeof(*runner));
	runner->run = run_guest;
	must(guest_create(&runner->guest));
	guest_append(&runner->guest, &first_exit, 1);
	guest_append(&runner->guest, &action, 1);
}

void runner_destroy(struct runner *runner)
{
	guest_destroy(&runner->guest);
}

/* KVM adds the time in user space when KVM_RUN begins. This KVM_RUN returns at once. */
static void flush(const struct runner *runner)
{
	if (!runner->flush)
		return;
	runner->guest.run->immediate_exit = 1;
	if (ioctl(runner->guest.vcpu, KVM_RUN, 0) >= 0 || errno != EINTR)
		fail("KVM_RUN does not return at once");
	runner->guest.run->immediate_exit = 0;
}

/*
 * Stores when the thread flushed. It flushes again if it loses its CPU before its waits are read,
 * so that the statistics and the waits are those at the same time.
 */
static struct schedstat flush_and_read_waits(const struct runner *runner, long long *at)
{
	struct schedstat before, after;
	int tries = 0;

	do {
		before = read_schedstat();
		flush(runner);
		*at = ns_now();
		after = read_schedstat();
	} while (after.arrivals != before.arrivals && ++tries < 100);
	return after;
}

static void *run_thread(void *arg)
{
	struct runner *runner = arg;
	long long start, end, flushed;

	pin(pthread_self(), runner->cpu);
	/* Exit statistics count from the first entry, in this thread. */
	must(guest_run(&runner->guest, &first_exit, 1));
	runner->before = flush_and_read_waits(runner, &start);
	read_stats(runner->guest.vcpu, &runner->stats.before);
	runner->measures = true;
	while (!runner->stop)
		runner->run(&runner->guest);
	end = ns_now();
	runner->after = flush_and_read_waits(runner, &flushed);
	runner->ns = flushed - start;
	runner->tail_ns = ns_now() - end;
	read_stats(runner->guest.vcpu, &runner->stats.after);
	runner->ended = true;
	return NULL;
}

static void start(struct runner *runner)
{
	runner->stop = false;
	runner->measures = false;
	runner->ended = false;
	if (pthread_create(&runner->thread, NULL, run_thread, runner))
		fail("a thread cannot be created");
}

/* A signal that comes right before KVM_RUN does not end it, so repeat the signal. */
static void end(struct runner *runner)
{
	runner->stop = true;
	while (!runner->ended) {
		pthread_kill(runner->thread, SIGUSR1);
		ms_sleep(20);
	}
	pthread_join(runner->thread, NULL);
}

void runners_run(struct runner *runners, unsigned int num, long ms,
		 void (*meanwhile)(struct runner *runners))
{
	long long deadline;
	unsigned int i;

	catch_signal(SIGUSR1);
	for (i = 0; i < num; i++)
		start(&runners[i]);
	/* On a slow machine, the thread of a vCPU can wait longer for its CPU than @ms. */
	for (i = 0; i < num; i++) {
		while (!runners[i].measures)
			ms_sleep(1);
	}
	deadline = ms_now() + ms;
	while (ms_now() < deadline) {
		ms_sleep(20);
		if (meanwhile)
			meanwhile(runners);
	}
	for (i = 0; i < num; i++)
		end(&runners[i]);
}

uint64_t grown(const struct runner *runner, const char *name)
{
	return change_of(&runner->stats, name);
}
