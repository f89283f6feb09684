// SPDX-License-Identifier: GPL-2.0-only
/*
 * Let a vCPU halt a known number of times, and check what KVM counts: the waits, their
 * histogram and their time, and the same for the polls. A second thread reads `blocking` to
 * find out when the vCPU has halted, and then ends the halt with a signal.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include "tap.h"
#include "vcpu/guest.h"
#include "vcpu/stats.h"

#define HALT_TIMES	20
#define WARM_UP		2
#define TIME_LIMIT_MS	20000	/* for a vCPU to halt; enough for emulated machines */
#define LOG2_BUCKETS	32

/* ---- the halts ---- */

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
	static struct stats_file stats;
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

/* Reads the statistics before and after HALT_TIMES halts that a signal ends. */
static bool halt_and_read(struct guest *guest, const struct guest_action *halt,
			  struct outcome *outcome)
{
	static struct waker waker;

	guest_append(guest, halt, WARM_UP + HALT_TIMES);
	return start_waker(&waker, guest) && halt_repeatedly(guest, &waker, WARM_UP) &&
	       read_stats(guest->vcpu, &outcome->before) &&
	       halt_repeatedly(guest, &waker, HALT_TIMES) &&
	       read_stats(guest->vcpu, &outcome->after);
}

/* ---- their statistics ---- */

/* Set if KVM counts each return from a halt as a wakeup, which it does for powerpc PR. */
static bool halts_count_as_wakeups;

/* Returns the lower bound of bucket @n, or the upper bound of the last one. */
static uint64_t bucket_start(unsigned int n)
{
	return !n ? 0 : n == LOG2_BUCKETS ? UINT64_MAX : 1ULL << (n - 1);
}

/* The number of new samples in a histogram, and bounds for their sum. */
struct samples {
	uint64_t count;
	uint64_t min;
	uint64_t max;		/* UINT64_MAX if the last bucket has samples */
};

static bool count_samples(const struct outcome *outcome, const char *name,
			  struct samples *samples)
{
	const struct kvm_stats_desc *desc = find_desc(&outcome->after, name);
	unsigned int i;

	*samples = (struct samples) {};
	if (!desc)
		return false;
	if (desc->size != LOG2_BUCKETS)
		return fail("%s has %u buckets, expected %d", name, desc->size, LOG2_BUCKETS);
	for (i = 0; i < LOG2_BUCKETS; i++) {
		uint64_t count = value_at(&outcome->after, desc, i) -
				 value_at(&outcome->before, desc, i);

		samples->count += count;
		samples->min += count * bucket_start(i);
		if (count && i == LOG2_BUCKETS - 1)
			samples->max = UINT64_MAX;
		else if (samples->max != UINT64_MAX)
			samples->max += count * (bucket_start(i + 1) - 1);
	}
	return true;
}

/* The histogram @hist has @count new samples that agree with the change of the time @ns. */
static bool histogram_agrees(const struct outcome *outcome, const char *hist, const char *ns,
			     uint64_t count)
{
	struct samples samples;
	uint64_t time;

	if (!count_samples(outcome, hist, &samples) || !change_of(outcome, ns, &time))
		return false;
	if (samples.count != count)
		return fail("%s has %llu new samples, expected %llu", hist,
			    (unsigned long long)samples.count, (unsigned long long)count);
	if (time < samples.min || time > samples.max)
		return fail("the samples of %s are %llu to %llu ns in total, but %s is %llu",
			    hist, (unsigned long long)samples.min,
			    (unsigned long long)samples.max, ns, (unsigned long long)time);
	return true;
}

static bool waits_agree(const struct outcome *outcome)
{
	return histogram_agrees(outcome, "halt_wait_hist", "halt_wait_ns", HALT_TIMES);
}

static bool successful_polls_agree(const struct outcome *outcome)
{
	uint64_t successful;

	return change_of(outcome, "halt_successful_poll", &successful) &&
	       histogram_agrees(outcome, "halt_poll_success_hist", "halt_poll_success_ns",
				successful);
}

static bool failed_polls_agree(const struct outcome *outcome)
{
	uint64_t attempted, successful;

	return change_of(outcome, "halt_attempted_poll", &attempted) &&
	       change_of(outcome, "halt_successful_poll", &successful) &&
	       histogram_agrees(outcome, "halt_poll_fail_hist", "halt_poll_fail_ns",
				attempted - successful);
}

static bool is_not_blocking(const struct outcome *outcome)
{
	uint64_t blocking;

	return value_of(&outcome->after, "blocking", &blocking) &&
	       (!blocking || fail("blocking is %llu, expected 0",
				  (unsigned long long)blocking));
}

static bool signals_are_counted(const struct outcome *outcome)
{
	uint64_t by;

	return change_of(outcome, "signal_exits", &by) &&
	       (by == HALT_TIMES || fail("signal_exits changed by %llu, expected %d",
					 (unsigned long long)by, HALT_TIMES));
}

/*
 * A signal does not count as a wakeup. But KVM itself sometimes wakes the vCPU, for example
 * on x86 to update its clock.
 */
static bool wakeups_agree(const struct outcome *outcome)
{
	uint64_t by;

	if (!change_of(outcome, "halt_wakeup", &by))
		return false;
	if (halts_count_as_wakeups ? by >= HALT_TIMES : by < HALT_TIMES / 2)
		return true;
	return fail("halt_wakeup changed by %llu, expected %s %d", (unsigned long long)by,
		    halts_count_as_wakeups ? "at least" : "less than",
		    halts_count_as_wakeups ? HALT_TIMES : HALT_TIMES / 2);
}

static const struct {
	const char *name;
	bool (*check)(const struct outcome *outcome);
} halt_checks[] = {
	{ "halt_wait_hist: one sample for each halt, consistent with halt_wait_ns",
	  waits_agree },
	{ "halt_poll_success_hist: one sample for each success, consistent with the time",
	  successful_polls_agree },
	{ "halt_poll_fail_hist: one sample for each failure, consistent with the time",
	  failed_polls_agree },
	{ "blocking is 0 after the halt", is_not_blocking },
	{ "signal_exits: one for each halt that a signal ended", signals_are_counted },
	{ "halt_wakeup: no wakeup for a halt that a signal ended", wakeups_agree },
};

static void report(const char *what, bool ok)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, "", what, failure);
}

int main(void)
{
	static struct outcome outcome;
	const struct guest_action *halt;
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
	halt = guest_next_halt(&guest, NULL);
	if (!halt)
		return tap_skip_all("no guest of this architecture can run, so none can halt");
	halts_count_as_wakeups = !strcmp(halt->name, "power_save");
	if (ioctl(guest.vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) <= 0)
		return tap_skip_all("this kernel does not have KVM_CAP_BINARY_STATS_FD");

	tap_plan(1 + ARRAY_SIZE(halt_checks));
	ran = halt_and_read(&guest, halt, &outcome);
	report("blocking is 1 during each halt", ran);
	for (i = 0; i < ARRAY_SIZE(halt_checks); i++)
		report(halt_checks[i].name, ran ? halt_checks[i].check(&outcome) :
						  fail("the vCPU did not halt as expected"));
	return tap_end();
}
