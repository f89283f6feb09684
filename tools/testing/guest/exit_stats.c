// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exit statistics: that they are switched on and off, that each exit counts in its class and is a
 * trace event, and that the times of a vCPU add up to the time in which they are on.
 */
#define _GNU_SOURCE
#include "exit_stats/checks.h"
#include "lib/exit_stats.h"
#include "tap.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static void report(const char *group, const char *name, bool ok)
{
	tap_report(ok ? TAP_OK : TAP_NOT_OK, group, name, failure);
}

static void run_checks(const char *group, const struct check *checks)
{
	for (; checks->name; checks++) {
		const char *why = checks->skip ? checks->skip() : NULL;

		if (why)
			tap_report(TAP_SKIP, group, checks->name, why);
		else
			report(group, checks->name, checks->run());
	}
}

int main(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	bool on = exit_stats_are_on();

	if (kvm < 0)
		return tap_skip_all("no access to /dev/kvm");
	if (!kernel_has_exit_stats())
		return tap_skip_all(NO_EXIT_STATS);
	if (!exits_switch(true))
		return tap_skip_all(failure);

	run_checks("switch", switch_checks);
	run_checks("class", class_checks);
	run_checks("event", event_checks);
	run_checks("time", time_checks);
	exit_stats_switch(on);
	return tap_end();
}
