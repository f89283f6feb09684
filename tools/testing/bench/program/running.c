// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open the statistics file of a vCPU that is in KVM_RUN. Mainline waits until KVM_RUN returns, so
 * a timer interrupts KVM_RUN. Idle time counts as well: under emulation with -icount shift=0 the
 * TSC advances by one in a nanosecond.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "bench.h"

#define START_US	1000	/* until the vCPU halts */
#define RUN_US		10000	/* from then on until KVM_RUN returns */

/* Interrupts are disabled, so the vCPU stays halted in KVM_RUN. */
static const uint8_t halt[] = { 0xf4 };

struct running {
	struct guest guest;
	pthread_t thread;
	sem_t begin, end;	/* of each KVM_RUN */
	long result;		/* of the last one */
};

static void on_signal(int sig)
{
	(void)sig;
}

static void *run_vcpu(void *arg)
{
	static const struct itimerval limit = { .it_value.tv_usec = START_US + RUN_US };
	struct running *running = arg;

	for (;;) {
		sem_wait(&running->begin);
		setitimer(ITIMER_REAL, &limit, NULL);
		running->result = guest_run(&running->guest);
		sem_post(&running->end);
	}
	return NULL;
}

static void enter_guest(void *arg)
{
	struct running *running = arg;

	sem_post(&running->begin);
	usleep(START_US);
}

static long get_stats(void *arg)
{
	const struct running *running = arg;

	return kernel_call(SYS_ioctl, running->guest.vcpu, KVM_GET_STATS_FD, 0, 0, 0, 0);
}

static void leave_guest(void *arg, long result)
{
	struct running *running = arg;

	if (result >= 0)
		close(result);
	sem_wait(&running->end);
}

/* Only the thread of the vCPU receives the signal of the timer. */
static bool start(struct running *running)
{
	const struct sigaction action = { .sa_handler = on_signal };
	sigset_t alarm;
	int error;

	if (!guest_create(&running->guest, WITH_X2APIC, halt, sizeof(halt)))
		return false;
	sem_init(&running->begin, 0, 0);
	sem_init(&running->end, 0, 0);
	sigaction(SIGALRM, &action, NULL);
	error = pthread_create(&running->thread, NULL, run_vcpu, running);
	if (error) {
		set_why("cannot create a thread: %s", strerror(error));
		return false;
	}
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	return true;
}

static void stop(struct running *running)
{
	pthread_cancel(running->thread);
	pthread_join(running->thread, NULL);
	guest_destroy(&running->guest);
}

static void run(void)
{
	static struct running running;
	double count;

	if (!start(&running)) {
		row_failed(group_running.rows);
		return;
	}
	count = count_op(&(struct bench_op) {
		.before = enter_guest, .run = get_stats, .after = leave_guest,
		.arg = &running, .result = ANY_RESULT,
	});
	if (running.result != -EINTR)
		set_why("KVM_RUN returned %ld, expected -EINTR", running.result);
	if (count > 0 && running.result == -EINTR)
		row_value(group_running.rows, count);
	else
		row_failed(group_running.rows);
	stop(&running);
}

const struct bench_group group_running = {
	.run = run,
	.rows = "getfd_running",
	.needs_stats = true,
};
