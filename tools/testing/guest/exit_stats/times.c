// SPDX-License-Identifier: GPL-2.0-only
/* The times of a vCPU, including its waits for a CPU, add up to the time on the clock. */
#define _GNU_SOURCE
#include "exit_stats/checks.h"
#include "lib/clock.h"

#define MS		1500
#define MAX_ATTEMPTS	5

#if defined(__aarch64__)
#define EXIT_NS		"exit_hypercall_ns"

static const uint32_t spin[] = { 0x14000000 };			/* b . */
static const uint32_t halt[] = { 0xd503207f, 0x17ffffff };	/* wfi; b to wfi */
static const uint32_t exits[] = {
	0xd4000002,						/* hvc #0 */
	0xd4000002,
	0xd2ae0001,						/* mov x1, #0x70000000 */
	0xb9000020,						/* str w0, [x1] */
	0x17fffffc,						/* b to the first hvc */
};
#else
#define EXIT_NS		"exit_cpuid_ns"

static const uint8_t spin[] = { 0xeb, 0xfe };			/* jmp . */
static const uint8_t halt[] = { 0xf4, 0xeb, 0xfd };		/* hlt; jmp */
static const uint8_t exits[] = {
	0x0f, 0xa2,						/* cpuid */
	0x0f, 0xa2,
	0xe6, 0x10,						/* out %al, $0x10 */
	0xeb, 0xf8,						/* jmp to the first cpuid */
};
#endif

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

static uint64_t whole_time(const struct runner *runner)
{
	return grown(runner, "guest_ns") + grown(runner, "userspace_ns") +
	       grown(runner, "halted_ns") + grown(runner, "run_delay_ns") +
	       classes_ns(&runner->stats);
}

static bool is_whole(const struct runner *runner)
{
	long long sum = whole_time(runner), off = sum - runner->ns;

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

/* Each exit is in the histogram, except that of the last run of the guest. */
static bool histogram_is_complete(const struct runner *runner)
{
	long long in_hist = counted(runner, "exit_hist");
	long long count = classes_count(&runner->stats);

	return (in_hist <= count + 1 && count <= in_hist + 1) ||
	       fail("the histogram has %lld exits, the classes %lld", in_hist, count);
}

static bool create(struct runner *runner, const void *code, size_t size,
		   bool (*run)(struct guest *guest))
{
	bool ok = runner_create(runner, code, size);

	runner->run = run;
	runner->flush = true;
	return ok;
}

/* The thread can lose its CPU between the clock and KVM_RUN, so try several times. */
static bool times_are_whole(unsigned int num, const void *code, size_t size,
			    bool (*run)(struct guest *guest),
			    bool (*check)(const struct runner *runner))
{
	unsigned int attempt, i;
	struct runner runners[2] = { 0 };
	bool ok = false, ran;

	for (attempt = 0; attempt < MAX_ATTEMPTS && !ok; attempt++) {
		ran = true;
		for (i = 0; i < num; i++)
			ran = ran && create(&runners[i], code, size, run);
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

static bool is_in_guest(const struct runner *runner)
{
	return is_most(runner, "guest_ns", 80);
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
	return is_most(runner, "userspace_ns", 10) && is_most(runner, EXIT_NS, 1);
}

static bool spins(void)
{
	return times_are_whole(1, spin, sizeof(spin), run_guest, is_in_guest);
}

static bool halts(void)
{
	return times_are_whole(1, halt, sizeof(halt), run_guest, is_halted);
}

static bool exits_often(void)
{
	return times_are_whole(1, exits, sizeof(exits), run_with_device, is_in_user_space);
}

static bool two_spin(void)
{
	return times_are_whole(2, spin, sizeof(spin), run_guest, is_delayed);
}

static bool two_exit_often(void)
{
	return times_are_whole(2, exits, sizeof(exits), run_with_device, NULL);
}

/* With one CPU, nothing ends the loop of a guest that disables interrupts under Bochs. */
static const char *needs_two_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) < 2 ? "the machine has one CPU" : NULL;
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
	return times_are_whole(1, spin, sizeof(spin), run_powered_off, is_halted);
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
	{}
};
