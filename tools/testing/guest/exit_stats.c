// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exit statistics: they are switched while vCPUs run, each exit counts in its class and is a trace
 * event, and the times of a vCPU add up to the time on the clock.
 */
#define _GNU_SOURCE
#include "exit_stats/checks.h"
#include "lib/exit_stats.h"
#include "tap.h"

static void report(const char *group, const char *name, bool ok)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, group, name, failure);
}

static void run_checks(const char *group, const struct check *checks)
{
	for (; checks->name; checks++) {
		const char *why = checks->skip ? checks->skip() : NULL;

		if (!tap_selected(group, checks->name))
			continue;
		if (why)
			tap_report(TAP_SKIP, group, checks->name, why);
		else
			report(group, checks->name, checks->run());
	}
}

bool create_guest(struct guest *guest, uint32_t features)
{
	const char *message;

	*guest = (struct guest){ .features = features };
	message = guest_create(guest);
	return !message || fail("%s", message);
}

const char *needs_two_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) < 2 ? "the machine has one CPU" : NULL;
}

int main(void)
{
	bool enabled = exit_stats_are_enabled();

	if (access("/dev/kvm", R_OK | W_OK))
		return tap_skip_all("no access to /dev/kvm");
	if (!kernel_has_exit_stats())
		return tap_skip_all(NO_EXIT_STATS);
	if (!exit_stats_enable(false))
		return tap_skip_all("no right to set the parameter kvm.exit_stats");

	run_checks("switch", switch_checks);
	exit_stats_enable(true);
	run_checks("class", class_checks);
	run_checks("event", event_checks);
	run_checks("time", time_checks);
	exit_stats_enable(enabled);
	return tap_end();
}
