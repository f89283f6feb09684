// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run vCPUs with and without competition for their CPU, and compare their statistics about the
 * wait for a CPU with what the scheduler reports.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <linux/userfaultfd.h>

#include "lib/features.h"
#include "run_delay/runner.h"
#include "tap.h"

#define MS		1500	/* duration of a run */
#define MAX_ATTEMPTS	10
#define MAX_REPETITIONS	3

/* The guest executes an endless loop. */
#if defined(__x86_64__) || defined(__i386__)
static const uint8_t spin[] = { 0xeb, 0xfe };			/* jmp . */
#define CAN_SPIN	1
#elif defined(__aarch64__)
static const uint8_t spin[] = { 0x00, 0x00, 0x00, 0x14 };	/* b . */
#define CAN_SPIN	1
#else
static const uint8_t spin[] = { 0 };
#define CAN_SPIN	0
#endif

static const char * const names[] = {
	"preemptions", "run_delay_ns", "run_delay_max_ns", "run_delay_hist",
};

static void report(const char *what, bool ok)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, "", what, failure);
}

/* Create the vCPUs on CPU 0, and run them. */
static bool run_spinning(struct runner *runners, unsigned int num,
			 void (*meanwhile)(struct runner *runners))
{
	unsigned int i;

	for (i = 0; i < num; i++) {
		if (!runner_create(&runners[i], spin, sizeof(spin)))
			return false;
	}
	return runners_run(runners, num, MS, meanwhile);
}

static void destroy(struct runner *runners, unsigned int num)
{
	while (num--)
		runner_destroy(&runners[num]);
}

/*
 * Compare with the growth of schedstat around KVM_RUN. If the thread also waited outside of
 * KVM_RUN, schedstat has counted more.
 */
static bool equals_schedstat(const struct runner *runner, bool *more)
{
	unsigned long long arrivals = runner->after.arrivals - runner->before.arrivals;
	unsigned long long delay = runner->after.delay_ns - runner->before.delay_ns;
	unsigned long long count = counted(&runner->stats, "run_delay_hist");
	unsigned long long ns = grown(runner, "run_delay_ns");

	*more = count <= arrivals && ns <= delay;
	return (count == arrivals && ns == delay) ||
	       fail("run_delay_hist grew by %llu and run_delay_ns by %llu, "
		    "but schedstat has %llu delays of %llu ns", count, ns, arrivals, delay);
}

/* Repeat the run until no thread has waited outside of KVM_RUN. */
static bool is_equal(bool (*run)(struct runner *runners, unsigned int num,
				 void (*meanwhile)(struct runner *runners)),
		     unsigned int num, void (*meanwhile)(struct runner *runners))
{
	struct runner runners[2] = { 0 };
	unsigned int attempt, i;
	bool ok, more;

	for (attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
		if (!run(runners, num, meanwhile))
			return false;
		for (i = 0, ok = true; ok && i < num; i++)
			ok = equals_schedstat(&runners[i], &more);
		destroy(runners, num);
		if (ok || !more)
			return ok;
	}
	return false;
}

static bool two_equal_schedstat(void)
{
	return is_equal(run_spinning, 2, NULL);
}

static void migrate(struct runner *runners)
{
	runners->cpu = !runners->cpu;
	pin(runners->thread, runners->cpu);
}

static bool migrated_equals_schedstat(void)
{
	return is_equal(run_spinning, 1, migrate);
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
static bool max_fits(const struct runner *runner)
{
	const struct stats_file *stats = &runner->stats.after;
	const struct kvm_stats_desc *hist = find_desc(stats, "run_delay_hist");
	unsigned int bucket = 31;
	uint64_t max;

	if (!hist || !value_of(stats, "run_delay_max_ns", &max))
		return false;
	while (bucket && !value_at(stats, hist, bucket))
		bucket--;
	return bucket == bucket_of(max) ||
	       fail("run_delay_max_ns is %llu, but the highest bucket of run_delay_hist is %u",
		    (unsigned long long)max, bucket);
}

static bool is_half(const struct runner *runner)
{
	unsigned long long preemptions = grown(runner, "preemptions");
	unsigned int percent = percent_delayed(runner);

	if (percent < 30 || percent > 70)
		return fail("run_delay_ns is %u %% of the time, expected 30 to 70 %%", percent);
	if (preemptions < 5 || preemptions > counted(&runner->stats, "run_delay_hist"))
		return fail("preemptions grew by %llu, run_delay_hist by %llu", preemptions,
			    (unsigned long long)counted(&runner->stats, "run_delay_hist"));
	return max_fits(runner);
}

static bool two_share_a_cpu(void)
{
	struct runner runners[2] = { 0 };
	bool ok = run_spinning(runners, 2, NULL) && is_half(&runners[0]) && is_half(&runners[1]);

	destroy(runners, 2);
	return ok;
}

static bool is_rarely_delayed(const struct runner *runner)
{
	unsigned int percent = percent_delayed(runner);

	return percent < 10 || fail("run_delay_ns is %u %% of the time", percent);
}

/* The thread sleeps again after each signal. */
static void wake(struct runner *runner)
{
	pthread_kill(runner->thread, SIGUSR1);
}

/* A vCPU that halts. */
static bool run_halting(struct runner *runner, unsigned int num,
			void (*meanwhile)(struct runner *runners))
{
	if (!runner_create(runner, spin, 0))
		return false;
	guest_append(&runner->guest, guest_next_halt(&runner->guest, NULL), 8);
	return runners_run(runner, num, MS / 5, meanwhile);
}

/* A thread that wakes often gets the CPU at once. */
static bool halts_equal_schedstat(void)
{
	return is_equal(run_halting, 1, wake);
}

static bool halts_do_not_count(void)
{
	struct runner runner;
	bool ok = run_halting(&runner, 1, wake) && is_rarely_delayed(&runner);

	if (ok && grown(&runner, "halt_wait_ns") < (uint64_t)runner.ns / 2)
		ok = fail("halt_wait_ns grew by %llu of %lld ns",
			  (unsigned long long)grown(&runner, "halt_wait_ns"), runner.ns);
	if (ok && grown(&runner, "preemptions") > 5)
		ok = fail("%llu preemptions",
			  (unsigned long long)grown(&runner, "preemptions"));
	destroy(&runner, 1);
	return ok;
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

static bool sleeping_ioctl_begin(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range.len = size, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	missing.page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (missing.page == MAP_FAILED)
		return fail("mmap: %s", strerror(errno));
	range.range.start = (uintptr_t)missing.page;
	missing.uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (missing.uffd < 0 || ioctl(missing.uffd, UFFDIO_API, &api) ||
	    ioctl(missing.uffd, UFFDIO_REGISTER, &range))
		return fail("userfaultfd: %s", strerror(errno));
	missing.ended = false;
	return !pthread_create(&missing.supplier, NULL, supply, NULL) ||
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
static bool sleeping_ioctl(struct guest *guest)
{
	madvise(missing.page, sysconf(_SC_PAGESIZE), MADV_DONTNEED);
	return !ioctl(guest->vcpu, KVM_GET_VCPU_EVENTS, missing.page) ||
	       fail("KVM_GET_VCPU_EVENTS: %s", strerror(errno));
}

/* Another vCPU competes with a thread that sleeps in other ioctls. */
static bool other_ioctls_do_not_count(void)
{
	struct runner runners[2] = { 0 };
	bool ok = true;
	size_t i;

	if (!sleeping_ioctl_begin())
		return false;
	for (i = 0; i < 2; i++)
		ok = ok && runner_create(&runners[i], spin, sizeof(spin));
	runners[0].run = sleeping_ioctl;
	ok = ok && runners_run(runners, 2, MS, NULL);
	sleeping_ioctl_end();
	for (i = 0; ok && i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], "run_delay_max_ns") && counted(&runners[0].stats, names[i]))
			ok = fail("%s grew although KVM_RUN was not called", names[i]);
	destroy(runners, 2);
	return ok;
}

static const struct check {
	const char *name;
	bool (*run)(void);
} checks[] = {
	{ "two busy vCPUs on one CPU wait about half of the time", two_share_a_cpu },
	{ "the sum and the number of delays equal those of schedstat", two_equal_schedstat },
	{ "the delays of a migrated vCPU equal those of schedstat", migrated_equals_schedstat },
	{ "the delays after halts equal those of schedstat", halts_equal_schedstat },
	{ "halts do not count", halts_do_not_count },
	{ "waits in other ioctls do not count", other_ioctls_do_not_count },
};

/*
 * Repeat a check that fails: the CPUs of an emulated machine are threads, which wait for each other
 * on a busy build host. A defect of the kernel fails each time.
 */
static bool passes_once(bool (*run)(void))
{
	unsigned int attempt;

	for (attempt = 1; !run(); attempt++) {
		if (attempt == MAX_REPETITIONS)
			return false;
		printf("# attempt %u: %s\n", attempt, failure);
	}
	return true;
}

/* Without CONFIG_SCHED_INFO, the file does not have the statistics. */
static bool are_absent(void)
{
	static struct stats_file stats;
	struct guest guest = {};
	const char *message = guest_create(&guest);
	size_t i;

	if (message)
		return fail("%s", message);
	if (!read_stats(guest.vcpu, &stats))
		return false;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (find_desc(&stats, names[i]))
			return fail("the file has %s", names[i]);
	}
	guest_destroy(&guest);
	return true;
}

int main(void)
{
	size_t i;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (!kernel_has_stats_open())
		return tap_skip_all("this kernel does not count the run delay");
	if (!schedstat_exists()) {
		tap_plan(1);
		report("without CONFIG_SCHED_INFO, the statistics are absent", are_absent());
		return tap_end();
	}
	if (!CAN_SPIN)
		return tap_skip_all("there is no endless loop for this architecture");

	tap_plan(ARRAY_SIZE(checks));
	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		if (!tap_selected("", checks[i].name))
			continue;
		if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
			tap_report(TAP_SKIP, "", checks[i].name, "the machine has one CPU");
		else
			report(checks[i].name, passes_once(checks[i].run));
	}
	return tap_end();
}
