// SPDX-License-Identifier: GPL-2.0-only
/*
 * Let a vCPU halt a known number of times, and check what KVM counts: the waits, their
 * histogram and their time, and the same for the polls. A second thread reads the statistics to
 * find out when the vCPU sleeps or polls, and then ends the halt: with a signal, or, where user
 * space can do that without an interrupt controller, with an interrupt.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include "kvm_stats_run.h"
#include "lib/run.h"
#include "vcpu/guest.h"

#define HALT_TIMES	20
#define WARM_UP		2
#define TIME_LIMIT_MS	20000	/* for a vCPU to halt; enough for emulated machines */
#define LOG2_BUCKETS	32
#define SHORT_POLL_NS	"100000"
#define LONG_POLL_NS	"2000000000"
#define MAX_POLL_NS	4000000000u

/* These and KVM_CAP_HALT_POLL set how long a vCPU polls. */
static struct stats_param params[] = {
	{ STATS_KVM_PARAM("halt_poll_ns_grow") },
	{ STATS_KVM_PARAM("halt_poll_ns_grow_start") },
	{ STATS_KVM_PARAM("halt_poll_ns_shrink") },
};

/* ---- the halts ---- */

/* When and how the halts of a guest end. */
enum ending {
	SIGNAL = 1,		/* the vCPU has polled for a short time, and sleeps */
	INTERRUPT = 2,		/* the same */
	INTERRUPT_IN_POLL = 4,
	INTERRUPT_WITHOUT_POLL = 8,
	SIGNAL_IN_POLL = 16,
};

#define IN_POLL	(INTERRUPT_IN_POLL | SIGNAL_IN_POLL)

/* The thread that ends the halts. */
struct waker {
	struct guest *guest;
	const struct guest_action *halt;
	enum ending ending;
	bool by_signal;		/* end the halts with a signal */
	pthread_t runner;	/* the thread that runs the vCPU */
	pid_t runner_tid;
	uint64_t sleeps;	/* of the runner before the halt */
	uint64_t polls;		/* of the vCPU before the halt */
	sem_t halts;		/* counts the halts that the waker has yet to end */
	sem_t ended;		/* counts those that it has ended */
	const char *failed;	/* the error if a halt ended differently than expected, or NULL */
	pthread_t thread;
	bool stop;
};

static struct outcome outcome;

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

/* Returns the current value of a statistic of the vCPU. Each thread has its own @stats. */
static uint64_t value_now(const struct guest *guest, struct stats_file *stats, const char *name)
{
	read_stats(guest->vcpu, stats);
	return value_of(stats, name);
}

/* `blocking` is already 1 while the thread checks for the last time whether it must sleep. */
static bool has_halted(const struct waker *waker)
{
	static struct stats_file stats;

	if (waker->ending & IN_POLL &&
	    value_now(waker->guest, &stats, "halt_attempted_poll") > waker->polls)
		return true;
	return value_now(waker->guest, &stats, "blocking") == 1 &&
	       sleeps_of(waker->runner_tid) > waker->sleeps;
}

static void *end_halts(void *arg)
{
	struct waker *waker = arg;

	for (;;) {
		long long until;
		bool halted;

		while (sem_wait(&waker->halts))
			continue;
		if (waker->stop)
			return NULL;
		until = ms_now() + TIME_LIMIT_MS;
		while (!(halted = has_halted(waker)) && ms_now() < until)
			ms_sleep(1);
		if (!halted)
			waker->failed = "the vCPU did not block in time";
		else if (!waker->by_signal)
			waker->failed = waker->halt->interrupt(waker->guest, true);
		/* This also ends a halt that has to end otherwise, but did not. */
		if (waker->failed || waker->by_signal)
			pthread_kill(waker->runner, SIGUSR1);
		sem_post(&waker->ended);
	}
	return NULL;
}

static void start_waker(struct waker *waker)
{
	catch_signal(SIGUSR1);
	waker->runner = pthread_self();
	waker->runner_tid = gettid();
	sem_init(&waker->halts, 0, 0);
	sem_init(&waker->ended, 0, 0);
	if (pthread_create(&waker->thread, NULL, end_halts, waker))
		fail("pthread_create failed");
	/* A poll ends when another thread needs the CPU of the vCPU. */
	pin(waker->runner, 1);
	pin(waker->thread, 0);
}

static void stop_waker(struct waker *waker)
{
	waker->stop = true;
	sem_post(&waker->halts);
	pthread_join(waker->thread, NULL);
}

/*
 * An interrupt ends the halt, and then the guest exits. A signal ends KVM_RUN itself. KVM counts a
 * wakeup in the waker's thread, perhaps after the vCPU runs again.
 */
static void run_until_woken(struct guest *guest, struct waker *waker)
{
	const struct guest_action *halt = waker->halt;
	int result = ioctl(guest->vcpu, KVM_RUN, 0), error = errno;

	while (sem_wait(&waker->ended))
		continue;
	must(waker->failed);
	if (waker->by_signal && (result >= 0 || error != EINTR))
		fail("KVM_RUN ends without a signal, exit reason %u: %s", guest->run->exit_reason,
		     strerror(error));
	if (waker->by_signal)
		return;
	must(halt->interrupt(guest, false));
	if (result || guest->run->exit_reason != halt->exit_reason)
		fail("KVM_RUN returns %d, exit reason %u, expected 0 and %u", result,
		     guest->run->exit_reason, halt->exit_reason);
}

static void halt_repeatedly(struct guest *guest, struct waker *waker, unsigned int times)
{
	static struct stats_file stats;

	while (times--) {
		waker->sleeps = sleeps_of(waker->runner_tid);
		waker->polls = value_now(guest, &stats, "halt_attempted_poll");
		sem_post(&waker->halts);
		run_until_woken(guest, waker);
	}
}

/*
 * From its second halt on, a vCPU polls for this time, unless @ns is NULL. On s390, it does not do
 * that after a signal, unless it has polled before.
 */
static void set_polling(const struct guest *guest, const char *ns)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_HALT_POLL, .args = { ns ? MAX_POLL_NS : 0 } };

	stats_param_set(params[0].path, "1");
	stats_param_set(params[1].path, ns ? ns : SHORT_POLL_NS);
	stats_param_set(params[2].path, "1");
	ioctl(guest->vm, KVM_ENABLE_CAP, &cap);
}

/* Reads the statistics before and after HALT_TIMES halts. */
static void halt_and_read(const void *arg)
{
	struct waker *waker = (void *)arg;
	struct guest *guest = waker->guest;

	set_polling(guest, waker->ending == INTERRUPT_WITHOUT_POLL ? NULL :
			   waker->ending & IN_POLL ? LONG_POLL_NS : SHORT_POLL_NS);
	guest_append(guest, waker->halt, WARM_UP + HALT_TIMES);
	waker->by_signal = waker->ending == SIGNAL;
	start_waker(waker);
	halt_repeatedly(guest, waker, WARM_UP);
	read_stats(guest->vcpu, &outcome.before);
	waker->by_signal = waker->ending & (SIGNAL | SIGNAL_IN_POLL);
	halt_repeatedly(guest, waker, HALT_TIMES);
	read_stats(guest->vcpu, &outcome.after);
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

static struct samples count_samples(const char *name)
{
	const struct kvm_stats_desc *desc = find_desc(&outcome.after, name);
	struct samples samples = {};
	unsigned int i;

	if (desc->size != LOG2_BUCKETS)
		fail("%s has %u buckets, expected %d", name, desc->size, LOG2_BUCKETS);
	for (i = 0; i < LOG2_BUCKETS; i++) {
		uint64_t count = value_at(&outcome.after, desc, i) -
				 value_at(&outcome.before, desc, i);

		samples.count += count;
		samples.min += count * bucket_start(i);
		if (count && i == LOG2_BUCKETS - 1)
			samples.max = UINT64_MAX;
		else if (samples.max != UINT64_MAX)
			samples.max += count * (bucket_start(i + 1) - 1);
	}
	return samples;
}

/* The histogram @hist has @count new samples that agree with the change of the time @ns. */
static void histogram_agrees(const char *hist, const char *ns, uint64_t count)
{
	struct samples samples = count_samples(hist);
	uint64_t time = change_of(&outcome, ns);

	if (samples.count != count)
		fail("%s has %llu new samples, expected %llu", hist,
		     (unsigned long long)samples.count, (unsigned long long)count);
	if (time < samples.min || time > samples.max)
		fail("the samples of %s are %llu to %llu ns in total, but %s is %llu", hist,
		     (unsigned long long)samples.min, (unsigned long long)samples.max, ns,
		     (unsigned long long)time);
}

static void waits_agree(void)
{
	histogram_agrees("halt_wait_hist", "halt_wait_ns", HALT_TIMES);
}

static void successful_polls_agree(void)
{
	histogram_agrees("halt_poll_success_hist", "halt_poll_success_ns",
			 change_of(&outcome, "halt_successful_poll"));
}

static void failed_polls_agree(void)
{
	histogram_agrees("halt_poll_fail_hist", "halt_poll_fail_ns",
			 change_of(&outcome, "halt_attempted_poll") -
			 change_of(&outcome, "halt_successful_poll"));
}

static void is_not_blocking(void)
{
	uint64_t blocking = value_of(&outcome.after, "blocking");

	if (blocking)
		fail("blocking is %llu, expected 0", (unsigned long long)blocking);
}

static void signals_are_counted(void)
{
	expect_change(&outcome, "signal_exits", HALT_TIMES);
}

/*
 * A signal does not count as a wakeup, and nor does an interrupt while the vCPU polls. But KVM
 * itself sometimes wakes the vCPU, for example on x86 to update its clock, and some polls end
 * before the interrupt comes.
 */
static void wakeups_agree(void)
{
	uint64_t by = change_of(&outcome, "halt_wakeup");

	if (halts_count_as_wakeups ? by < HALT_TIMES : by >= HALT_TIMES / 2)
		fail("halt_wakeup changed by %llu, expected %s %d", (unsigned long long)by,
		     halts_count_as_wakeups ? "at least" : "less than",
		     halts_count_as_wakeups ? HALT_TIMES : HALT_TIMES / 2);
}

static void each_interrupt_wakes(void)
{
	expect_change(&outcome, "halt_wakeup", HALT_TIMES);
}

static void successes_are_invalid(void)
{
	expect_change(&outcome, "halt_poll_invalid", change_of(&outcome, "halt_successful_poll"));
}

static void no_halt_polls(void)
{
	expect_change(&outcome, "halt_attempted_poll", 0);
}

static void each_halt_polls(void)
{
	expect_change(&outcome, "halt_attempted_poll", HALT_TIMES);
}

/* A poll fails, and the vCPU waits, if another thread needs the CPU. */
static void other_halts_wait(void)
{
	uint64_t waits = counted(&outcome, "halt_wait_hist");

	if (waits >= HALT_TIMES / 2)
		fail("the vCPU waited in %llu of %d halts", (unsigned long long)waits, HALT_TIMES);
	expect_change(&outcome, "halt_successful_poll", HALT_TIMES - waits);
}

static const struct {
	const char *name;
	unsigned int endings;
	void (*check)(void);
} halt_checks[] = {
	{ "halt_wait_hist: one sample for each halt, consistent with halt_wait_ns",
	  SIGNAL | INTERRUPT | INTERRUPT_WITHOUT_POLL, waits_agree },
	{ "halt_attempted_poll: no polls", INTERRUPT_WITHOUT_POLL, no_halt_polls },
	{ "halt_attempted_poll: one for each halt", INTERRUPT | IN_POLL, each_halt_polls },
	{ "halt_successful_poll or halt_wait_hist: one for each halt", IN_POLL, other_halts_wait },
	{ "halt_poll_invalid: one for each success", SIGNAL_IN_POLL, successes_are_invalid },
	{ "halt_poll_success_hist: one sample for each success, consistent with the time",
	  SIGNAL | INTERRUPT | INTERRUPT_IN_POLL, successful_polls_agree },
	{ "halt_poll_fail_hist: one sample for each failure, consistent with the time",
	  SIGNAL | INTERRUPT | INTERRUPT_IN_POLL, failed_polls_agree },
	{ "blocking is 0 after the halt", SIGNAL, is_not_blocking },
	{ "signal_exits: one for each halt that a signal ended", SIGNAL, signals_are_counted },
	{ "halt_wakeup: no wakeup for a halt that a signal ended", SIGNAL, wakeups_agree },
	{ "halt_wakeup: one for each interrupt", INTERRUPT, each_interrupt_wakes },
	{ "halt_wakeup: no wakeup for a halt that ends while the vCPU polls", IN_POLL,
	  wakeups_agree },
};

static void check_outcome(const void *arg)
{
	const size_t *i = arg;

	halt_checks[*i].check();
}

static void test_halts(struct waker *waker)
{
	static const char *const groups[] = {
		[SIGNAL] = "",
		[INTERRUPT] = "interrupt",
		[INTERRUPT_IN_POLL] = "interrupt_in_poll",
		[INTERRUPT_WITHOUT_POLL] = "interrupt_without_poll",
		[SIGNAL_IN_POLL] = "signal_in_poll",
	};
	const char *group = groups[waker->ending];
	bool ran = report_run(group, waker->ending & IN_POLL ? "polls" :
			      "blocking is 1 during each halt", halt_and_read, waker);
	size_t i;

	stop_waker(waker);
	for (i = 0; i < ARRAY_SIZE(halt_checks); i++)
		if (!(halt_checks[i].endings & waker->ending))
			continue;
		else if (ran)
			report_run(group, halt_checks[i].name, check_outcome, &i);
		else
			report(group, halt_checks[i].name, "the vCPU did not halt as expected");
}

/* After a signal, the guest stays halted, so each way to end a halt needs another guest. */
static void test_ending(enum ending ending)
{
	struct guest guest = {};
	struct waker waker = { .guest = &guest, .ending = ending };

	bail_out(guest_create(&guest));
	do {
		waker.halt = guest_next_halt(&guest, waker.halt);
	} while (waker.halt && !waker.halt->interrupt != (ending == SIGNAL));
	if (waker.halt)
		test_halts(&waker);
	guest_destroy(&guest);
}

int main(void)
{
	const struct guest_action *halt;
	struct guest guest = {};

	/* If the test is killed because a vCPU does not halt, earlier results are printed. */
	setlinebuf(stdout);
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	bail_out(guest_create(&guest));
	halt = guest_next_halt(&guest, NULL);
	if (!halt)
		return tap_skip_all("no guest of this architecture can run, so none can halt");
	halts_count_as_wakeups = !strcmp(halt->name, "power_save");
	if (ioctl(guest.vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) <= 0)
		return tap_skip_all("this kernel does not have KVM_CAP_BINARY_STATS_FD");
	guest_destroy(&guest);

	stats_params_save(params, ARRAY_SIZE(params));
	test_ending(SIGNAL);
	test_ending(INTERRUPT);
	test_ending(INTERRUPT_IN_POLL);
	test_ending(INTERRUPT_WITHOUT_POLL);
#ifdef __s390__
	/* For the other architectures, a signal is a valid wakeup. */
	test_ending(SIGNAL_IN_POLL);
#endif
	stats_params_restore(params, ARRAY_SIZE(params));
	return tap_end();
}
