// SPDX-License-Identifier: GPL-2.0-only
/* The times of a vCPU, including its waits for a CPU, add up to the time on the clock. */
#define _GNU_SOURCE
#include <sys/resource.h>

#include "exit_stats/checks.h"
#include "lib/clock.h"

#define MS		1500
#define MAX_ATTEMPTS	5

#ifdef __aarch64__
static const uint32_t spin_code[] = { 0x14000000 };		/* b . */
static const uint32_t halt_code[] = { 0xd503207f, 0x17ffffff };	/* wfi; b to wfi */
static const uint32_t exit_code[] = {
	0xd4000002,						/* hvc #0 */
	0xd4000002,
	0xd2ae0001,						/* mov x1, #0x70000000 */
	0xb9000020,						/* str w0, [x1] */
	0x17fffffc,						/* b to the first hvc */
};
#else
static const uint8_t spin_code[] = { 0xeb, 0xfe };		/* jmp . */
static const uint8_t halt_code[] = { 0xf4, 0xeb, 0xfd };	/* hlt; jmp */
static const uint8_t exit_code[] = {
	0x0f, 0xa2,						/* cpuid */
	0x0f, 0xa2,
	0xe6, 0x10,						/* out %al, $0x10 */
	0xeb, 0xf8,						/* jmp to the first cpuid */
};
#endif

const struct loop spin_loop = { spin_code, sizeof(spin_code) };
const struct loop halt_loop = { halt_code, sizeof(halt_code) };
const struct loop exit_loop = { exit_code, sizeof(exit_code) };

/* Only accesses to the device. */
#ifdef __aarch64__
static const uint32_t device_code[] = { 0xd2ae0001, 0xb9000020, 0x17ffffff };
#else
static const uint8_t device_code[] = { 0xe6, 0x10, 0xeb, 0xfc };
#endif

static const struct loop device_loop = { device_code, sizeof(device_code) };

/* A device that needs 2 ms for each 50th access. */
static bool run_with_device(struct guest *guest)
{
	static __thread unsigned int accesses;

	if (!run_guest(guest))
		return false;
	if (guest->run->exit_reason == DEVICE_EXIT && ++accesses % 50 == 0)
		ms_sleep(2);
	return true;
}

static bool is_whole(const struct runner *runner)
{
	long long sum = times_ns(&runner->stats), off = sum - runner->ns;

	printf("# of %lld us: guest %llu, user space %llu, halted %llu, exits %llu, "
	       "run delay %llu; %+lld us\n", runner->ns / 1000,
	       (unsigned long long)grown(runner, "guest_ns") / 1000,
	       (unsigned long long)grown(runner, "userspace_ns") / 1000,
	       (unsigned long long)grown(runner, "halted_ns") / 1000,
	       (unsigned long long)classes_ns(&runner->stats) / 1000,
	       (unsigned long long)grown(runner, "run_delay_ns") / 1000, off / 1000);
	return (off < runner->ns / 100 && -off < runner->ns / 100) ||
	       fail("the times add up to %lld of %lld ns", sum, runner->ns);
}

/*
 * Each exit is in the histogram, except that of the last run of the guest. A vCPU that halts has
 * too few exits to check this.
 */
static bool histogram_is_complete(const struct runner *runner)
{
	long long in_hist = counted(runner, "exit_hist");
	long long count = classes_count(&runner->stats);

	return count < 10 || (in_hist <= count + 1 && count <= in_hist + 1) ||
	       fail("exit_hist has %lld exits, the classes %lld", in_hist, count);
}

bool create_runner(struct runner *runner, const struct loop *loop,
		   bool (*run)(struct guest *guest))
{
	bool ok = runner_create(runner, loop->code, loop->size);

	runner->run = run;
	runner->flush = true;
	return ok;
}

/* The thread can lose its CPU between the clock and KVM_RUN, so try several times. */
static bool times_are_whole(unsigned int num, const struct loop *loop,
			    bool (*run)(struct guest *guest),
			    bool (*check)(const struct runner *runner))
{
	unsigned int attempt, i;
	struct runner runners[2] = { 0 };
	bool ok = false, ran;

	for (attempt = 0; attempt < MAX_ATTEMPTS && !ok; attempt++) {
		ran = true;
		for (i = 0; i < num; i++)
			ran = ran && create_runner(&runners[i], loop, run);
		ran = ran && runners_run(runners, num, MS, NULL);
		ok = ran;
		for (i = 0; i < num; i++) {
			ok = ok && is_whole(&runners[i]) && histogram_is_complete(&runners[i]) &&
			     (!check || check(&runners[i]));
			runner_destroy(&runners[i]);
		}
		if (!ran)
			return false;
	}
	return ok;
}

static bool is_most(const struct runner *runner, const char *name, unsigned int percent)
{
	return grown(runner, name) * 100 / runner->ns >= percent ||
	       fail("%s grew by %llu in %lld ns", name,
		    (unsigned long long)grown(runner, name), runner->ns);
}

/* A kernel with sanitizers needs up to a fifth of the time for interrupts. */
static bool is_in_guest(const struct runner *runner)
{
	return is_most(runner, "guest_ns", 50);
}

static bool is_halted(const struct runner *runner)
{
	return is_most(runner, "halted_ns", 80);
}

static bool is_delayed(const struct runner *runner)
{
	return is_most(runner, "run_delay_ns", 30);
}

static bool is_in_user_space(const struct runner *runner)
{
	return is_most(runner, "userspace_ns", 10) && is_most(runner, KERNEL_EXIT_NS, 1);
}

static bool spins(void)
{
	return times_are_whole(1, &spin_loop, run_guest, is_in_guest);
}

static bool halts(void)
{
	return times_are_whole(1, &halt_loop, run_guest, is_halted);
}

static bool exits_often(void)
{
	return times_are_whole(1, &exit_loop, run_with_device, is_in_user_space);
}

static bool two_spin(void)
{
	return times_are_whole(2, &spin_loop, run_guest, is_delayed);
}

static bool two_exit_often(void)
{
	return times_are_whole(2, &exit_loop, run_with_device, NULL);
}

/* A thread with a high priority, which leaves the CPU for a moment now and then. */
static bool hog_cpu(struct guest *guest)
{
	long long end;

	(void)guest;
	setpriority(PRIO_PROCESS, 0, -20);
	ms_sleep(1);
	for (end = ms_now() + 50; ms_now() < end;)
		;
	return true;
}

/*
 * With CONFIG_PREEMPT, some waits begin when KVM_RUN is about to return. They are not in
 * run_delay_ns, so they must be in userspace_ns. The last wait can begin after the last KVM_RUN.
 */
static bool waits_are_complete(const struct runner *runner)
{
	uint64_t waits = runner->after.delay_ns - runner->before.delay_ns - runner->tail_ns;
	uint64_t in_run = grown(runner, "run_delay_ns"), user = grown(runner, "userspace_ns");

	printf("# waits %llu us, in KVM_RUN %llu us; user space %llu us\n",
	       (unsigned long long)waits / 1000, (unsigned long long)in_run / 1000,
	       (unsigned long long)user / 1000);
	return (waits >= MS * 1000000ULL && user + in_run >= waits) ||
	       fail("of %llu ns, user space and waits in KVM_RUN have %llu ns",
		    (unsigned long long)waits, (unsigned long long)(user + in_run));
}

static bool waits_are_not_exits(void)
{
	struct runner runners[2] = { 0 };
	unsigned int attempt;
	bool ok = false, ran = true;

	for (attempt = 0; attempt < MAX_ATTEMPTS && ran && !ok; attempt++) {
		ran = create_runner(&runners[0], &device_loop, run_guest) &&
		      create_runner(&runners[1], &device_loop, hog_cpu) &&
		      runners_run(runners, 2, 4 * MS, NULL);
		ok = ran && waits_are_complete(&runners[0]);
		runner_destroy(&runners[0]);
		runner_destroy(&runners[1]);
	}
	return ok;
}

#ifdef __aarch64__
/* KVM_RUN sleeps until a signal, as after the PSCI call CPU_OFF. */
static bool run_powered_off(struct guest *guest)
{
	struct kvm_mp_state state = { .mp_state = KVM_MP_STATE_STOPPED };

	return ioctl(guest->vcpu, KVM_SET_MP_STATE, &state) ?
	       fail("KVM_SET_MP_STATE: %s", strerror(errno)) : run_guest(guest);
}

static bool is_powered_off(void)
{
	return times_are_whole(1, &spin_loop, run_powered_off, is_halted);
}
#endif

const struct check time_checks[] = {
	{ "a vCPU that spins is in the guest", spins, needs_two_cpus },
	{ "a vCPU that halts is halted", halts, needs_two_cpus },
#ifdef __aarch64__
	{ "a vCPU that is powered off is halted", is_powered_off, needs_two_cpus },
#endif
	{ "a vCPU that exits is in KVM and in user space", exits_often, needs_two_cpus },
	{ "two vCPUs that spin on one CPU wait for it", two_spin, needs_two_cpus },
	{ "the times of two vCPUs that exit on one CPU add up", two_exit_often, needs_two_cpus },
	{ "a wait for the CPU at the end of KVM_RUN is not time of the exit", waits_are_not_exits,
	  needs_two_cpus },
	{}
};
