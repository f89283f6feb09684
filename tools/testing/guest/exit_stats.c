// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exit statistics: how they are enabled, which files have them, that each exit counts in its class
 * and is a trace event, and that the times of a vCPU add up to the time since its creation.
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
	bool enabled = exit_stats_are_enabled();

	if (kvm < 0)
		return tap_skip_all("no access to /dev/kvm");
	if (!(ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_BINARY_STATS_FD) & KVM_STATS_CAP_EXITS))
		return tap_skip_all(NO_EXIT_STATS);
	if (!exits_enable_by_default(true))
		return tap_skip_all(failure);
	exits_enable_by_default(false);

	run_checks("enable", enable_checks);
	run_checks("class", class_checks);
	run_checks("event", event_checks);
	run_checks("time", time_checks);
	exit_stats_enable(enabled);
	return tap_end();
}
