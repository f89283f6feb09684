// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vCPU runs something small, and its statistics move by as much as was done.
 *
 * What guests do, and what KVM counts then, is in guest/, a room per architecture.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "guest/guest.h"

#include "tap.h"
#include "vcpu_stats.h"

#define WARM_UP	3	/* KVM finds the guest's pages and the like */
#define TIMES	20

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static bool moved(const struct outcome *outcome, const struct guest_move *move)
{
	bool exactly = move->precision == GUEST_EXACTLY;
	uint64_t by, less;
	size_t i;

	if (!moved_by(outcome, move->statistic, &by))
		return false;
	for (i = 0; i < ARRAY_SIZE(move->less) && move->less[i]; i++) {
		if (!moved_by(outcome, move->less[i], &less))
			return false;
		by -= less;
	}
	if (exactly ? by == TIMES : by >= TIMES)
		return true;
	return complain("%s moved by %llu, expected %s%d", move->statistic,
			(unsigned long long)by, exactly ? "" : "at least ", TIMES);
}

static bool run(struct guest *guest, const struct guest_act *act, unsigned int times)
{
	const char *message = guest_run(guest, act, times);

	return !message || complain("%s", message);
}

/* The vCPU's statistics before and after it did something TIMES. */
static bool run_act(struct guest *guest, const struct guest_act *act,
		    struct outcome *outcome)
{
	const char *message = act->prepare ? act->prepare(guest) : NULL;

	if (message)
		return complain("%s", message);
	guest_append(guest, act, WARM_UP);
	guest_append(guest, act, TIMES);
	return run(guest, act, WARM_UP) && read_stats(guest->vcpu, &outcome->before) &&
	       run(guest, act, TIMES) && read_stats(guest->vcpu, &outcome->after);
}

static void report(const struct guest_act *act, const char *what, bool ok)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, act->name, what, why);
}

static void skip_act(const struct guest_act *act)
{
	const struct guest_move *move;

	for (move = act->moves; move->statistic; move++)
		tap_report(TAP_SKIP, act->name, move->statistic, act->cannot);
}

/* Each act has a guest of its own. */
static void try_act(const struct guest_act *act)
{
	static struct outcome outcome;
	const struct guest_move *move;
	struct guest guest = {};
	const char *message = guest_create(&guest);
	bool ran = message ? complain("%s", message) : run_act(&guest, act, &outcome);

	report(act, act->from_outside ? "is_done" : "runs", ran);
	for (move = act->moves; move->statistic; move++)
		report(act, move->statistic, ran ? moved(&outcome, move) :
						   complain("it did not run"));
	guest_destroy(&guest);
}

static unsigned int count_points(const struct guest *guest)
{
	const struct guest_act *act = NULL;
	const struct guest_move *move;
	unsigned int points = 0;

	while ((act = guest_next_act(guest, act))) {
		points += !act->cannot;
		for (move = act->moves; move->statistic; move++)
			points++;
	}
	return points;
}

int main(void)
{
	const struct guest_act *act = NULL;
	struct guest guest = {};
	const char *message;

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	message = guest_create(&guest);
	if (message) {
		printf("Bail out! %s\n", message);
		return 1;
	}
	if (!guest_next_act(&guest, NULL))
		return tap_skip_all("there is no code for guests of this architecture");
	if (ioctl(guest.vm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) <= 0)
		return tap_skip_all("this kernel lacks KVM_CAP_BINARY_STATS_FD");
	tap_plan(count_points(&guest));
	while ((act = guest_next_act(&guest, act))) {
		if (act->cannot)
			skip_act(act);
		else
			try_act(act);
	}
	guest_destroy(&guest);
	return tap_end();
}
