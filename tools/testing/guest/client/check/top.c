// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check that kvm-stats top shows the right guests and values, and ends. See terminal.h for the
 * text that the regular expressions match.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/kernel.h"
#include "client/scenario.h"
#include "lib/extensions.h"
#include "qemu/answer.h"

static bool __attribute__((__format__(__printf__, 2, 3)))
shows(struct scenario *scenario, const char *format, ...)
{
	char regex[256];
	va_list args;

	va_start(args, format);
	vsnprintf(regex, sizeof(regex), format, args);
	va_end(args);
	return terminal_shows(&scenario->top, regex, SECONDS);
}

/* Waits for the message that the other guest @event. */
static bool reports_other(struct scenario *scenario, const char *event)
{
	char regex[128];

	snprintf(regex, sizeof(regex), " other \\(%d\\) %s", (int)scenario->other_pid, event);
	return terminal_reports(&scenario->top, regex, SECONDS);
}

static void type(struct scenario *scenario, const char *keys)
{
	terminal_type(&scenario->top, keys);
}

enum verdict check_top_starts(void *ctx)
{
	const char *source = kernel_has_stats_open() ? " \\(next\\)" : "";
	struct scenario *scenario = ctx;
	bool ok = !terminal_start(&scenario->top, 0, "top --classic -s 0.5") &&
		  shows(scenario, "^ kvm statistics - summary "
			"1 guest, %d vCPUs, statistics fds%s, every 0\\.5 s "
			"Event Total %%Total CurAvg/s ", VMM_CPUS, source) &&
		  shows(scenario, " exits [1-9][0-9]* [0-9.]+ [1-9]");

	return ok ? PASS : FAIL;
}

enum verdict check_top_guests(void *ctx)
{
	struct scenario *scenario = ctx;
	bool ok;

	type(scenario, "b");
	ok = shows(scenario, " PID Guest Name Total ") &&
	     shows(scenario, " %d stats-guest [1-9][0-9]* ", scenario->qemu.vmm.pid);
	return ok ? PASS : FAIL;
}

/* Enters the guest and its busiest vCPU, and goes back to the statistics of all guests. */
enum verdict check_top_navigation(void *ctx)
{
	struct scenario *scenario = ctx;
	int pid = scenario->qemu.vmm.pid;
	bool ok;

	type(scenario, KEY_DOWN "\r");
	ok = shows(scenario, "^ kvm statistics - pid %d \\(stats-guest\\) [0-9]", pid) &&
	     shows(scenario, " vcpu0 [1-9][0-9]* ") && shows(scenario, " vcpu1 ") &&
	     shows(scenario, " vm [0-9]+ ");
	type(scenario, KEY_DOWN "\r");
	ok = ok && shows(scenario, "^ kvm statistics - pid %d \\(stats-guest\\) vcpu[01] ", pid) &&
	     shows(scenario, " exits [1-9]");
	type(scenario, KEY_LEFT);
	ok = ok && shows(scenario, " vcpu1 ");
	type(scenario, KEY_LEFT);
	ok = ok && shows(scenario, " %d stats-guest ", pid);
	type(scenario, "b");
	return ok && shows(scenario, " exits ") ? PASS : FAIL;
}

/* In a narrow terminal, top omits all columns except the rate. */
enum verdict check_top_resizes(void *ctx)
{
	struct scenario *scenario = ctx;
	bool ok;

	terminal_set_columns(&scenario->top, 30);
	ok = shows(scenario, " Event CurAvg/s ") && shows(scenario, " exits ");
	terminal_set_columns(&scenario->top, TERMINAL_COLUMNS);
	return ok && shows(scenario, " Event Total %%Total CurAvg/s ") ? PASS : FAIL;
}

enum verdict check_top_filter(void *ctx)
{
	struct scenario *scenario = ctx;
	bool ok;

	type(scenario, "f");
	ok = shows(scenario, " Regular expression");
	type(scenario, "exits$\r");
	ok = ok && shows(scenario, " regex filter: exits\\$ ") && shows(scenario, " exits ") &&
	     terminal_lacks(&scenario->top, " (io_exits|pf_fixed) ", SECONDS);
	return ok ? PASS : FAIL;
}

/* The guest is stopped. The key 'i' includes the exits before the start of top. */
enum verdict check_top_values(void *ctx)
{
	struct scenario *scenario = ctx;
	uint64_t sum = 0, value;
	bool ok = true;
	int i;

	for (i = 0; i < VMM_CPUS; i++) {
		json_t *stats = query_one(&scenario->qemu, i, NULL);

		ok &= answer_value(answer_find(stats, "exits"), 0, &value);
		sum += value;
		json_decref(stats);
	}
	type(scenario, "i");
	ok = ok && shows(scenario, " exits %" PRIu64 " 100\\.0 0 ", sum);
	type(scenario, "i");
	return ok ? PASS : FAIL;
}

enum verdict check_top_other(void *ctx)
{
	struct scenario *scenario = ctx;
	bool ok = reports_other(scenario, "has (appeared|changed): 1 VM, ");

	type(scenario, "cb");
	ok = ok && shows(scenario, " %d other [1-9][0-9]* ", scenario->other_pid) &&
	     shows(scenario, " %d stats-guest ", scenario->qemu.vmm.pid) &&
	     shows(scenario, " 2 guests, %d vCPUs, statistics fds", 2 * VMM_CPUS);
	/* Otherwise curses draws only the words of the next message that differ. */
	ok = ok && terminal_lacks(&scenario->top, "has (appeared|changed)", SECONDS);
	return ok ? PASS : FAIL;
}

enum verdict check_top_no_other(void *ctx)
{
	struct scenario *scenario = ctx;
	char regex[32];
	bool ok = reports_other(scenario, "has ended");

	snprintf(regex, sizeof(regex), " %d other ", scenario->other_pid);
	ok = ok && terminal_lacks(&scenario->top, regex, SECONDS) &&
	     shows(scenario, " %d stats-guest ", scenario->qemu.vmm.pid) &&
	     shows(scenario, " 1 guest, %d vCPUs, statistics fds", VMM_CPUS);
	return ok ? PASS : FAIL;
}

/* The guest is stopped. */
enum verdict check_top_debugfs(void *ctx)
{
	struct scenario *scenario = ctx;
	unsigned long long exits = 0;
	bool ok = !terminal_start(&scenario->top, 0, "top --classic -s 0.5 -i -f exits$") &&
		  shows(scenario, " 1 guest, %d vCPUs, debugfs, every 0\\.5 s,", VMM_CPUS) &&
		  debugfs_value(scenario->qemu.vmm.pid, "exits", &exits) && exits &&
		  shows(scenario, " exits %llu ", exits);

	return ok ? PASS : FAIL;
}

enum verdict check_top_ends(void *ctx)
{
	struct scenario *scenario = ctx;
	int status;

	if (!scenario->top.pid) {
		note("top does not run");
		return FAIL;
	}
	type(scenario, "q");
	status = terminal_status(&scenario->top, SECONDS);
	terminal_close(&scenario->top);
	if (status)
		note("exit status 0 expected, found %d", status);
	return status ? FAIL : PASS;
}
