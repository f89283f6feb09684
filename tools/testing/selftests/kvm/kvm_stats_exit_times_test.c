// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the exit statistics: they can be switched on and off while vCPUs run, and
 * while they are on, the times of a vCPU add up to the time on the clock.
 */
#define _GNU_SOURCE /* for program_invocation_name */
#include <linux/time64.h>

#include "kvm_stats_guest.h"
#include "kvm_stats_tap.h"
#include "kvm_stats_workload.h"

#define PERIOD_NS	300000000
#define MAX_ATTEMPTS	5
#define IN_USER_SPACE	(GUEST_WAIT + 1)

static struct stats_param params[] = {
	{ STATS_KVM_PARAM("exit_stats") },
};

static const struct stats_expectation last_statistics[] = {
	STATS_LOG2_NS("exit_hist"),
	STATS_COUNTER_NS("guest_ns"),
	STATS_COUNTER_NS("userspace_ns"),
	STATS_COUNTER_NS("halted_ns"),
};

static const char *count(bool on)
{
	return stats_param_set(params[0].path, on ? "1" : "0");
}

static const char *set_up(struct stats_target *target)
{
	struct kvm_vm *vm = stats_create_vm();

	stats_use_guest(target, vm, VCPU_ID);
	return count(false);
}

/* Descriptors */

static uint32_t first_exit_statistic(const struct stats_file *file)
{
	const struct kvm_stats_desc *desc;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(file, i)); i++)
		if (!strncmp(desc->name, "exit_", 5))
			break;
	return i;
}

static const char *described_last(struct stats_target *target)
{
	struct stats_snapshot now = stats_now(target->machine);
	const struct stats_file *file = &now.vcpu;
	uint32_t i, end = file->header.num_desc - ARRAY_SIZE(last_statistics);

	for (i = 0; i < ARRAY_SIZE(last_statistics); i++)
		if (stats_file_find(file, last_statistics[i].name) !=
		    stats_file_desc(file, end + i))
			return stats_fail("'%s' is not number %u from the end",
					  last_statistics[i].name,
					  file->header.num_desc - end - i);
	return stats_check_expectations(file, last_statistics, i);
}

/* Values */

/* Have the exit statistics not changed since @before, or since the vCPU is new? */
static const char *check_unchanged(const struct stats_snapshot *before,
				   const struct stats_snapshot *after)
{
	uint32_t i = first_exit_statistic(&after->vcpu);
	const struct kvm_stats_desc *desc;

	for (; (desc = stats_file_desc(&after->vcpu, i)); i++) {
		uint64_t old = before ? stats_sum(before, desc->name) : 0;
		uint64_t new = stats_sum(after, desc->name);

		if (old != new)
			return stats_fail("'%s' is %lu, expected %lu",
					  desc->name, new, old);
	}
	return NULL;
}

static const char *zero_until_enabled(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_guest idle = stats_guest_of(guest->vm, IDLE_VCPU_ID);
	struct stats_snapshot now;

	stats_run_event(guest->vm, 0);
	now = stats_now(guest);
	stats_must(check_unchanged(NULL, &now));
	stats_must(count(true));
	stats_run_event(guest->vm, 0);
	now = stats_now(guest);
	if (!stats_sum(&now, "exit_hist") || !stats_sum(&now, "guest_ns"))
		return stats_fail("nothing is counted after they were enabled");
	now = stats_now(&idle);
	return check_unchanged(NULL, &now);
}

/* The times are the exit statistics in nanoseconds, and that of the scheduler. */
static int64_t sum_of_times(const struct stats_snapshot *before,
			    const struct stats_snapshot *after)
{
	int64_t sum = stats_changed(before, after, "run_delay_ns");
	uint32_t i = first_exit_statistic(&after->vcpu);
	const struct kvm_stats_desc *desc;

	for (; (desc = stats_file_desc(&after->vcpu, i)); i++)
		if (!strcmp(desc->name + strlen(desc->name) - 3, "_ns"))
			sum += stats_changed(before, after, desc->name);
	return sum;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

/* The guest is entered several times. */
static void pass_time(const struct stats_guest *guest, unsigned int work)
{
	int64_t end = now_ns() + PERIOD_NS;

	do {
		if (work == IN_USER_SPACE)
			stats_run_event(guest->vm, 0);
		else if (work == GUEST_WAIT)
			stats_wake_busy();
		usleep(10000);
	} while (now_ns() < end);
}

/*
 * The sum of all times is at most the time during which they counted.  On a busy
 * machine a guest that waits is late for the CPU after each wakeup, which can take
 * most of the time.
 */
static const char *count_for_a_while(struct stats_target *target,
				     struct stats_snapshot *after)
{
	static const char * const names[] = {
		[GUEST_SPIN] = "guest_ns",
		[GUEST_WAIT] = "halted_ns",
		[IN_USER_SPACE] = "userspace_ns",
	};
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before = stats_now(guest);
	int64_t ns = now_ns(), sum, most;

	stats_must(count(true));
	pass_time(guest, target->arg);
	stats_must(count(false));
	usleep(20000);
	*after = stats_now(guest);
	ns = now_ns() - ns;
	sum = sum_of_times(&before, after);
	most = stats_changed(&before, after, names[target->arg]);
	if (sum > ns + ns / 100 || most < PERIOD_NS / 16)
		return stats_fail("the times increased by %ld ns in %ld ns, '%s' by %ld",
				  sum, ns, names[target->arg], most);
	return NULL;
}

static const char *switched(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;

	if (target->arg != IN_USER_SPACE)
		stats_must(stats_keep_busy(guest->vm, target->arg));
	stats_must(count_for_a_while(target, &before));
	pass_time(guest, target->arg);
	after = stats_now(guest);
	stats_must(check_unchanged(&before, &after));
	return count_for_a_while(target, &after);
}

/*
 * Another process competes for the CPU.  The thread can lose it between KVM_RUN and
 * the clock, so this tries again.
 */
static const char *times_add_up(struct stats_target *target)
{
	const struct stats_guest *guest = target->machine;
	struct stats_snapshot before, after;
	const char *message = count(true);
	int64_t ns, sum;
	int i, attempt;
	pid_t pid;

	stats_pin(stats_nth_cpu(0));
	pid = fork();
	if (pid < 0)
		return stats_fail("fork() failed: %s", strerror(errno));
	if (!pid)
		for (;;)
			;
	for (attempt = 0; attempt < MAX_ATTEMPTS && !message; attempt++) {
		stats_run_event(guest->vm, 0);
		before = stats_now(guest);
		ns = now_ns();
		for (i = 0; i < STATS_NUM_EVENTS; i++)
			stats_run_event(guest->vm, i);
		stats_run_signals(guest->vm, 40);
		usleep(200000);
		stats_run_event(guest->vm, 0);
		ns = now_ns() - ns;
		after = stats_now(guest);
		sum = sum_of_times(&before, &after);
		if (sum > ns - ns / 100 && sum < ns + ns / 100)
			return NULL;
	}
	return message ? message :
	       stats_fail("the times add up to %ld of %ld ns", sum, ns);
}

static const struct stats_check checks[] = {
	STATS_CHECK("described_last", described_last),
	STATS_CHECK("zero_until_enabled", zero_until_enabled),
	STATS_CHECK("switched_while_vcpu_spins", switched, .arg = GUEST_SPIN),
	STATS_CHECK("switched_while_vcpu_waits", switched, .arg = GUEST_WAIT),
	STATS_CHECK("switched_in_user_space", switched, .arg = IN_USER_SPACE),
	STATS_CHECK("times_add_up", times_add_up),
};

static const struct stats_suite suite =
	STATS_SUITE("exit_times", VCPU_ID, checks, set_up);

int main(void)
{
	stats_tap_begin();
	if (access(params[0].path, F_OK))
		ksft_exit_skip("this kernel lacks CONFIG_KVM_EXIT_STATS\n");
	stats_tap_run(&suite, 1, params, ARRAY_SIZE(params));
}
