// SPDX-License-Identifier: GPL-2.0-only
/*
 * Let a vCPU execute an action a known number of times, and check that its statistics change
 * by that number. vcpu/arch/ defines the actions of each architecture.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "tap.h"
#include "vcpu/guest.h"
#include "vcpu/stats.h"

#define WARM_UP	3	/* executions in which, for example, KVM maps the guest's pages */
#define TIMES	20

static bool check_change(const struct outcome *outcome, const struct guest_change *change)
{
	static const uint64_t expected[] = {
		[GUEST_AT_LEAST] = TIMES, [GUEST_EXACTLY] = TIMES, [GUEST_NOT] = 0,
		[GUEST_AT_END] = 1, [GUEST_TWICE] = 2 * TIMES,
	};
	uint64_t least = expected[change->precision];
	uint64_t most = change->precision == GUEST_AT_LEAST ? UINT64_MAX : least;
	uint64_t by, minus;
	size_t i;

	if (!change_of(outcome, change->statistic, &by))
		return false;
	for (i = 0; i < ARRAY_SIZE(change->minus) && change->minus[i]; i++) {
		if (!change_of(outcome, change->minus[i], &minus))
			return false;
		by -= minus;
	}
	if (by >= least && by <= most)
		return true;
	return fail("%s changed by %llu, expected %s%llu", change->statistic,
		    (unsigned long long)by, most > least ? "at least " : "",
		    (unsigned long long)least);
}

static bool run(struct guest *guest, const struct guest_action *action, unsigned int times)
{
	const char *message = guest_run(guest, action, times);

	return !message || fail("%s", message);
}

/* Reads the statistics of the vCPU or of the VM before and after TIMES executions. */
static bool run_action(struct guest *guest, const struct guest_action *action,
		       struct outcome *outcome)
{
	const char *message = action->prepare ? action->prepare(guest) : NULL;
	int fd = action->of_vm ? guest->vm : guest->vcpu;

	if (message)
		return fail("%s", message);
	guest_append(guest, action, WARM_UP);
	guest_append(guest, action, TIMES);
	return run(guest, action, WARM_UP) && read_stats(fd, &outcome->before) &&
	       run(guest, action, TIMES) && read_stats(fd, &outcome->after);
}

static void report(const struct guest_action *action, const char *what, bool ok)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, action->name, what, failure);
}

static void skip_action(const struct guest_action *action)
{
	const struct guest_change *change;

	for (change = action->changes; change->statistic; change++)
		tap_report(TAP_SKIP, action->name, change->statistic, action->skip_reason);
}

/* Each action runs in a new guest. */
static void test_action(const struct guest_action *action)
{
	static struct outcome outcome;
	const struct guest_change *change;
	struct guest guest = {};
	const char *message = guest_create(&guest);
	bool ran = message ? fail("%s", message) : run_action(&guest, action, &outcome);

	report(action, action->from_user_space ? "is_done" : "runs", ran);
	for (change = action->changes; change->statistic; change++)
		report(action, change->statistic, ran ? check_change(&outcome, change) :
							fail("the action did not run"));
	guest_destroy(&guest);
}

/* Returns the action after @previous. If TEST_CASE names a test case, this is only its action. */
static const struct guest_action *next_action(const struct guest *guest,
					      const struct guest_action *previous)
{
	const char *only = getenv("TEST_CASE");
	const struct guest_action *action = previous;
	size_t len;

	while ((action = guest_next_action(guest, action))) {
		len = strlen(action->name);
		if (!only || !*only || (!strncmp(only, action->name, len) && only[len] == '.'))
			break;
	}
	return action;
}

static unsigned int count_cases(const struct guest *guest)
{
	const struct guest_action *action = NULL;
	const struct guest_change *change;
	unsigned int cases = 0;

	while ((action = next_action(guest, action))) {
		cases += !action->skip_reason;
		for (change = action->changes; change->statistic; change++)
			cases++;
	}
	return cases;
}

int main(void)
{
	const struct guest_action *action = NULL;
	struct guest guest = {};
	const char *message;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	message = guest_create(&guest);
	if (message) {
		printf("Bail out! %s\n", message);
		return 1;
	}
	if (!guest_next_action(&guest, NULL))
		return tap_skip_all("there is no guest code for this architecture");
	if (ioctl(guest.vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) <= 0)
		return tap_skip_all("this kernel does not have KVM_CAP_BINARY_STATS_FD");
	tap_plan(count_cases(&guest));
	while ((action = next_action(&guest, action))) {
		if (action->skip_reason)
			skip_action(action);
		else
			test_action(action);
	}
	guest_destroy(&guest);
	return tap_end();
}
