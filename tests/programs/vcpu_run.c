// SPDX-License-Identifier: GPL-2.0-only
/*
 * Let a vCPU execute an action a known number of times, and check that its statistics change
 * by that number. vcpu/arch/ defines the actions of each architecture.
 */
#define _GNU_SOURCE
#include "lib/run.h"
#include "vcpu/guest.h"

#define WARM_UP	3	/* executions in which, for example, KVM maps the guest's pages */
#define TIMES	20

static struct outcome outcome;

static void check_change(const void *arg)
{
	static const uint64_t expected[] = {
		[GUEST_AT_LEAST] = TIMES, [GUEST_EXACTLY] = TIMES, [GUEST_NOT] = 0,
		[GUEST_AT_END] = 1, [GUEST_TWICE] = 2 * TIMES,
	};
	const struct guest_change *change = arg;
	uint64_t least = expected[change->precision];
	uint64_t most = change->precision == GUEST_AT_LEAST ? UINT64_MAX : least;
	uint64_t by = change_of(&outcome, change->statistic);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(change->minus) && change->minus[i]; i++)
		by -= change_of(&outcome, change->minus[i]);
	if (by < least || by > most)
		fail("%s changed by %llu, expected %s%llu", change->statistic,
		     (unsigned long long)by, most > least ? "at least " : "",
		     (unsigned long long)least);
}

/* Reads the statistics of the vCPU or of the VM before and after TIMES executions. */
static void run_action(const void *arg)
{
	const struct guest_action *action = arg;
	static struct guest guest;
	int fd;

	guest = (struct guest){};
	must(guest_create(&guest));
	must(action->prepare ? action->prepare(&guest) : NULL);
	fd = action->of_vm ? guest.vm : guest.vcpu;
	guest_append(&guest, action, WARM_UP);
	guest_append(&guest, action, TIMES);
	must(guest_run(&guest, action, WARM_UP));
	read_stats(fd, &outcome.before);
	must(guest_run(&guest, action, TIMES));
	read_stats(fd, &outcome.after);
	guest_destroy(&guest);
}

/* Each action runs in a new guest. */
static void test_action(const struct guest_action *action)
{
	const struct guest_change *change = action->changes;
	const char *what = action->from_user_space ? "is_done" : "runs";
	bool ran = !action->skip_reason && report_run(action->name, what, run_action, action);

	for (; change->statistic; change++)
		if (action->skip_reason)
			tap_report(TAP_SKIP, action->name, change->statistic, action->skip_reason);
		else if (ran)
			report_run(action->name, change->statistic, check_change, change);
		else
			report(action->name, change->statistic, "the action did not run");
}

/* If TEST_CASE names a test case, only its action runs. */
static bool is_selected(const struct guest_action *action)
{
	const char *only = getenv("TEST_CASE");
	size_t len = strlen(action->name);

	return !only || !*only || (!strncmp(only, action->name, len) && only[len] == '.');
}

int main(void)
{
	const struct guest_action *action = NULL;
	struct guest guest = {};

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	bail_out(guest_create(&guest));
	if (!guest_next_action(&guest, NULL))
		return tap_skip_all("there is no guest code for this architecture");
	if (ioctl(guest.vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) <= 0)
		return tap_skip_all("this kernel does not have KVM_CAP_BINARY_STATS_FD");
	while ((action = guest_next_action(&guest, action)))
		if (is_selected(action))
			test_action(action);
	guest_destroy(&guest);
	return tap_end();
}
