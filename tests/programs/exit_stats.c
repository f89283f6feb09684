// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exit statistics of the series, or, on another kernel, of the host file, if it is published with
 * them: each exit counts in its class, the times of a vCPU add up to the time on the clock, and
 * they are switched often while a vCPU exits. kvm_stats_exit_times_test switches them while a vCPU
 * does other things.
 */
#define _GNU_SOURCE
#include <sys/resource.h>

#include "exit_stats/checks.h"
#include "lib/host_stats.h"
#include "lib/run.h"

#define MS		1500
#define SWITCHES	1000
#define SWITCHED_MS	300	/* in which a vCPU counts after it was switched often */

/* How an access of the guest to a device ends KVM_RUN. */
#ifdef __aarch64__
#define DEVICE_EXIT		KVM_EXIT_MMIO
#define KERNEL_EXIT_NS		"exit_hypercall_ns"
#define HALT_EXIT_NS		"exit_wfi_ns"
#else
#define DEVICE_EXIT		KVM_EXIT_IO
#define KERNEL_EXIT_NS		"exit_cpuid_ns"
#define HALT_EXIT_NS		"exit_hlt_ns"
#endif

/* An endless loop of the guest. */
struct loop {
	const void *code;
	size_t size;
};

/* With one CPU, nothing ends the loop of a guest that disables interrupts under Bochs. */
static const char *needs_two_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) < 2 ? "the machine has one CPU" : NULL;
}

/* Tracepoints do not show that a halt, or KVM_RUN, begins, or that a vCPU is powered off. */
static const char *needs_series(void)
{
	return is_host_file() ? "the host file does not have this" : needs_two_cpus();
}

/* ---- the times of a vCPU add up ---- */

/*
 * How long the vCPU waited for a CPU. The host file has the waits in user space, too, but up to
 * when it is read.
 */
static uint64_t waits_ns(const struct runner *runner)
{
	return is_host_file() ? runner->after.delay_ns - runner->before.delay_ns :
				grown(runner, "run_delay_ns");
}

/* By how much all other times of the vCPU have grown */
static uint64_t times_ns(const struct outcome *outcome)
{
	return classes_ns(outcome) + change_of(outcome, "guest_ns") +
	       change_of(outcome, "userspace_ns") + change_of(outcome, "halted_ns");
}

#ifdef __aarch64__
static const uint32_t halt_code[] = { 0xd503207f, 0x17ffffff };	/* wfi; b to wfi */
static const uint32_t exit_code[] = {
	0xd4000002,						/* hvc #0 */
	0xd4000002,
	0xd2ae0001,						/* mov x1, #0x70000000 */
	0xb9000020,						/* str w0, [x1] */
	0x17fffffc,						/* b to the first hvc */
};
#else
static const uint8_t halt_code[] = { 0xf4, 0xeb, 0xfd };	/* hlt; jmp */
static const uint8_t exit_code[] = {
	0x0f, 0xa2,						/* cpuid */
	0x0f, 0xa2,
	0xe6, 0x10,						/* out %al, $0x10 */
	0xeb, 0xf8,						/* jmp to the first cpuid */
};
#endif

static const struct loop spin_loop = { spin_code, sizeof(spin_code) };
static const struct loop halt_loop = { halt_code, sizeof(halt_code) };
/* Exits to KVM twice, and then to a device. */
static const struct loop exit_loop = { exit_code, sizeof(exit_code) };

/* Only accesses to the device. */
#ifdef __aarch64__
static const uint32_t device_code[] = { 0xd2ae0001, 0xb9000020, 0x17ffffff };
#else
static const uint8_t device_code[] = { 0xe6, 0x10, 0xeb, 0xfc };
#endif

static const struct loop device_loop = { device_code, sizeof(device_code) };

/* A device that needs 2 ms for each 50th access. */
static void run_with_device(struct guest *guest)
{
	static __thread unsigned int accesses;

	run_guest(guest);
	if (guest->run->exit_reason == DEVICE_EXIT && ++accesses % 50 == 0)
		ms_sleep(2);
}

static void is_whole(const struct runner *runner)
{
	long long sum = times_ns(&runner->stats) + waits_ns(runner), off = sum - runner->ns;

	printf("# of %lld us: guest %llu, user space %llu, halted %llu, exits %llu, "
	       "run delay %llu; %+lld us\n", runner->ns / 1000,
	       (unsigned long long)grown(runner, "guest_ns") / 1000,
	       (unsigned long long)grown(runner, "userspace_ns") / 1000,
	       (unsigned long long)grown(runner, "halted_ns") / 1000,
	       (unsigned long long)classes_ns(&runner->stats) / 1000,
	       (unsigned long long)waits_ns(runner) / 1000, off / 1000);
	if (off >= runner->ns / 100 || -off >= runner->ns / 100)
		fail("the times add up to %lld of %lld ns", sum, runner->ns);
}

/*
 * Each exit is in the histogram, except that of the last run of the guest. A vCPU that halts has
 * too few exits to check this.
 */
static void histogram_is_complete(const struct runner *runner)
{
	long long in_hist = counted(&runner->stats, "exit_hist");
	long long count = classes_count(&runner->stats);

	if (count >= 10 && (in_hist > count + 1 || count > in_hist + 1))
		fail("exit_hist has %lld exits, the classes %lld", in_hist, count);
}

/* Create a vCPU that executes the loop by calls of @run. */
static void create_runner(struct runner *runner, const struct loop *loop,
			  void (*run)(struct guest *guest))
{
	runner_create(runner, loop->code, loop->size);
	runner->run = run;
	runner->flush = true;
}

static void times_are_whole(unsigned int num, const struct loop *loop,
			    void (*run)(struct guest *guest),
			    void (*check)(const struct runner *runner))
{
	struct runner runners[2] = { 0 };
	unsigned int i;

	for (i = 0; i < num; i++)
		create_runner(&runners[i], loop, run);
	runners_run(runners, num, MS, NULL);
	for (i = 0; i < num; i++) {
		if (check)
			check(&runners[i]);
		is_whole(&runners[i]);
		histogram_is_complete(&runners[i]);
	}
}

static void is_most(const struct runner *runner, const char *name, unsigned int percent)
{
	if (grown(runner, name) * 100 / runner->ns < percent)
		fail("%s grew by %llu in %lld ns", name, (unsigned long long)grown(runner, name),
		     runner->ns);
}

/* A kernel with sanitizers needs up to a fifth of the time for interrupts. */
static void is_in_guest(const struct runner *runner)
{
	is_most(runner, "guest_ns", 50);
}

static void is_halted(const struct runner *runner)
{
	is_most(runner, "halted_ns", 80);
}

/* A vCPU waits for the CPU while KVM handles an interrupt. */
static void is_delayed(const struct runner *runner)
{
	uint64_t delay = waits_ns(runner), exit = grown(runner, "exit_interrupt_ns");

	if (delay * 100 / runner->ns < 30)
		fail("the vCPU waited for %llu of %lld ns", (unsigned long long)delay, runner->ns);
	if (exit >= delay / 2)
		fail("exit_interrupt_ns grew by %llu, run_delay_ns by %llu",
		     (unsigned long long)exit, (unsigned long long)delay);
}

static void is_in_user_space(const struct runner *runner)
{
	is_most(runner, "userspace_ns", 10);
	is_most(runner, KERNEL_EXIT_NS, 1);
}

static void spins(void)
{
	times_are_whole(1, &spin_loop, run_guest, is_in_guest);
}

static void halts(void)
{
	times_are_whole(1, &halt_loop, run_guest, is_halted);
}

/* The statistics before a vCPU waits, and while it does. */
static struct outcome around_wait;
static volatile bool wait_begins;

static void begin_wait(struct guest *guest)
{
	if (!wait_begins)
		read_stats(guest->vcpu, &around_wait.before);
	wait_begins = true;
	run_guest(guest);
}

static void read_while_it_waits(struct runner *runner)
{
	if (wait_begins)
		read_stats(runner->guest.vcpu, &around_wait.after);
}

/* The statistic must grow before the vCPU wakes up. */
static void counts_before_wait(const struct loop *loop, void (*run)(struct guest *guest),
			       const char *name)
{
	struct runner runner;

	create_runner(&runner, loop, run);
	runners_run(&runner, 1, SWITCHED_MS, read_while_it_waits);
	expect_growth(&around_wait, name);
}

static void counts_before_halt(void)
{
	counts_before_wait(&halt_loop, begin_wait, HALT_EXIT_NS);
}

static void exits_often(void)
{
	times_are_whole(1, &exit_loop, run_with_device, is_in_user_space);
}

static void two_spin(void)
{
	times_are_whole(2, &spin_loop, run_guest, is_delayed);
}

static void two_exit_often(void)
{
	times_are_whole(2, &exit_loop, run_with_device, NULL);
}

/* A thread with a high priority, which leaves the CPU for a moment now and then. */
static void hog_cpu(struct guest *guest)
{
	long long end;

	setpriority(PRIO_PROCESS, 0, -20);
	ms_sleep(1);
	for (end = ms_now() + 50; ms_now() < end;)
		;
}

/*
 * With CONFIG_PREEMPT, some waits begin when KVM_RUN is about to return. They are not in
 * run_delay_ns, so they must be in userspace_ns. Waits after the last KVM_RUN has begun can be in
 * neither: if the build host is busy, the thread gets almost no time between two turns of the hog.
 */
static void waits_are_complete(const struct runner *runner)
{
	uint64_t waits = runner->after.delay_ns - runner->before.delay_ns - runner->tail_ns;
	uint64_t in_run = grown(runner, "run_delay_ns"), user = grown(runner, "userspace_ns");

	printf("# waits %llu us, in KVM_RUN %llu us; user space %llu us\n",
	       (unsigned long long)waits / 1000, (unsigned long long)in_run / 1000,
	       (unsigned long long)user / 1000);
	if (waits < MS * 1000000ULL || user + in_run < waits)
		fail("of %llu ns, user space and waits in KVM_RUN have %llu ns",
		     (unsigned long long)waits, (unsigned long long)(user + in_run));
}

static void waits_are_not_exits(void)
{
	struct runner runners[2] = { 0 };

	create_runner(&runners[0], &device_loop, run_guest);
	create_runner(&runners[1], &device_loop, hog_cpu);
	runners_run(runners, 2, 4 * MS, NULL);
	waits_are_complete(&runners[0]);
}

#ifdef __aarch64__
/* KVM_RUN sleeps until a signal, as after the PSCI call CPU_OFF. */
static void power_off(const struct guest *guest)
{
	struct kvm_mp_state state = { .mp_state = KVM_MP_STATE_STOPPED };

	if (ioctl(guest->vcpu, KVM_SET_MP_STATE, &state))
		fail("KVM_SET_MP_STATE: %s", strerror(errno));
}

static void run_powered_off(struct guest *guest)
{
	power_off(guest);
	run_guest(guest);
}

static void is_powered_off(void)
{
	times_are_whole(1, &spin_loop, run_powered_off, is_halted);
}

static void begin_power_off(struct guest *guest)
{
	power_off(guest);
	begin_wait(guest);
}

/* The last exit is the first one of each runner. */
static void counts_before_power_off(void)
{
	counts_before_wait(&spin_loop, begin_power_off, "exit_mmio_ns");
}
#endif

static const struct check time_checks[] = {
	{ "a vCPU that spins is in the guest", spins, needs_two_cpus, .attempts = 5 },
	{ "a vCPU that halts is halted", halts, needs_two_cpus, .attempts = 5 },
	{ "the time of an exit counts before the vCPU halts", counts_before_halt, needs_series },
#ifdef __aarch64__
	{ "a vCPU that is powered off is halted", is_powered_off, needs_series, .attempts = 5 },
	{ "the time of an exit counts before the vCPU is powered off", counts_before_power_off,
	  needs_series },
#endif
	{ "a vCPU that exits is in KVM and in user space", exits_often, needs_two_cpus,
	  .attempts = 5 },
	{ "two vCPUs that spin on one CPU wait for it", two_spin, needs_two_cpus, .attempts = 5 },
	{ "the times of two vCPUs that exit on one CPU add up", two_exit_often, needs_two_cpus,
	  .attempts = 5 },
	{ "a wait for the CPU at the end of KVM_RUN is not time of the exit", waits_are_not_exits,
	  needs_series, .attempts = 5 },
	{}
};

/* ---- the statistics are switched while a vCPU runs ---- */

/* The time in KVM counts at the end, and not more of all times than has passed. */
static void switch_often(struct runner *runner)
{
	static struct outcome outcome;
	uint64_t sum, by;
	unsigned int i;
	long long ns;

	for (i = 0; i < SWITCHES; i++)
		exit_stats_enable(i % 2 == 0);
	ns = ns_now();
	read_stats(runner->guest.vcpu, &outcome.before);
	exit_stats_enable(true);
	ms_sleep(SWITCHED_MS);
	read_stats(runner->guest.vcpu, &outcome.after);
	by = change_of(&outcome, KERNEL_EXIT_NS);
	ns = ns_now() - ns;
	sum = times_ns(&outcome) + change_of(&outcome, "run_delay_ns");
	if (by < SWITCHED_MS * 10000ULL || sum > (uint64_t)ns + ns / 100)
		fail(KERNEL_EXIT_NS " grew by %llu, all times by %llu in %lld ns",
		     (unsigned long long)by, (unsigned long long)sum, ns);
	exit_stats_enable(false);
}

static void switched_while_it_exits(void)
{
	struct runner runner;

	exit_stats_enable(false);
	create_runner(&runner, &exit_loop, run_guest);
	runners_run(&runner, 1, 10, switch_often);
}

static const struct check switch_checks[] = {
	{ "1000 times while a vCPU exits", switched_while_it_exits, needs_two_cpus,
	  .attempts = 5 },
	{}
};

/* Returns why there is nothing to check, or NULL. */
static const char *choose_source(void)
{
	if (access("/dev/kvm", R_OK | W_OK))
		return "no access to /dev/kvm";
	if (kernel_has_exit_stats())
		return exit_stats_enable(false) ? NULL :
		       "no right to set the parameter kvm.exit_stats";
	if (!host_file_has_exits())
		return NO_EXIT_STATS;
	read_stats_instead = host_file_read;
	return NULL;
}

int main(void)
{
	bool enabled = exit_stats_are_enabled();
	const char *why = choose_source();

	setvbuf(stdout, NULL, _IOLBF, 0);	/* so that a check that hangs is the last one */
	if (why)
		return tap_skip_all(why);
	if (!is_host_file())
		run_checks("switch", switch_checks);
	exit_stats_enable(true);
	run_checks("class", class_checks);
	run_checks("class_time", class_time_checks);
	run_checks("time", time_checks);
	exit_stats_enable(enabled);
	return tap_end();
}
