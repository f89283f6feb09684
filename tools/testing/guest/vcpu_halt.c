// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vCPU halts a known number of times, and what KVM counts of a halt agrees: the
 * waits, their histogram and their time; the polls likewise; and `blocking`, by
 * which the other thread here finds the time to end each halt, with a signal.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include "guest/guest.h"

#include "tap.h"
#include "vcpu_stats.h"

#define WARM_UP		2
#define TIMES		20
#define PATIENCE	20000	/* ms for a vCPU to halt, generous for emulated machines */
#define LOG2_BUCKETS	32

static bool guest_counts_halts_as_wakeups;

/* The thread that ends the halts of the one that runs the vCPU. */
struct waker {
	const struct guest *guest;
	pthread_t runner;
	pid_t runner_tid;
	uint64_t sleeps;	/* of that thread before it halts */
	sem_t halts;		/* one for each halt to end */
	unsigned int missed;	/* halts in which the vCPU was not seen blocked */
};

static void on_signal(int sig)
{
	(void)sig;
}

/* How often the thread has gone to sleep. */
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

/*
 * `blocking` alone is also that of a thread that is about to look a last
 * time whether it has to sleep.
 */
static bool is_asleep(const struct waker *waker)
{
	return is_blocking(waker->guest) && sleeps_of(waker->runner_tid) > waker->sleeps;
}

static void *end_halts(void *arg)
{
	struct waker *waker = arg;

	for (;;) {
		int left = PATIENCE;

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
	return !pthread_create(&thread, NULL, end_halts, waker) || complain("no thread");
}

static bool halt(struct guest *guest, struct waker *waker, unsigned int times)
{
	while (times--) {
		waker->sleeps = sleeps_of(waker->runner_tid);
		sem_post(&waker->halts);
		if (ioctl(guest->vcpu, KVM_RUN, 0) >= 0 || errno != EINTR)
			return complain("KVM_RUN ends without a signal, exit reason %u: %s",
					guest->run->exit_reason, strerror(errno));
		if (waker->missed)
			return complain("the vCPU was not seen blocked");
	}
	return true;
}

static bool halt_and_read(struct guest *guest, const struct guest_act *act,
			  struct outcome *outcome)
{
	static struct waker waker;

	guest_append(guest, act, WARM_UP + TIMES);
	return start_waker(&waker, guest) && halt(guest, &waker, WARM_UP) &&
	       read_stats(guest->vcpu, &outcome->before) && halt(guest, &waker, TIMES) &&
	       read_stats(guest->vcpu, &outcome->after);
}

static bool moved_times(const struct outcome *outcome, const char *name)
{
	uint64_t by;

	return moved_by(outcome, name, &by) &&
	       (by == TIMES || complain("%s moved by %llu, expected %d", name,
					(unsigned long long)by, TIMES));
}

/* The first value of bucket @n, and of the one behind the last. */
static uint64_t bucket_start(unsigned int n)
{
	return !n ? 0 : n == LOG2_BUCKETS ? UINT64_MAX : 1ULL << (n - 1);
}

/* @count samples lie in the buckets, which leaves these bounds for their sum. */
struct samples {
	uint64_t count;
	uint64_t least;
	uint64_t most;		/* UINT64_MAX if the last bucket has any */
};

static bool take_samples(const struct outcome *outcome, const char *name,
			 struct samples *samples)
{
	const struct kvm_stats_desc *desc = find_desc(&outcome->after, name);
	unsigned int i;

	*samples = (struct samples) {};
	if (!desc)
		return false;
	if (desc->size != LOG2_BUCKETS)
		return complain("%s has %u buckets, expected %d", name, desc->size, LOG2_BUCKETS);
	for (i = 0; i < LOG2_BUCKETS; i++) {
		uint64_t count = value_at(&outcome->after, desc, i) -
				 value_at(&outcome->before, desc, i);

		samples->count += count;
		samples->least += count * bucket_start(i);
		if (count && i == LOG2_BUCKETS - 1)
			samples->most = UINT64_MAX;
		else if (samples->most != UINT64_MAX)
			samples->most += count * (bucket_start(i + 1) - 1);
	}
	return true;
}

/* The histogram @hist has @count samples, which agree with the time @ns. */
static bool histogram_agrees(const struct outcome *outcome, const char *hist, const char *ns,
			     uint64_t count)
{
	struct samples samples;
	uint64_t time;

	if (!take_samples(outcome, hist, &samples) || !moved_by(outcome, ns, &time))
		return false;
	if (samples.count != count)
		return complain("%s has %llu more, expected %llu", hist,
				(unsigned long long)samples.count, (unsigned long long)count);
	if (time < samples.least || time > samples.most)
		return complain("%s says from %llu to %llu ns, %s says %llu", hist,
				(unsigned long long)samples.least,
				(unsigned long long)samples.most, ns, (unsigned long long)time);
	return true;
}

static bool waits_agree(const struct outcome *outcome)
{
	return histogram_agrees(outcome, "halt_wait_hist", "halt_wait_ns", TIMES);
}

static bool successes_agree(const struct outcome *outcome)
{
	uint64_t successful;

	return moved_by(outcome, "halt_successful_poll", &successful) &&
	       histogram_agrees(outcome, "halt_poll_success_hist", "halt_poll_success_ns",
				successful);
}

static bool failures_agree(const struct outcome *outcome)
{
	uint64_t attempted, successful;

	return moved_by(outcome, "halt_attempted_poll", &attempted) &&
	       moved_by(outcome, "halt_successful_poll", &successful) &&
	       histogram_agrees(outcome, "halt_poll_fail_hist", "halt_poll_fail_ns",
				attempted - successful);
}

static bool not_blocking(const struct outcome *outcome)
{
	uint64_t blocking;

	return value_of(&outcome->after, "blocking", &blocking) &&
	       (!blocking || complain("blocking is %llu, expected 0",
				      (unsigned long long)blocking));
}

/*
 * A signal is not counted as a wakeup. But KVM itself wakes the vCPU now and then, on
 * x86 for one to update its clock, and with PR it counts each return from a halt.
 */
static bool wakeups_agree(const struct outcome *outcome)
{
	uint64_t by;

	if (!moved_by(outcome, "halt_wakeup", &by))
		return false;
	if (guest_counts_halts_as_wakeups ? by >= TIMES : by < TIMES / 2)
		return true;
	return complain("halt_wakeup moved by %llu, expected %s %d", (unsigned long long)by,
			guest_counts_halts_as_wakeups ? "at least" : "less than",
			guest_counts_halts_as_wakeups ? TIMES : TIMES / 2);
}

static bool signals_count(const struct outcome *outcome)
{
	return moved_times(outcome, "signal_exits");
}

static const struct point {
	const char *name;
	bool (*check)(const struct outcome *outcome);
} points[] = {
	{ "halt_wait_hist: one for each halt, and halt_wait_ns agrees", waits_agree },
	{ "halt_poll_success_hist: one for each success, its time agrees", successes_agree },
	{ "halt_poll_fail_hist: one for each failure, its time agrees", failures_agree },
	{ "blocking: not after the halt", not_blocking },
	{ "signal_exits: one for each halt that a signal ended", signals_count },
	{ "halt_wakeup: not for each halt that a signal ended", wakeups_agree },
};

#define NUM_POINTS	(sizeof(points) / sizeof(points[0]))

static const struct guest_act *pick_halt(const struct guest *guest)
{
	const struct guest_act *act;

	for (act = guest_halts; act->name; act++)
		if (!act->fits || act->fits(guest))
			return act;
	return NULL;
}

static void report(const char *what, bool ok)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, "", what, why);
}

int main(void)
{
	static struct outcome outcome;
	const struct guest_act *act;
	struct guest guest = {};
	const char *message;
	size_t i;
	bool ran;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	message = guest_create(&guest);
	if (message) {
		printf("Bail out! %s\n", message);
		return 1;
	}
	act = pick_halt(&guest);
	if (!act)
		return tap_skip_all("no guest of this architecture can run here, so none can halt");
	guest_counts_halts_as_wakeups = !strcmp(act->name, "power_save");
	if (ioctl(guest.vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) <= 0)
		return tap_skip_all("this kernel lacks KVM_CAP_BINARY_STATS_FD");

	tap_plan(1 + NUM_POINTS);
	ran = halt_and_read(&guest, act, &outcome);
	report("blocking: seen in each halt", ran);
	for (i = 0; i < NUM_POINTS; i++)
		report(points[i].name, ran ? points[i].check(&outcome) :
					     complain("the guest did not halt as it should"));
	return tap_end();
}
