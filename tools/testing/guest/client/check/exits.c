// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of exit statistics in kvm-stats, with two VMs. They were switched on after the guest of
 * root's QEMU had stopped, and before the other user's QEMU started.
 */
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "client/scenario.h"
#include "lib/exit_stats.h"
#include "qemu/check/table.h"

#define CLASS_IO	",class=\"io\""
#define MAX_SERIES	100	/* of a guest, while exit statistics are off */
#define ADVICE		"exit statistics are off. To switch them on, run 'echo 1 >"

/* Returns the number of lines that begin with @start. */
static int count_lines(const char *text, const char *start)
{
	const char *line;
	int count = 0;

	for (line = text; *line; line = next_line(line))
		count += !strncmp(line, start, strlen(start));
	return count;
}

/* Statistics that both VMs have are in the table once. */
static enum verdict both_schemas(void *ctx)
{
	struct scenario *scenario = ctx;
	bool ok = kvm_stats_runs(scenario, 0, 0, "schema") &&
		  output_matches(scenario, "^vcpu +exits +cumulative ") &&
		  output_matches(scenario, "^vcpu +exit_io +cumulative ") &&
		  output_matches(scenario, "^vcpu +exit_io_ns +cumulative +ns ") &&
		  output_matches(scenario, "^vm +pages_4k +instant ");

	if (ok && (count_lines(scenario->run.text, "vcpu    exits ") != 1 ||
		   count_lines(scenario->run.text, "vm      pages_4k ") != 1)) {
		note("a statistic that both VMs have is not printed once");
		ok = false;
	}
	return ok ? PASS : FAIL;
}

static enum verdict both_read(void *ctx)
{
	struct scenario *scenario = ctx;
	bool ok = kvm_stats_runs(scenario, 0, 0, "read -f ^(exits|exit_io)$ --vcpu 0");
	int exits, io;

	exits = count_lines(scenario->run.text, "vcpu0   exits ");
	io = count_lines(scenario->run.text, "vcpu0   exit_io ");
	if (ok && (exits != 2 || io != 2)) {
		note("exits and exit_io of 2 VMs expected, found %d and %d", exits, io);
		ok = false;
	}
	return ok ? PASS : FAIL;
}

/* Runs kvm-stats while exit statistics are off. */
static bool runs_while_off(void *ctx, const char *arguments)
{
	bool ok = exit_stats_switch(false) && kvm_stats_runs(ctx, 0, 0, arguments);

	return exit_stats_switch(true) && ok;
}

static enum verdict both_logged(void *ctx)
{
	static const char arguments[] = "log --csv -i 0.3 -c 3 -f ^(exits|exit_io)$";
	struct scenario *scenario = ctx;
	bool ok = kvm_stats_runs(ctx, 0, 0, arguments) &&
		  output_matches(ctx, "^timestamp,exit_io,exits$") &&
		  output_matches(ctx, "^20[0-9-]+T[0-9:.]+[+-][0-9:]+,[0-9]+,[0-9]*[1-9][0-9]*$");

	if (ok && strstr(scenario->run.text, ADVICE)) {
		note("log says that exit statistics are off");
		ok = false;
	}
	ok = ok && runs_while_off(ctx, arguments);
	if (ok && !strstr(scenario->run.text, ADVICE)) {
		note("log does not say that exit statistics are off");
		ok = false;
	}
	return ok ? PASS : FAIL;
}

static enum verdict both_queried(void *ctx)
{
	bool ok = kvm_stats_runs(ctx, 0, 0, "query -g other -f ^exit_io$") &&
		  output_matches(ctx, "\"name\": \"exit_io\", \"value\": [1-9]") &&
		  kvm_stats_runs(ctx, 0, 0, "schema --json -g other") &&
		  output_matches(ctx, "\"name\": \"exit_io\"") &&
		  kvm_stats_runs(ctx, 0, 0, "schema --json -g stats-guest") &&
		  output_matches(ctx, "\"name\": \"exit_io\"");

	return ok ? PASS : FAIL;
}

static bool has_class_io(const char *text, const char *guest, int vcpu)
{
	struct exposed labels = { guest, vcpu };
	const char *kind = vcpu < 0 ? "guest" : "vcpu";
	char count[64], time[64];

	snprintf(count, sizeof(count), "kvm_%s_exits_by_class_total", kind);
	snprintf(time, sizeof(time), "kvm_%s_exit_seconds_total", kind);
	return *exposition_value(text, &labels, count, CLASS_IO) &&
	       *exposition_value(text, &labels, time, CLASS_IO);
}

/* Only classes that have exits have series. */
static enum verdict both_served(void *ctx)
{
	struct scenario *scenario = ctx;
	struct exposed labels = { "other", -1 };
	bool ok = kvm_stats_runs(scenario, 0, 0, "serve --once --per-vcpu") &&
		  output_matches(scenario, "^kvm_exit_stats_enabled 1$");
	const char *text = scenario->run.text;

	if (ok && (!has_class_io(text, "other", -1) || !has_class_io(text, "other", 0))) {
		note("the class io of the guest that runs is missing");
		ok = false;
	}
	if (ok && *exposition_value(text, &labels, "kvm_guest_exits_by_class_total",
				    ",class=\"entry_failed\"")) {
		note("a class without exits has a series");
		ok = false;
	}
	ok = ok && runs_while_off(ctx, "serve --once --per-vcpu") &&
	     output_matches(scenario, "^kvm_exit_stats_enabled 0$");
	if (ok && (!strstr(text, ADVICE) || strstr(text, CLASS_IO))) {
		note("serve does not say that exit statistics are off, or exports them");
		ok = false;
	}
	return ok ? PASS : FAIL;
}

/* Returns the number of series of a guest, without those of each vCPU. */
static int count_series(const char *text, const char *guest)
{
	char label[64];
	const char *line;
	int count = 0;

	snprintf(label, sizeof(label), "{guest=\"%s\",", guest);
	for (line = text; *line; line = next_line(line)) {
		const char *at = strstr(line, label);

		count += at && at < line + strcspn(line, "\n ");
	}
	return count;
}

static enum verdict few_series(void *ctx)
{
	struct scenario *scenario = ctx;
	bool ok = runs_while_off(ctx, "serve --once");
	int off = count_series(scenario->run.text, "other"), on, classes;

	ok = ok && kvm_stats_runs(scenario, 0, 0, "serve --once");
	on = count_series(scenario->run.text, "other");
	classes = count_lines(scenario->run.text,
			      "kvm_guest_exits_by_class_total{guest=\"other\"");
	note("%d series while exit statistics are off; %d with %d classes", off, on, classes);
	return ok && off <= MAX_SERIES && classes && on == off + 14 + 2 * classes ? PASS : FAIL;
}

#define DEFINE_CHECK(name)							\
	enum verdict check_##name(void *ctx)					\
	{									\
		return kernel_has_exit_stats() ? name(ctx) : skip("%s", NO_EXIT_STATS);	\
	}

DEFINE_CHECK(both_schemas)
DEFINE_CHECK(both_read)
DEFINE_CHECK(both_logged)
DEFINE_CHECK(both_queried)
DEFINE_CHECK(both_served)
DEFINE_CHECK(few_series)
