// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>

#include "lib/clock.h"
#include "run_delay/runner.h"

static void on_signal(int sig)
{
	(void)sig;
}

static bool read_schedstat(struct schedstat *stat)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	int found;

	if (!file)
		return false;
	found = fscanf(file, "%llu %llu %llu", &stat->run_ns, &stat->delay_ns, &stat->arrivals);
	fclose(file);
	return found == 3;
}

bool schedstat_exists(void)
{
	struct schedstat stat;

	return read_schedstat(&stat);
}

bool run_guest(struct guest *guest)
{
	if (ioctl(guest->vcpu, KVM_RUN, 0) < 0 && errno != EINTR)
		return fail("KVM_RUN: %s", strerror(errno));
	return true;
}

/* The guest exits once before it executes the code of the runner. */
static const struct guest_action first_exit;

bool runner_create(struct runner *runner, const void *code, size_t size)
{
	/* With an exit reason, guest_append() appends nothing after the code. */
	struct guest_action action = { .code = code, .size = size, .exit_reason = KVM_EXIT_INTR };
	const char *message;

	memset(runner, 0, sizeof(*runner));
	runner->run = run_guest;
	message = guest_create(&runner->guest);
	if (message)
		return fail("%s", message);
	guest_append(&runner->guest, &first_exit, 1);
	guest_append(&runner->guest, &action, 1);
	return true;
}

void runner_destroy(struct runner *runner)
{
	guest_destroy(&runner->guest);
}

void pin(pthread_t thread, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(thread, sizeof(set), &set);
}

/* Exit statistics count from the first entry, in this thread. */
static bool enter_guest(struct guest *guest)
{
	const char *message = guest_run(guest, &first_exit, 1);

	return !message || fail("%s", message);
}

/* KVM adds the time in user space when KVM_RUN begins. This KVM_RUN returns at once. */
static bool flush(const struct runner *runner)
{
	bool ok = true;

	if (runner->flush) {
		runner->guest.run->immediate_exit = 1;
		ok = ioctl(runner->guest.vcpu, KVM_RUN, 0) < 0 && errno == EINTR;
		runner->guest.run->immediate_exit = 0;
	}
	return ok || fail("KVM_RUN does not return at once");
}

static bool measure(struct runner *runner)
{
	int vcpu = runner->guest.vcpu;
	long long start, end;

	if (!enter_guest(&runner->guest) || !flush(runner))
		return false;
	start = ns_now();
	if (!read_stats(vcpu, &runner->stats.before))
		return false;
	if (!read_schedstat(&runner->before))
		return fail("/proc/thread-self/schedstat cannot be read");
	runner->measures = true;
	while (!runner->stop) {
		if (!runner->run(&runner->guest))
			return false;
	}
	end = ns_now();
	if (!flush(runner))
		return false;
	runner->ns = ns_now() - start;
	if (!read_schedstat(&runner->after))
		return fail("/proc/thread-self/schedstat cannot be read");
	runner->tail_ns = ns_now() - end;
	return read_stats(vcpu, &runner->stats.after);
}

static void *run_thread(void *arg)
{
	struct runner *runner = arg;

	pin(pthread_self(), runner->cpu);
	runner->failed = !measure(runner);
	runner->ended = true;
	return NULL;
}

static bool start(struct runner *runner)
{
	runner->stop = false;
	runner->measures = false;
	runner->ended = false;
	if (pthread_create(&runner->thread, NULL, run_thread, runner))
		return fail("a thread cannot be created");
	return true;
}

/* A signal that comes right before KVM_RUN does not end it, so repeat the signal. */
static bool end(struct runner *runner)
{
	runner->stop = true;
	while (!runner->ended) {
		pthread_kill(runner->thread, SIGUSR1);
		ms_sleep(20);
	}
	pthread_join(runner->thread, NULL);
	return !runner->failed;
}

bool runners_run(struct runner *runners, unsigned int num, long ms,
		 void (*meanwhile)(struct runner *runners))
{
	struct sigaction action = { .sa_handler = on_signal };
	unsigned int started, i;
	long long deadline;
	bool ok = true;

	sigaction(SIGUSR1, &action, NULL);
	for (started = 0; started < num && ok; started++)
		ok = start(&runners[started]);
	/* On a slow machine, the thread of a vCPU can wait longer for its CPU than @ms. */
	for (i = 0; i < started; i++) {
		while (!runners[i].measures && !runners[i].ended)
			ms_sleep(1);
	}
	deadline = ms_now() + ms;
	while (ok && ms_now() < deadline) {
		ms_sleep(20);
		if (meanwhile)
			meanwhile(runners);
	}
	for (i = 0; i < started; i++)
		ok = end(&runners[i]) && ok;
	return ok;
}

uint64_t grown(const struct runner *runner, const char *name)
{
	uint64_t by = 0;

	change_of(&runner->stats, name, &by);
	return by;
}
