// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run vCPUs with and without competition for their CPU, and compare their statistics about the
 * wait for a CPU with what the scheduler reports.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <linux/userfaultfd.h>

#include "lib/run.h"
#include "run_delay/runner.h"

#define MS		1500	/* duration of a run */
#define MAX_ATTEMPTS	10

static const char * const names[] = {
	"preemptions", "run_delay_ns", "run_delay_max_ns", "run_delay_hist",
};

/* Create the vCPUs on CPU 0, and run them. */
static void run_spinning(struct runner *runners, unsigned int num,
			 void (*meanwhile)(struct runner *runners))
{
	unsigned int i;

	for (i = 0; i < num; i++)
		runner_create(&runners[i], spin_code, sizeof(spin_code));
	runners_run(runners, num, MS, meanwhile);
}

static void destroy(struct runner *runners, unsigned int num)
{
	while (num--)
		runner_destroy(&runners[num]);
}

/*
 * Compare with the growth of schedstat around KVM_RUN. Returns false if schedstat has counted more,
 * because the thread also waited outside of KVM_RUN.
 */
static bool equals_schedstat(const struct runner *runner, bool last)
{
	unsigned long long arrivals = runner->after.arrivals - runner->before.arrivals;
	unsigned long long delay = runner->after.delay_ns - runner->before.delay_ns;
	unsigned long long count = counted(&runner->stats, "run_delay_hist");
	unsigned long long ns = grown(runner, "run_delay_ns");
	bool equal = count == arrivals && ns == delay;

	if (!equal && (last || count > arrivals || ns > delay))
		fail("run_delay_hist grew by %llu and run_delay_ns by %llu, "
		     "but schedstat has %llu delays of %llu ns", count, ns, arrivals, delay);
	return equal;
}

/* Repeat the run until no thread has waited outside of KVM_RUN. */
static void expect_equal(void (*run)(struct runner *runners, unsigned int num,
				     void (*meanwhile)(struct runner *runners)),
			 unsigned int num, void (*meanwhile)(struct runner *runners))
{
	struct runner runners[2] = { 0 };
	unsigned int attempt, i;
	bool equal = false;

	for (attempt = 1; !equal; attempt++) {
		run(runners, num, meanwhile);
		for (i = 0, equal = true; i < num; i++)
			equal = equal && equals_schedstat(&runners[i], attempt == MAX_ATTEMPTS);
		destroy(runners, num);
	}
}

static void two_equal_schedstat(void)
{
	expect_equal(run_spinning, 2, NULL);
}

static void migrate(struct runner *runners)
{
	runners->cpu = !runners->cpu;
	pin(runners->thread, runners->cpu);
}

static void migrated_equals_schedstat(void)
{
	expect_equal(run_spinning, 1, migrate);
}

static unsigned int percent_delayed(const struct runner *runner)
{
	return grown(runner, "run_delay_ns") * 100 / runner->ns;
}

static unsigned int bucket_of(uint64_t ns)
{
	unsigned int bucket = 0;

	for (; ns; ns >>= 1)
		bucket++;
	return bucket < 31 ? bucket : 31;
}

/* The highest bucket that is not empty has the longest delay. */
static void expect_max(const struct runner *runner)
{
	const struct stats_file *stats = &runner->stats.after;
	const struct kvm_stats_desc *hist = find_desc(stats, "run_delay_hist");
	uint64_t max = value_of(stats, "run_delay_max_ns");
	unsigned int bucket = 31;

	while (bucket && !value_at(stats, hist, bucket))
		bucket--;
	if (bucket != bucket_of(max))
		fail("run_delay_max_ns is %llu, but the highest bucket of run_delay_hist is %u",
		     (unsigned long long)max, bucket);
}

static void expect_half(const struct runner *runner)
{
	unsigned long long preemptions = grown(runner, "preemptions");
	unsigned long long delays = counted(&runner->stats, "run_delay_hist");
	unsigned int percent = percent_delayed(runner);

	if (percent < 30 || percent > 70)
		fail("run_delay_ns is %u %% of the time, expected 30 to 70 %%", percent);
	if (preemptions < 5 || preemptions > delays)
		fail("preemptions grew by %llu, run_delay_hist by %llu", preemptions, delays);
	expect_max(runner);
}

static void two_share_a_cpu(void)
{
	struct runner runners[2] = { 0 };

	run_spinning(runners, 2, NULL);
	expect_half(&runners[0]);
	expect_half(&runners[1]);
}

/* The thread sleeps again after each signal. */
static void wake(struct runner *runner)
{
	pthread_kill(runner->thread, SIGUSR1);
}

/*
 * Run until a signal of a timer of this CPU. The vCPU that it wakes then gets the idle CPU before
 * the clock of the scheduler goes on, so its delay is 0 ns.
 */
static void run_with_timer(struct guest *guest)
{
	static const struct itimerspec times = { { 0, 5000000 }, { 0, 5000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	timer_t timer;

	event._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &times, NULL))
		fail("a timer cannot be started: %s", strerror(errno));
	run_guest(guest);
	timer_delete(timer);
}

/* A vCPU that halts. A timer wakes it if @meanwhile does not. */
static void run_halting(struct runner *runner, unsigned int num,
			void (*meanwhile)(struct runner *runners))
{
	runner_create(runner, spin_code, 0);
	guest_append(&runner->guest, guest_next_halt(&runner->guest, NULL), 8);
	if (!meanwhile)
		runner->run = run_with_timer;
	runners_run(runner, num, MS / 5, meanwhile);
}

static void halts_equal_schedstat(void)
{
	expect_equal(run_halting, 1, NULL);
}

static void halts_do_not_count(void)
{
	struct runner runner;
	unsigned long long waits, preemptions;

	run_halting(&runner, 1, wake);
	waits = grown(&runner, "halt_wait_ns");
	preemptions = grown(&runner, "preemptions");
	if (percent_delayed(&runner) >= 10)
		fail("run_delay_ns is %u %% of the time", percent_delayed(&runner));
	if (waits < (unsigned long long)runner.ns / 2)
		fail("halt_wait_ns grew by %llu of %lld ns", waits, runner.ns);
	if (preemptions > 5)
		fail("%llu preemptions", preemptions);
}

/* ---- an ioctl that sleeps until another thread supplies a page of its argument ---- */

static struct {
	uint8_t *page;
	int uffd;
	pthread_t supplier;
	atomic_bool ended;
} missing;

static void *supply(void *arg)
{
	struct uffdio_zeropage zero = {
		.range.start = (uintptr_t)missing.page,
		.range.len = sysconf(_SC_PAGESIZE),
	};
	struct pollfd event = { .fd = missing.uffd, .events = POLLIN };
	struct uffd_msg message;

	while (!missing.ended) {
		if (poll(&event, 1, 20) != 1)
			continue;
		if (read(missing.uffd, &message, sizeof(message)) == sizeof(message))
			ioctl(missing.uffd, UFFDIO_ZEROPAGE, &zero);
	}
	return arg;
}

static void sleeping_ioctl_begin(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range.len = size, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	missing.page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)missing.page;
	missing.uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (missing.uffd < 0 || ioctl(missing.uffd, UFFDIO_API, &api) ||
	    ioctl(missing.uffd, UFFDIO_REGISTER, &range))
		fail("mmap or userfaultfd: %s", strerror(errno));
	missing.ended = false;
	if (pthread_create(&missing.supplier, NULL, supply, NULL))
		fail("a thread cannot be created");
}

static void sleeping_ioctl_end(void)
{
	missing.ended = true;
	pthread_join(missing.supplier, NULL);
	close(missing.uffd);
	munmap(missing.page, sysconf(_SC_PAGESIZE));
}

/* On x86, KVM_GET_VCPU_EVENTS writes to user memory while the vCPU is loaded. */
static void sleeping_ioctl(struct guest *guest)
{
	madvise(missing.page, sysconf(_SC_PAGESIZE), MADV_DONTNEED);
	if (ioctl(guest->vcpu, KVM_GET_VCPU_EVENTS, missing.page))
		fail("KVM_GET_VCPU_EVENTS: %s", strerror(errno));
}

/* Another vCPU competes with a thread that sleeps in other ioctls. */
static void other_ioctls_do_not_count(void)
{
	struct runner runners[2] = { 0 };
	size_t i;

	sleeping_ioctl_begin();
	for (i = 0; i < 2; i++)
		runner_create(&runners[i], spin_code, sizeof(spin_code));
	runners[0].run = sleeping_ioctl;
	runners_run(runners, 2, MS, NULL);
	sleeping_ioctl_end();
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], "run_delay_max_ns") && counted(&runners[0].stats, names[i]))
			fail("%s grew although KVM_RUN was not called", names[i]);
}

static const struct check checks[] = {
	{ "two busy vCPUs on one CPU wait about half of the time", two_share_a_cpu, .attempts = 3 },
	{ "the sum and the number of delays equal those of schedstat", two_equal_schedstat,
	  .attempts = 3 },
	{ "the delays of a migrated vCPU equal those of schedstat", migrated_equals_schedstat,
	  .attempts = 3 },
	{ "the delays after halts equal those of schedstat", halts_equal_schedstat, .attempts = 3 },
	{ "halts do not count", halts_do_not_count, .attempts = 3 },
	{ "waits in other ioctls do not count", other_ioctls_do_not_count, .attempts = 3 },
	{}
};

/* Without CONFIG_SCHED_INFO, the file does not have the statistics. */
static void are_absent(void)
{
	static struct stats_file stats;
	struct guest guest = {};
	size_t i;

	must(guest_create(&guest));
	read_stats(guest.vcpu, &stats);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (stats_file_find(&stats, names[i]))
			fail("the file has %s", names[i]);
}

static const struct check absence_check = {
	"without CONFIG_SCHED_INFO, the statistics are absent", are_absent
};

int main(void)
{
	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (!kernel_has_stats_open())
		return tap_skip_all("this kernel does not count the run delay");
	if (!schedstat_exists()) {
		run_check("", &absence_check);
		return tap_end();
	}
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return tap_skip_all("the machine has one CPU");
	run_checks("", checks);
	return tap_end();
}
