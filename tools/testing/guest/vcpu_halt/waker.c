// SPDX-License-Identifier: GPL-2.0-only
/* Let a vCPU halt. A second thread ends each halt by a signal. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include "vcpu_halt/vcpu_halt.h"

#define WARM_UP		2
#define TIME_LIMIT_MS	20000	/* for a vCPU to halt; enough for emulated machines */

/* The thread that ends the halts. */
struct waker {
	const struct guest *guest;
	pthread_t runner;	/* the thread that runs the vCPU */
	pid_t runner_tid;
	uint64_t sleeps;	/* of the runner before the halt */
	sem_t halts;		/* counts the halts that the waker has yet to end */
	unsigned int missed;	/* halts in which the vCPU did not block in time */
};

static void on_signal(int sig)
{
	(void)sig;
}

/* Returns how often the thread has gone to sleep. */
static uint64_t sleeps_of(pid_t tid)
{
	char path[64], line[128];
	unsigned long sleeps = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &sleeps) == 1)
			break;
	fclose(file);
	return sleeps;
}

static bool is_blocking(const struct guest *guest)
{
	static struct stats stats;
	uint64_t blocking;

	return read_stats(guest->vcpu, &stats) && value_of(&stats, "blocking", &blocking) &&
	       blocking == 1;
}

/* `blocking` is already 1 while the thread checks for the last time whether it must sleep. */
static bool is_asleep(const struct waker *waker)
{
	return is_blocking(waker->guest) && sleeps_of(waker->runner_tid) > waker->sleeps;
}

static void *end_halts(void *arg)
{
	struct waker *waker = arg;

	for (;;) {
		int left = TIME_LIMIT_MS;

		while (sem_wait(&waker->halts))
			continue;
		while (left-- && !is_asleep(waker))
			usleep(1000);
		if (left < 0)
			waker->missed++;
		pthread_kill(waker->runner, SIGUSR1);
	}
	return NULL;
}

static bool start_waker(struct waker *waker, const struct guest *guest)
{
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	waker->guest = guest;
	waker->runner = pthread_self();
	waker->runner_tid = gettid();
	sem_init(&waker->halts, 0, 0);
	return !pthread_create(&thread, NULL, end_halts, waker) || fail("pthread_create failed");
}

static bool halt_repeatedly(struct guest *guest, struct waker *waker, unsigned int times)
{
	while (times--) {
		waker->sleeps = sleeps_of(waker->runner_tid);
		sem_post(&waker->halts);
		if (ioctl(guest->vcpu, KVM_RUN, 0) >= 0 || errno != EINTR)
			return fail("KVM_RUN ends without a signal, exit reason %u: %s",
				    guest->run->exit_reason, strerror(errno));
		if (waker->missed)
			return fail("the vCPU did not block within %d ms", TIME_LIMIT_MS);
	}
	return true;
}

bool halt_and_read(struct guest *guest, const struct guest_action *halt,
		   struct outcome *outcome)
{
	static struct waker waker;

	guest_append(guest, halt, WARM_UP + HALT_TIMES);
	return start_waker(&waker, guest) && halt_repeatedly(guest, &waker, WARM_UP) &&
	       read_stats(guest->vcpu, &outcome->before) &&
	       halt_repeatedly(guest, &waker, HALT_TIMES) &&
	       read_stats(guest->vcpu, &outcome->after);
}
