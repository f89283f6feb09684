// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <sys/time.h>

#include <linux/compiler.h>

#include "kvm_stats_workload.h"

#define SIGNAL_PERIOD	5000	/* microseconds */

/* The guest */

/* Written by the VMM. */
static uint64_t guest_work;

static uint64_t guest_spins;
static uint64_t guest_waits;

static void guest_main(void)
{
	int i;

	for (;;) {
		while (READ_ONCE(guest_work) == GUEST_SPIN)
			WRITE_ONCE(guest_spins, guest_spins + 1);
		while (READ_ONCE(guest_work) == GUEST_WAIT) {
			WRITE_ONCE(guest_waits, guest_waits + 1);
			stats_guest_wait_once();
		}
		for (i = 0; i < STATS_TIMES; i++)
			stats_events[READ_ONCE(guest_work)].once();
		GUEST_DONE();
	}
}

struct kvm_vm *stats_create_vm(void)
{
	struct kvm_vm *vm = vm_create_default(IDLE_VCPU_ID, 0, guest_main);

	vm_vcpu_add_default(vm, VCPU_ID, guest_main);
	ucall_init(vm, NULL);
	stats_arch_prepare(vm);
	return vm;
}

static void set_work(struct kvm_vm *vm, unsigned int work)
{
	WRITE_ONCE(*stats_in_guest(vm, guest_work), work);
}

/* Signals */

static void ignore_signal(int sig)
{
}

/* Sends SIGALRM to this process periodically; 0 turns that off. */
static void set_alarm_period(suseconds_t microseconds)
{
	const struct itimerval period = {
		.it_value.tv_usec = microseconds,
		.it_interval.tv_usec = microseconds,
	};
	struct sigaction action = { .sa_handler = ignore_signal };

	TEST_ASSERT(!sigaction(SIGALRM, &action, NULL) &&
		    !setitimer(ITIMER_REAL, &period, NULL),
		    "cannot set a timer");
}

/* A thread that signals the thread of a vCPU once each time that it sleeps. */
struct waker {
	pthread_t thread;
	pthread_t vcpu;
	pid_t tid;
	const struct stats_exits *exits;
	bool stop;
};

static void *wake_sleeper(void *arg)
{
	struct waker *waker = arg;
	uint64_t sent = 0;

	while (!READ_ONCE(waker->stop)) {
		if (READ_ONCE(waker->exits->signals) == sent &&
		    stats_thread_sleeps(waker->tid)) {
			sent++;
			pthread_kill(waker->vcpu, SIGALRM);
		}
		usleep(200);
	}
	return NULL;
}

static void start_waker(struct waker *waker, const struct stats_exits *exits)
{
	set_alarm_period(0);
	waker->vcpu = pthread_self();
	waker->tid = syscall(SYS_gettid);
	waker->exits = exits;
	waker->stop = false;
	TEST_ASSERT(!pthread_create(&waker->thread, NULL, wake_sleeper, waker),
		    "cannot create a thread");
}

static void stop_waker(struct waker *waker)
{
	WRITE_ONCE(waker->stop, true);
	pthread_join(waker->thread, NULL);
}

/* Running the guest */

/* One KVM_RUN.  Returns whether the guest is done. */
static bool run_once(struct kvm_vm *vm, uint32_t reason,
		     struct stats_exits *exits)
{
	struct ucall uc;

	/* _vcpu_run() would not return for a signal. */
	if (_vcpu_ioctl(vm, VCPU_ID, KVM_RUN, NULL)) {
		TEST_ASSERT(errno == EINTR, "KVM_RUN failed: %s",
			    strerror(errno));
		WRITE_ONCE(exits->signals, exits->signals + 1);
		stats_arch_wake(vm, VCPU_ID);
		return false;
	}
	exits->total++;
	exits->expected += vcpu_state(vm, VCPU_ID)->exit_reason == reason;
	return get_ucall(vm, VCPU_ID, &uc) == UCALL_DONE;
}

struct stats_exits stats_run_event(struct kvm_vm *vm, unsigned int event)
{
	uint32_t reason = stats_events[event].exit_reason;
	struct stats_exits exits = {};
	struct waker waker;

	set_work(vm, event);
	if (reason == STATS_WAIT)
		start_waker(&waker, &exits);
	while (!run_once(vm, reason, &exits))
		;
	if (reason == STATS_WAIT)
		stop_waker(&waker);
	return exits;
}

void stats_run_signals(struct kvm_vm *vm, uint64_t num)
{
	struct stats_exits exits = {};

	set_work(vm, GUEST_SPIN);
	set_alarm_period(SIGNAL_PERIOD);
	while (exits.signals < num)
		run_once(vm, STATS_NO_EXIT, &exits);
	set_alarm_period(0);
}

/* A busy vCPU */

static struct runner {
	struct kvm_vm *vm;
	pthread_t thread;
	pid_t tid;
} runner;

static void *run_forever(void *arg)
{
	struct stats_exits exits = {};

	WRITE_ONCE(runner.tid, syscall(SYS_gettid));
	for (;;)
		run_once(runner.vm, STATS_NO_EXIT, &exits);
	return NULL;
}

void stats_wake_busy(void)
{
	pthread_kill(runner.thread, SIGUSR1);
}

/* Does the thread sleep for a while, rather than between two instructions? */
static bool vcpu_waits(void)
{
	int i;

	if (!READ_ONCE(*stats_in_guest(runner.vm, guest_waits)))
		return false;
	for (i = 0; i < 10; i++) {
		if (!stats_thread_sleeps(READ_ONCE(runner.tid)))
			return false;
		usleep(2000);
	}
	return true;
}

static bool vcpu_spins(void)
{
	uint64_t *spins = stats_in_guest(runner.vm, guest_spins);
	uint64_t before = READ_ONCE(*spins);

	usleep(2000);
	return READ_ONCE(*spins) != before;
}

const char *stats_keep_busy(struct kvm_vm *vm, unsigned int work)
{
	runner.vm = vm;
	set_work(vm, work);
	signal(SIGUSR1, ignore_signal);
	if (pthread_create(&runner.thread, NULL, run_forever, NULL))
		return stats_fail("cannot create a thread");
	stats_must_end_in(20, "the vCPU spins or blocks");
	if (work == GUEST_SPIN) {
		while (!vcpu_spins())
			;
	} else {
		while (!vcpu_waits())
			usleep(1000);
	}
	stats_must_end_in(0, "");
	return NULL;
}
