// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of the exit statistics of CPU 0 of the other user's QEMU, which boots: they are switched
 * while it runs. QEMU and kvm-stats show the same.
 */
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "client/scenario.h"
#include "lib/clock.h"
#include "lib/exit_stats.h"
#include "qemu/answer.h"

#define CLASS_IO	",class=\"io\""
#define MAX_SERIES	100	/* of a guest while the exit statistics are off */

/* The first one always counts. */
static const char * const names[] = { "exits", "exit_io", "exit_io_ns", "guest_ns" };

struct values {
	uint64_t of[ARRAY_SIZE(names)];
};

static bool query_values(struct scenario *scenario, struct values *values)
{
	json_t *stats = query_one(&scenario->other, 0, NULL);
	bool ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (answer_value(answer_find(stats, names[i]), 0, &values->of[i]))
			continue;
		note("QEMU does not show %s", names[i]);
		ok = false;
	}
	json_decref(stats);
	return ok;
}

/* Do all values differ from @before, or only the first one? */
static bool grew(struct scenario *scenario, const struct values *before, bool all)
{
	struct values values;
	bool ok = query_values(scenario, &values);
	size_t i;

	for (i = 0; ok && i < ARRAY_SIZE(names); i++)
		ok = (values.of[i] > before->of[i]) == (all || !i);
	return ok;
}

static bool grow(struct scenario *scenario, const struct values *before, bool all)
{
	long long deadline = ms_now() + SECONDS * 1000LL;
	bool ok;

	do
		ok = grew(scenario, before, all);
	while (!ok && ms_until(deadline) && (ms_sleep(100), true));
	if (!ok)
		note("%s", all ? "a value does not grow" : "an exit statistic grows");
	return ok;
}

static bool reads(struct scenario *scenario, const char *more)
{
	char arguments[128];

	snprintf(arguments, sizeof(arguments), "read -p %d --vcpu 0 %s",
		 (int)scenario->other_pid, more);
	return kvm_stats_runs(scenario, 0, 0, arguments);
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

/* The exit statistics are off: neither QEMU nor kvm-stats sees them grow. */
static bool do_not_grow(struct scenario *scenario, struct values *values)
{
	bool ok = query_values(scenario, values) && reads(scenario, "");
	size_t i;

	for (i = 1; ok && i < ARRAY_SIZE(names); i++) {
		ok = shows_value(&scenario->run, "vcpu0", names[i], values->of[i]);
		if (!ok)
			note("%s differs from QEMU", names[i]);
	}
	return ok && grow(scenario, values, false);
}

static enum verdict exits_off(void *ctx)
{
	struct scenario *scenario = ctx;
	struct values values;
	bool ok = do_not_grow(scenario, &values) &&
		  kvm_stats_runs(scenario, 0, 0, "serve --once --per-vcpu");
	size_t i;

	for (i = 1; ok && i < ARRAY_SIZE(names); i++) {
		ok = !values.of[i];
		if (!ok)
			note("%s is not 0", names[i]);
	}
	if (ok && has_class_io(scenario->run.text, "other", 0)) {
		note("serve shows classes of exits although they do not count");
		ok = false;
	}
	return ok ? PASS : FAIL;
}

static bool rate_is_shown(struct scenario *scenario)
{
	return reads(scenario, "-f ^guest_ns$ -i 0.5 -c 3") &&
	       rates_agree(&scenario->run, "vcpu0", "guest_ns");
}

/* Only classes that have exits have series. */
static bool classes_are_served(struct scenario *scenario)
{
	struct exposed labels = { "other", -1 };
	bool ok = kvm_stats_runs(scenario, 0, 0, "serve --once --per-vcpu");
	const char *text = scenario->run.text;

	if (ok && (!has_class_io(text, "other", -1) || !has_class_io(text, "other", 0))) {
		note("serve does not show the class io");
		ok = false;
	}
	if (ok && *exposition_value(text, &labels, "kvm_guest_exits_by_class_total",
				    ",class=\"entry_failed\"")) {
		note("a class without exits has a series");
		ok = false;
	}
	return ok;
}

static enum verdict exits_on(void *ctx)
{
	struct scenario *scenario = ctx;
	struct values values;
	bool ok = query_values(scenario, &values) && exit_stats_enable(true) &&
		  grow(scenario, &values, true) && rate_is_shown(scenario) &&
		  classes_are_served(scenario);

	return ok ? PASS : FAIL;
}

static enum verdict exits_off_again(void *ctx)
{
	struct values values;
	bool ok = exit_stats_enable(false);

	ms_sleep(100);
	return ok && do_not_grow(ctx, &values) ? PASS : FAIL;
}

/* Returns the number of lines that begin with @start. */
static int count_lines(const char *text, const char *start)
{
	const char *line;
	int count = 0;

	for (line = text; *line; line = next_line(line))
		count += !strncmp(line, start, strlen(start));
	return count;
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

/* Return the number of series of the other guest. */
static int served_series(struct scenario *scenario)
{
	return kvm_stats_runs(scenario, 0, 0, "serve --once") ?
	       count_series(scenario->run.text, "other") : 0;
}

static enum verdict few_series(void *ctx)
{
	struct scenario *scenario = ctx;
	int on = served_series(scenario), off;
	int classes = count_lines(scenario->run.text,
				  "kvm_guest_exits_by_class_total{guest=\"other\"");

	exit_stats_enable(false);
	off = served_series(scenario);
	exit_stats_enable(true);
	note("%d series while they are off; %d with %d classes", off, on, classes);
	return off && off <= MAX_SERIES && classes && on == off + 14 + 2 * classes ? PASS : FAIL;
}

#define DEFINE_CHECK(name)							\
	enum verdict check_##name(void *ctx)					\
	{									\
		return kernel_has_exit_stats() ? name(ctx) : skip("%s", NO_EXIT_STATS);	\
	}

DEFINE_CHECK(exits_off)
DEFINE_CHECK(exits_on)
DEFINE_CHECK(few_series)
DEFINE_CHECK(exits_off_again)
