// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the verdicts of kvm-stats why: the rules with facts on both sides of each threshold,
 * mutations of the rules, and evidence from a fake host with sample files in place of /proc and the
 * cgroups.
 */
#include <math.h>

#include "cgroup.h"
#include "fake_host.h"
#include "guest_files.h"
#include "tap.h"
#include "util.h"
#include "why/verdict.h"

/* ---- the rules ---- */

struct fact_value {
	enum fact fact;
	double value;
};

static const struct rule_case {
	enum rule_id expected;
	struct fact_value with[6];
} rule_cases[] = {
	{ RULE_NONE, { { FACT_RUNNING, 60 } } },
	{ RULE_TOO_NEW, { { FACT_TOO_NEW, 1 }, { FACT_STOPPED, 1 } } },
	{ RULE_STOPPED, { { FACT_STOPPED, 1 }, { FACT_FROZEN, 1 }, { FACT_ALL_HALTED, 99 } } },
	{ RULE_FROZEN, { { FACT_FROZEN, 1 }, { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 90 } } },
	/* A limit, and waits that look the same */
	{ RULE_LIMITED, { { FACT_PERIODS, 3 }, { FACT_PERIODS_SHARE, 11 },
			  { FACT_WAITING, 1.1 } } },
	{ RULE_LIMITED, { { FACT_PERIODS, 9 }, { FACT_PERIODS_SHARE, 90 }, { FACT_WAITING, 50 },
			  { FACT_WAIT_SEEN, 90 }, { FACT_REAL_TIME, 90 }, { FACT_SAMPLES, 9 } } },
	{ RULE_LIMITED, { { FACT_THROTTLED, 110 }, { FACT_PERIODS_SHARE, 11 },
			  { FACT_WAITING, 1.1 } } },
	{ RULE_NONE, { { FACT_PERIODS, 2.5 }, { FACT_PERIODS_SHARE, 90 }, { FACT_WAITING, 4 } } },
	{ RULE_NONE, { { FACT_PERIODS, 9 }, { FACT_PERIODS_SHARE, 9 }, { FACT_WAITING, 4 } } },
	{ RULE_NONE, { { FACT_PERIODS, 9 }, { FACT_PERIODS_SHARE, 90 }, { FACT_WAITING, 0.9 } } },
	{ RULE_NONE, { { FACT_THROTTLED, 90 }, { FACT_PERIODS_SHARE, 50 }, { FACT_WAITING, 4 } } },
	{ RULE_NONE, { { FACT_THROTTLED, 900 }, { FACT_PERIODS_SHARE, 9 }, { FACT_WAITING, 4 } } },
	{ RULE_NONE, { { FACT_THROTTLED, 900 }, { FACT_PERIODS_SHARE, 90 },
		       { FACT_WAITING, 0.9 } } },
	/* Waits for a CPU, and for whose sake */
	{ RULE_WAITS, { { FACT_WAITING, 5.5 }, { FACT_WAIT_SEEN, 44 } } },
	{ RULE_WAITS, { { FACT_WAITING, 0 }, { FACT_WAIT_NOW, 275 } } },
	{ RULE_NONE, { { FACT_WAITING, 4.5 }, { FACT_WAIT_SEEN, 90 }, { FACT_WAIT_NOW, 225 } } },
	{ RULE_BURST, { { FACT_WAITING, 30 }, { FACT_WAIT_SEEN, 36 }, { FACT_MISSING_CPUS, 2 },
			{ FACT_OWN, 90 } } },
	{ RULE_BURST, { { FACT_WAITING, 5.5 }, { FACT_WAIT_SEEN, 20 } } },
	{ RULE_REAL_TIME, { { FACT_WAITING, 5.5 }, { FACT_WAIT_SEEN, 44 }, { FACT_REAL_TIME, 55 },
			    { FACT_SAMPLES, 5 }, { FACT_MISSING_CPUS, 1 }, { FACT_OWN, 40 } } },
	{ RULE_REAL_TIME, { { FACT_WAIT_NOW, 275 }, { FACT_REAL_TIME, 55 }, { FACT_SAMPLES, 5 } } },
	{ RULE_WAITS, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 90 }, { FACT_REAL_TIME, 45 },
			{ FACT_SAMPLES, 9 } } },
	{ RULE_WAITS, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 90 }, { FACT_REAL_TIME, 90 },
			{ FACT_SAMPLES, 4.5 } } },
	{ RULE_WAITS, { { FACT_WAIT_NOW, 900 }, { FACT_REAL_TIME, 45 }, { FACT_SAMPLES, 9 } } },
	{ RULE_WAITS, { { FACT_WAIT_NOW, 900 }, { FACT_REAL_TIME, 90 }, { FACT_SAMPLES, 4.5 } } },
	{ RULE_BURST, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 36 }, { FACT_REAL_TIME, 90 },
			{ FACT_SAMPLES, 9 } } },
	{ RULE_NONE, { { FACT_WAITING, 4.5 }, { FACT_WAIT_SEEN, 90 }, { FACT_REAL_TIME, 90 },
		       { FACT_SAMPLES, 9 } } },
	{ RULE_NONE, { { FACT_WAIT_NOW, 225 }, { FACT_REAL_TIME, 90 }, { FACT_SAMPLES, 9 } } },
	{ RULE_FEW_CPUS, { { FACT_WAITING, 5.5 }, { FACT_WAIT_SEEN, 44 }, { FACT_MISSING_CPUS, 1 },
			   { FACT_OWN, 55 }, { FACT_WEIGHT_RATIO, 9 }, { FACT_SAMPLES, 4.5 } } },
	{ RULE_FEW_CPUS, { { FACT_WAIT_NOW, 275 }, { FACT_MISSING_CPUS, 1 }, { FACT_OWN, 55 } } },
	{ RULE_WAITS, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 90 }, { FACT_MISSING_CPUS, 1 },
			{ FACT_OWN, 45 } } },
	{ RULE_WAITS, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 90 }, { FACT_MISSING_CPUS, 0 },
			{ FACT_OWN, 90 } } },
	{ RULE_WAITS, { { FACT_WAIT_NOW, 900 }, { FACT_MISSING_CPUS, 1 }, { FACT_OWN, 45 } } },
	{ RULE_WAITS, { { FACT_WAIT_NOW, 900 }, { FACT_MISSING_CPUS, 0 }, { FACT_OWN, 90 } } },
	{ RULE_NONE, { { FACT_WAITING, 4.5 }, { FACT_WAIT_SEEN, 90 }, { FACT_MISSING_CPUS, 1 },
		       { FACT_OWN, 90 }, { FACT_WAIT_NOW, 225 } } },
	{ RULE_WEIGHT, { { FACT_WAITING, 5.5 }, { FACT_WAIT_SEEN, 44 }, { FACT_WEIGHT_RATIO, 2.2 },
			 { FACT_SAMPLES, 5 } } },
	{ RULE_WEIGHT, { { FACT_WAIT_NOW, 275 }, { FACT_WEIGHT_RATIO, 2.2 },
			 { FACT_SAMPLES, 5 } } },
	{ RULE_WAITS, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 90 }, { FACT_WEIGHT_RATIO, 1.8 },
			{ FACT_SAMPLES, 9 } } },
	{ RULE_WAITS, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 90 }, { FACT_WEIGHT_RATIO, 9 },
			{ FACT_SAMPLES, 4.5 } } },
	{ RULE_WAITS, { { FACT_WAIT_NOW, 900 }, { FACT_WEIGHT_RATIO, 1.8 }, { FACT_SAMPLES, 9 } } },
	{ RULE_WAITS, { { FACT_WAIT_NOW, 900 }, { FACT_WEIGHT_RATIO, 9 }, { FACT_SAMPLES, 4.5 } } },
	{ RULE_BURST, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 36 }, { FACT_WEIGHT_RATIO, 9 },
			{ FACT_SAMPLES, 9 } } },
	{ RULE_NONE, { { FACT_WAITING, 4.5 }, { FACT_WAIT_SEEN, 90 }, { FACT_WEIGHT_RATIO, 9 },
		       { FACT_SAMPLES, 9 }, { FACT_WAIT_NOW, 225 } } },
	/* The largest loss decides. A starved I/O thread is not a wait of the vCPU. */
	{ RULE_STARVED, { { FACT_WAITING, 6 }, { FACT_WAIT_SEEN, 90 }, { FACT_HELPER_WAITING, 60 },
			  { FACT_HELPER_LOSS, 60 } } },
	{ RULE_WAITS, { { FACT_WAITING, 60 }, { FACT_WAIT_SEEN, 90 }, { FACT_HELPER_WAITING, 6 },
			{ FACT_HELPER_LOSS, 6 } } },
	{ RULE_STARVED, { { FACT_HELPER_WAITING, 5.5 }, { FACT_HELPER_LOSS, 50 },
			  { FACT_OUTSIDE, 50 }, { FACT_ASLEEP_SEEN, 5 } } },
	{ RULE_VMM, { { FACT_HELPER_WAITING, 4.5 }, { FACT_HELPER_LOSS, 50 }, { FACT_OUTSIDE, 50 },
		      { FACT_ASLEEP_SEEN, 5 } } },
	/* Swapping looks like exits, because the thread runs. */
	{ RULE_MEMORY, { { FACT_FAULTS, 550 }, { FACT_RUNNING, 90 }, { FACT_OVERHEAD, 9 },
			 { FACT_MEMORY_LOSS, 11 } } },
	{ RULE_MEMORY, { { FACT_PRESSURE, 11 }, { FACT_MEMORY_LOSS, 40 }, { FACT_BLOCKED, 40 },
			 { FACT_ASLEEP_SEEN, 5 } } },
	{ RULE_EXITS, { { FACT_FAULTS, 450 }, { FACT_PRESSURE, 9 }, { FACT_RUNNING, 50 },
			{ FACT_OVERHEAD, 9 } } },
	{ RULE_BLOCKED, { { FACT_BLOCKED, 5.5 }, { FACT_ASLEEP_SEEN, 2 } } },
	{ RULE_BLOCKED, { { FACT_BLOCKED, 0.11 }, { FACT_ASLEEP_NOW, 1100 } } },
	{ RULE_NONE, { { FACT_BLOCKED, 4.5 }, { FACT_ASLEEP_SEEN, 9 }, { FACT_ASLEEP_NOW, 900 } } },
	{ RULE_NONE, { { FACT_BLOCKED, 9 }, { FACT_ASLEEP_SEEN, 1.8 }, { FACT_ASLEEP_NOW, 900 } } },
	{ RULE_NONE, { { FACT_BLOCKED, 0.09 }, { FACT_ASLEEP_NOW, 9000 } } },
	{ RULE_BLOCKED, { { FACT_BLOCKED, 30 }, { FACT_OUTSIDE, 20 }, { FACT_ASLEEP_SEEN, 5 } } },
	{ RULE_VMM, { { FACT_BLOCKED, 20 }, { FACT_OUTSIDE, 30 }, { FACT_ASLEEP_SEEN, 5 } } },
	{ RULE_HELPER, { { FACT_OUTSIDE, 5.5 }, { FACT_ASLEEP_SEEN, 2 },
			 { FACT_HELPER_BLOCKED, 55 } } },
	{ RULE_VMM, { { FACT_OUTSIDE, 50 }, { FACT_ASLEEP_SEEN, 9 },
		      { FACT_HELPER_BLOCKED, 45 } } },
	{ RULE_NONE, { { FACT_OUTSIDE, 4.5 }, { FACT_ASLEEP_SEEN, 9 }, { FACT_HELPER_BLOCKED, 90 },
		       { FACT_ASLEEP_NOW, 900 } } },
	{ RULE_NONE, { { FACT_OUTSIDE, 9 }, { FACT_ASLEEP_SEEN, 1.8 },
		       { FACT_HELPER_BLOCKED, 90 } } },
	{ RULE_PAUSED, { { FACT_ALL_OUTSIDE, 1 }, { FACT_OUTSIDE, 100 },
			 { FACT_ASLEEP_SEEN, 9 } } },
	{ RULE_VMM, { { FACT_OUTSIDE, 5.5 }, { FACT_ASLEEP_SEEN, 2 } } },
	{ RULE_VMM, { { FACT_OUTSIDE, 0.11 }, { FACT_ASLEEP_NOW, 1100 } } },
	{ RULE_NONE, { { FACT_OUTSIDE, 0.09 }, { FACT_ASLEEP_NOW, 9000 } } },
	/* While it runs */
	{ RULE_EXITS, { { FACT_RUNNING, 27 }, { FACT_OVERHEAD, 2.2 }, { FACT_EMULATED, 9 } } },
	{ RULE_EMULATION, { { FACT_RUNNING, 27 }, { FACT_OVERHEAD, 2.2 }, { FACT_EMULATED, 11 } } },
	{ RULE_NONE, { { FACT_RUNNING, 23 }, { FACT_OVERHEAD, 9 }, { FACT_EMULATED, 99 } } },
	{ RULE_BUSY, { { FACT_RUNNING, 99 }, { FACT_OVERHEAD, 1.8 }, { FACT_EMULATED, 99 } } },
	{ RULE_STEAL, { { FACT_STEAL, 11 }, { FACT_RUNNING, 11 } } },
	{ RULE_NONE, { { FACT_STEAL, 9 }, { FACT_RUNNING, 50 } } },
	{ RULE_IDLE, { { FACT_STEAL, 50 }, { FACT_RUNNING, 9 }, { FACT_HALTED, 91 } } },
	/* Notes */
	{ RULE_HALTED, { { FACT_ALL_HALTED, 66 }, { FACT_HALTED, 100 } } },
	{ RULE_IDLE, { { FACT_ALL_HALTED, 54 }, { FACT_HALTED, 99 } } },
	{ RULE_NONE, { { FACT_HALTED, 81 }, { FACT_RUNNING, 19 } } },
	{ RULE_BUSY, { { FACT_RUNNING, 99 } } },
	{ RULE_NONE, { { FACT_RUNNING, 81 } } },
};

static struct facts facts_of(const struct rule_case *test)
{
	struct facts facts = { 0 };
	size_t i;

	for (i = 0; i < FACTS; i++)
		facts.value[i] = NAN;
	for (i = 0; i < ARRAY_SIZE(test->with); i++) {
		const struct fact_value *with = &test->with[i];

		/* Unused entries are those of FACT_TOO_NEW with 0. */
		if (with->value > 0 || with->fact != FACT_TOO_NEW)
			facts.value[with->fact] = with->value;
	}
	return facts;
}

/* Returns the first case in which the table decides otherwise, or NULL. */
static const struct rule_case *wrong_case(const struct rule *table)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rule_cases); i++) {
		struct facts facts = facts_of(&rule_cases[i]);

		if (rules_decide(table, &facts) != rule_cases[i].expected)
			return &rule_cases[i];
	}
	return NULL;
}

static void test_rules(void)
{
	const struct rule_case *wrong = wrong_case(why_rules);
	struct facts facts;

	if (wrong) {
		facts = facts_of(wrong);
		tap_ok(false, "case %zu: expected '%s', found '%s'", (size_t)(wrong - rule_cases),
		       why_rules[wrong->expected].name,
		       why_rules[rules_decide(why_rules, &facts)].name);
	} else {
		tap_ok(true, "the rules decide %zu cases as expected", ARRAY_SIZE(rule_cases));
	}
}

/* ---- mutations: the cases above must find each of them ---- */

/* Turns one threshold up or down. Thresholds of 1 are those of facts that are only 0 or 1. */
static void mutate_thresholds(struct rule *table)
{
	static const double factors[] = { 1.2, 0.82 };
	size_t found = 0, all = 0, i, n;

	for (i = 0; i < RULES; i++) {
		for (n = 0; n < 2 * ARRAY_SIZE(table->when[0]) * ARRAY_SIZE(factors); n++) {
			struct condition *condition = &table[i].when[n / 8][n / 2 % 4];
			double least = condition->least, factor = factors[n % 2];

			if (!least || (least == 1 && factor < 1 && condition->fact != FACT_WAITING))
				continue;
			condition->least *= factor;
			all++;
			if (wrong_case(table))
				found++;
			else
				printf("# survives: %s: %s >= %g\n", table[i].name,
				       fact_name(condition->fact), condition->least);
			condition->least = least;
		}
	}
	tap_is(found, all, "each change of a threshold is found");
}

/* Exchanges the conditions of two rules. */
static void mutate_causes(struct rule *table)
{
	size_t found = 0, all = 0, i, n;

	for (i = 0; i < RULE_NONE; i++) {
		for (n = i + 1; n < RULE_NONE; n++, all++) {
			struct rule first = table[i];

			table[i] = table[n];
			table[n] = first;
			found += wrong_case(table) ? 1 : 0;
			table[n] = table[i];
			table[i] = first;
		}
	}
	tap_is(found, all, "each exchange of two causes is found");
}

static void test_mutations(void)
{
	struct rule table[RULES];

	memcpy(table, why_rules, sizeof(table));
	mutate_thresholds(table);
	mutate_causes(table);
}

static void test_table(void)
{
	bool complete = true;
	size_t i;

	for (i = 0; i < RULES; i++) {
		const struct rule *rule = &why_rules[i];

		complete &= rule->name && rule->text && rule->evidence && rule->source &&
			    !rule->remedy == rule->is_note;
	}
	tap_ok(complete, "each rule has its texts, and each finding a remedy");
}

/* ---- a fake host ---- */

enum {
	KNOWN, STATE, CPU, ON_CPU, QUEUED, ARRIVAL, EXEC_START, RUN_DELAY, RUNTIME, USER, SYSTEM,
	GUEST, FAULTS, CLOCK, CLOCK_TASK, BLOCKING, HALT_TIME, EXITS, IO_EXITS, VALUES,
};

static const struct fake_stat vcpu_stats[VALUES] = {
	[KNOWN] = { .name = "thread_known", .size = 1 },
	[STATE] = { .name = "thread_state", .size = 1 },
	[CPU] = { .name = "thread_cpu", .size = 1 },
	[ON_CPU] = { .name = "thread_on_cpu", .size = 1 },
	[QUEUED] = { .name = "thread_last_queued_ns", .size = 1 },
	[ARRIVAL] = { .name = "thread_last_arrival_ns", .size = 1 },
	[EXEC_START] = { .name = "thread_exec_start_ns", .size = 1 },
	[RUN_DELAY] = { .name = "thread_run_delay_ns", .size = 1 },
	[RUNTIME] = { .name = "thread_runtime_ns", .size = 1 },
	[USER] = { .name = "thread_user_ns", .size = 1 },
	[SYSTEM] = { .name = "thread_system_ns", .size = 1 },
	[GUEST] = { .name = "thread_guest_ns", .size = 1 },
	[FAULTS] = { .name = "thread_major_faults", .size = 1 },
	[CLOCK] = { .name = "thread_rq_clock_ns", .size = 1 },
	[CLOCK_TASK] = { .name = "thread_rq_clock_task_ns", .size = 1 },
	[BLOCKING] = { .name = "blocking", .size = 1 },
	[HALT_TIME] = { .name = "halt_wait_ns", .size = 1 },
	[EXITS] = { .name = "exits", .size = 1 },
	[IO_EXITS] = { .name = "io_exits", .size = 1 },
};

#define PID		7
#define TID		10000	/* of vCPU 0; the one of the other guest is vCPU 5 */
#define OTHER_VCPU	5

/* What a vCPU does in each second: times in ms, and the state at its end */
struct behaviour {
	int guest, kvm, vmm, wait, halt;
	char state;		/* R, W (waits), H (halted), O (outside), D, T */
	int faults, exits;
	int cpu;
};

static pid_t other_pid = 8;

struct host_test {
	struct fake_host host;
	struct host proc;
	struct evidence evidence;
	uint64_t value[8][VALUES];
	int seconds;
};

static void add_second(struct host_test *test, int vcpu, const struct behaviour *does)
{
	uint64_t *value = test->value[vcpu], now = test->host.image.time;
	int run = does->guest + does->kvm + does->vmm;

	value[KNOWN] = 1;
	value[STATE] = does->state == 'D' ? 2 : does->state == 'T' ? 4 :
		       does->state == 'H' || does->state == 'O';
	value[CPU] = (uint64_t)does->cpu;
	value[ON_CPU] = does->state == 'R';
	value[RUNTIME] += (uint64_t)run * MILLISECOND;
	value[GUEST] += (uint64_t)does->guest * MILLISECOND;
	value[USER] += (uint64_t)(does->guest + does->vmm) * MILLISECOND;
	value[SYSTEM] += (uint64_t)does->kvm * MILLISECOND;
	value[RUN_DELAY] += (uint64_t)does->wait * MILLISECOND;
	if (does->state != 'W')
		value[QUEUED] = 0;
	else if (run || !value[QUEUED])
		value[QUEUED] = now - 10 * MILLISECOND;
	value[CLOCK] = now;
	value[CLOCK_TASK] = now;
	if (run || !value[EXEC_START])
		value[EXEC_START] = now;
	value[BLOCKING] = does->state == 'H';
	value[HALT_TIME] += (uint64_t)does->halt * MILLISECOND;
	value[FAULTS] += (uint64_t)does->faults;
	value[EXITS] += (uint64_t)does->exits;
	value[IO_EXITS] += (uint64_t)does->exits;
}

/* One pass. Each guest has a VM. With NULL, there is no other guest. */
static void pass(struct host_test *test, const struct behaviour *first,
		 const struct behaviour *second, const struct behaviour *other)
{
	fake_host_vm(&test->host, PID, PID, NULL);
	add_second(test, 0, first);
	fake_host_vcpu(&test->host, PID, 0, test->value[0]);
	if (second) {
		add_second(test, 1, second);
		fake_host_vcpu(&test->host, PID, 1, test->value[1]);
	}
	if (other) {
		fake_host_vm(&test->host, (uint64_t)other_pid, other_pid, NULL);
		add_second(test, OTHER_VCPU, other);
		fake_host_vcpu(&test->host, (uint64_t)other_pid, OTHER_VCPU,
			       test->value[OTHER_VCPU]);
	}
	if (fake_host_sample(&test->host))
		fake_host_fail("no sample");
	/* Read the processes now: sample files only count if the host file is not a copy. */
	test->host.monitor->is_copy = false;
	test->host.monitor->options.processes = PROCESSES_STATES;
	monitor_read_processes(test->host.monitor);
	test->host.monitor->options.processes = PROCESSES_UNREAD;
	host_update(&test->proc);
	evidence_update(&test->evidence, test->host.monitor, &test->proc);
	test->seconds++;
}

static void open_test(struct host_test *test)
{
	*test = (struct host_test){ .evidence.window = 20 * SECOND };
	fake_host_open(&test->host, NULL, 0, vcpu_stats, VALUES);
	test->host.image.time += 100 * SECOND;
	fake_host_begin_pass(&test->host);
}

static void close_test(struct host_test *test)
{
	evidence_free(&test->evidence);
	fake_host_close(&test->host);
}

/* Writes files before each pass, or NULL */
static void (*prepare)(int second);

static int passes = 11;

/* The verdict after these passes */
static struct verdict verdict_of(const struct behaviour *first, const struct behaviour *second,
				 const struct behaviour *other, double *part)
{
	const struct guest_evidence *guest;
	struct host_test test;
	struct verdict verdict;
	size_t at = 0;

	open_test(&test);
	while (test.seconds < passes) {
		if (prepare)
			prepare(test.seconds);
		pass(&test, first, second, other);
	}
	guest = &test.evidence.guest[0];
	guest_verdict(&verdict, &test.evidence, guest);
	if (part)
		thread_parts(guest_next_vcpu(guest, &at), part);
	close_test(&test);
	return verdict;
}

static void expect(const char *what, struct verdict verdict, enum rule_id rule,
		   const char *evidence)
{
	bool good = verdict.rule == rule && strstr(verdict.evidence, evidence);

	tap_ok(good, "%s: %s", what, why_rules[rule].name);
	if (!good)
		printf("# %s: %s (%s, %.0f s)\n", why_rules[verdict.rule].name, verdict.text,
		       verdict.evidence, verdict.since);
}

static void test_parts(void)
{
	static const struct behaviour does = {
		.guest = 200, .kvm = 100, .vmm = 50, .wait = 150, .halt = 400, .state = 'H',
	};
	double part[PARTS], sum = 0;
	size_t i;

	verdict_of(&does, NULL, NULL, part);
	for (i = 0; i < PARTS; i++)
		sum += part[i];
	tap_ok(fabs(sum - 100) < 0.01, "the parts of the time are 100 percent");
	tap_ok(fabs(part[PART_GUEST] - 20) < 0.1 && fabs(part[PART_KVM] - 10) < 0.1 &&
	       fabs(part[PART_VMM] - 5) < 0.1 && fabs(part[PART_WAITING] - 15) < 0.1 &&
	       fabs(part[PART_HALTED] - 50) < 0.1, "each part has its time");
	thread_parts(&(struct thread_evidence){
		.sum[0] = { [SUM_TIME] = 3, [SUM_RUNTIME] = 1, [SUM_WAITING] = 2 },
	}, part);
	tap_ok(!signbit(part[PART_HALTED]), "rounding makes no part negative");
}

/* The list of a monitor has the order of PIDs, which is not that in which guests appeared. */
static void test_order_of_guests(void)
{
	static const struct behaviour busy = { .guest = 1000, .state = 'R' };
	const struct guest_evidence *first, *second;
	struct host_test test;
	int i;

	other_pid = 6;
	open_test(&test);
	pass(&test, &busy, NULL, NULL);
	pass(&test, &busy, NULL, &busy);
	evidence_free(&test.evidence);
	for (i = 0; i < 3; i++)
		pass(&test, &busy, NULL, &busy);
	first = evidence_of(&test.evidence, test.host.monitor->vmm[0]->id);
	second = evidence_of(&test.evidence, test.host.monitor->vmm[1]->id);
	tap_ok(test.evidence.guests == 2 && first && first->samples_taken == 3 && second &&
	       second->samples_taken == 3, "each guest is found again");
	close_test(&test);
	other_pid = 8;
}

/* The kernel divides run time at timer ticks. */
static void test_short_time(const struct behaviour *storm)
{
	struct guest_evidence *guest;
	struct host_test test;
	struct verdict verdict;
	size_t at = 0;

	open_test(&test);
	pass(&test, storm, NULL, NULL);
	pass(&test, storm, NULL, NULL);
	guest = &test.evidence.guest[0];
	guest_next_vcpu(guest, &at);
	guest->thread[at - 1].sum[test.evidence.current][SUM_TIME]--;
	guest_verdict(&verdict, &test.evidence, guest);
	expect("exits for less than a second", verdict, RULE_BUSY, "");
	close_test(&test);
}

static void test_vcpus(void)
{
	static const struct behaviour idle = { .guest = 10, .halt = 990, .state = 'H' };
	static const struct behaviour busy = { .guest = 1000, .state = 'R', .cpu = 3 };
	static const struct behaviour half = { .guest = 500, .wait = 500, .state = 'W', .cpu = 3 };
	static const struct behaviour never = { .state = 'W', .cpu = 3 };
	static const struct behaviour stopped = { .state = 'T' };
	static const struct behaviour disk = { .guest = 300, .state = 'D' };
	static const struct behaviour outside = { .guest = 300, .state = 'O' };
	static const struct behaviour paused = { .state = 'O' };
	static const struct behaviour halted = { .state = 'H' };
	static const struct behaviour storm = {
		.guest = 200, .kvm = 500, .vmm = 300, .state = 'R', .exits = 5000,
	};
	static const struct behaviour swap = {
		.guest = 100, .kvm = 800, .vmm = 50, .state = 'R', .faults = 900,
	};
	struct verdict verdict;

	expect("idle", verdict_of(&idle, &idle, NULL, NULL), RULE_IDLE, "99 %");
	expect("busy", verdict_of(&busy, &idle, NULL, NULL), RULE_BUSY, "100 %");
	verdict = verdict_of(&half, &idle, &busy, NULL);
	expect("shares a CPU", verdict, RULE_WAITS,
	       "CPU 3 is shared with ?/vcpu5 (candidate, 100 %)");
	tap_ok(verdict.affected == 1 && verdict.vcpus == 2 && fabs(verdict.loss - 51) < 2 &&
	       verdict.strength == STRENGTH_CERTAIN, "its share, strength and vCPUs are known");
	verdict = verdict_of(&never, NULL, &busy, NULL);
	expect("gets no CPU", verdict, RULE_WAITS, "CPU 3");
	expect("stopped", verdict_of(&stopped, &stopped, NULL, NULL), RULE_STOPPED, "thread 10000");
	expect("a disk", verdict_of(&disk, &idle, NULL, NULL), RULE_BLOCKED, "70 %");
	expect("the VMM", verdict_of(&outside, &idle, NULL, NULL), RULE_VMM, "70 %");
	verdict = verdict_of(&paused, &paused, NULL, NULL);
	expect("paused", verdict, RULE_PAUSED, "");
	tap_ok(verdict.since >= 9.9 && !verdict.since_is_least, "since when is known");
	passes = 3;
	expect("paused, with few samples", verdict_of(&paused, &paused, NULL, NULL), RULE_PAUSED,
	       "");
	passes = 11;
	expect("one vCPU is outside", verdict_of(&paused, &idle, NULL, NULL), RULE_VMM, "");
	expect("halted for a short time", verdict_of(&halted, &halted, NULL, NULL), RULE_IDLE, "");
	expect("exits", verdict_of(&storm, NULL, NULL, NULL), RULE_EXITS, "5000 exits per second, "
	       "most of them I/O ports; 4.0 times");
	test_short_time(&storm);
	expect("compressed swap", verdict_of(&swap, NULL, NULL, NULL), RULE_MEMORY, "900 major");
}

/* ---- sample files ---- */

static struct guest_files files;

#define write_file(text, ...)	guest_files_write(&files, 0600, text, __VA_ARGS__)

/* Times in ticks of 10 ms */
static void write_task_of(const char *path, const char *name, char state, int ticks, int policy)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "7 (%s) %c 1 7 7 0 -1 4194304 10 11 12 13 %d 0 16 17 20 0 3 0 100 999999 50 25 26 "
		 "27 28 29 30 31 32 33 34 35 36 37 38 3 40 %d 42 0 44 45 46\n", name, state, ticks,
		 policy);
	write_file(text, "proc/%s/stat", path);
}

/* The VMM, with an I/O thread that waits for a CPU for so many ms per second */
static void write_vmm(int second, char state, int wait)
{
	char text[128];

	write_task_of("7", "qemu", 'S', 10 * second, 0);
	write_task_of("7/task/7", "qemu", 'S', 0, 0);
	write_file("1000 1000 1\n", "proc/7/task/7/schedstat");
	write_task_of("7/task/9", "IO disk", state, 0, 0);
	snprintf(text, sizeof(text), "1000 %d000000 %d\n", 1 + wait * second, second);
	write_file(text, "proc/7/task/9/schedstat");
	write_file("0::/vms/a/vcpu\n", "proc/7/task/10000/cgroup");
	write_file("0::/vms/a/vcpu\n", "proc/7/task/10001/cgroup");
	write_file("Name:\tqemu\nCpus_allowed_list:\t0-2,3\n", "proc/7/task/10000/status");
}

static void write_idle_files(int second)
{
	write_vmm(second, 'S', 0);
}

static void write_starved_files(int second)
{
	write_vmm(second, 'R', 400);
}

static void write_hardly_starved_files(int second)
{
	write_vmm(second, 'R', 60);
}

/* One thread waits for a CPU, and another one is blocked, but for less time. */
static void write_helper_files(int second)
{
	write_vmm(second, 'R', 600);
	write_task_of("7/task/11", "IO \033slow", second % 2 ? 'S' : 'D', 0, 0);
	write_file("1000 1000 1\n", "proc/7/task/11/schedstat");
}

static void write_blocked_files(int second)
{
	write_vmm(second, 'D', 0);
}

/* Half of the periods of a cgroup above that of the vCPUs are throttled. */
static void write_limit_files(int second)
{
	char text[128];

	write_vmm(second, 'S', 0);
	write_file("50000 100000\n", "cgroup/vms/a/cpu.max");
	snprintf(text, sizeof(text), "usage_usec %d\nnr_periods %d\nnr_throttled %d\n"
		 "throttled_usec %d\n", second * 500000, second * 10, second * 5, second * 490000);
	write_file(text, "cgroup/vms/a/cpu.stat");
}

/* Tasks of the cgroup wait for memory for 300 ms per second, since 20 s. */
static void write_pressure_files(int second)
{
	char text[160];

	write_vmm(second, 'S', 0);
	snprintf(text, sizeof(text), "some avg10=25.94 avg60=8.50 avg300=1.93 total=%d\n"
		 "full avg10=0 avg60=0 avg300=0 total=0\n", second * 300000);
	write_file(text, "cgroup/vms/a/vcpu/memory.pressure");
}

/* A vCPU waits for a CPU for half of the time, since 20 s. */
static void write_cpu_pressure_files(int second)
{
	char text[160];

	write_pressure_files(0);
	snprintf(text, sizeof(text), "some avg10=43.23 avg60=14.17 avg300=3.22 total=%d\n",
		 second * 500000);
	write_file(text, "cgroup/vms/a/vcpu/cpu.pressure");
}

/* Another process is on CPU 3. */
static void write_neighbour(int second, int policy, const char *cgroup)
{
	char text[64];

	write_vmm(second, 'S', 0);
	write_task_of("20", "spin", 'R', 100 * second, policy);
	write_task_of("20/task/20", "spin", 'R', 100 * second, policy);
	snprintf(text, sizeof(text), "0::%s\n", cgroup);
	write_file(text, "proc/20/task/20/cgroup");
	write_file("10\n", "cgroup/vms/cpu.weight");
	write_file("100\n", "cgroup/jobs/cpu.weight");
	write_file("100\n", "cgroup/vms/a/cpu.weight");
	write_file("9999\n", "cgroup/vms/b/cpu.weight");
	write_file("1\n", "cgroup/vms/a/vcpu/cpu.weight");
}

static void write_real_time_files(int second)
{
	write_neighbour(second, 1, "/jobs");
}

/* At first, the process has another thread in each second. */
static void write_many_files(int second)
{
	char path[32];

	write_neighbour(second, 1, "/jobs");
	if (second > 30)
		return;
	write_task_of("20/task/20", "spin", 'S', 0, 1);
	snprintf(path, sizeof(path), "20/task/%d", 99 + second);
	write_task_of(path, "short", 'S', 0, 0);
	snprintf(path, sizeof(path), "20/task/%d", 100 + second);
	write_task_of(path, "short", second < 30 ? 'R' : 'S', 0, 0);
}

static void write_weight_files(int second)
{
	write_neighbour(second, 0, "/jobs/b");
}

/* The weight of the innermost cgroup does not count here. */
static void write_sibling_files(int second)
{
	write_neighbour(second, 0, "/vms/a/helper");
	write_file("100\n", "cgroup/vms/a/helper/cpu.weight");
	write_file("60\n", "cgroup/vms/a/vcpu/cpu.weight");
}

static void write_frozen_files(int second)
{
	(void)second;
	write_vmm(0, 'S', 0);
	write_file("populated 1\nfrozen 1\n", "cgroup/vms/a/vcpu/cgroup.events");
}

static void write_steal_files(int second)
{
	char text[128];

	write_vmm(second, 'S', 0);
	snprintf(text, sizeof(text), "cpu %d 0 0 0 0 0 0 %d 0 0\ncpu0 0\n", 85 * second,
		 15 * second);
	write_file(text, "proc/stat");
}

/* Another vCPU of the guest, or NULL */
static const struct behaviour *second_vcpu;

/* Each scenario with files, and with the same behaviour of the vCPU without them */
static struct verdict expect_files(const char *what, void (*write)(int second),
				   const struct behaviour *does, enum rule_id rule,
				   const char *evidence, enum rule_id without)
{
	char proc[80], cgroup[80], name[64];
	struct verdict verdict;

	if (guest_files_make(&files))
		fake_host_fail("no directory");
	snprintf(proc, sizeof(proc), "%s/proc", files.dir);
	snprintf(cgroup, sizeof(cgroup), "%s/cgroup", files.dir);
	proc_set_root(proc);
	cgroup_set_root(cgroup);
	write_file("cpu memory\n", "cgroup/cgroup.controllers");
	write_file("4242 (why) R\n", "proc/self/stat");
	snprintf(name, sizeof(name), "without %s", what);
	prepare = write_idle_files;
	expect(name, verdict_of(does, second_vcpu, NULL, NULL), without, "");
	prepare = write;
	verdict = verdict_of(does, second_vcpu, NULL, NULL);
	expect(what, verdict, rule, evidence);
	prepare = NULL;
	guest_files_remove(&files);
	return verdict;
}

static void test_files(void)
{
	static const struct behaviour idle = { .guest = 10, .halt = 990, .state = 'H' };
	static const struct behaviour half = { .guest = 500, .wait = 500, .state = 'W', .cpu = 3 };
	static const struct behaviour outside = { .guest = 300, .state = 'O' };
	static const struct behaviour some = { .guest = 100, .halt = 900, .state = 'H' };
	static const struct behaviour frozen = { .state = 'H' };
	static const struct behaviour paused = { .state = 'O' };
	static const struct behaviour stopped = { .state = 'T' };
	struct verdict verdict;

	expect_files("a starved I/O thread", write_starved_files, &idle, RULE_STARVED,
		     "IO disk (iothread, TID 9) waits for a CPU in 40 %", RULE_IDLE);
	expect_files("a starved I/O thread for which the vCPU waits", write_starved_files, &outside,
		     RULE_STARVED, "IO disk", RULE_VMM);
	expect_files("a blocked I/O thread", write_blocked_files, &outside, RULE_HELPER, "IO disk",
		     RULE_VMM);
	expect_files("a limit of a cgroup above", write_limit_files, &half, RULE_LIMITED,
		     "cpu.max 50000 100000, throttled in 50 % of the periods", RULE_WAITS);
	verdict = expect_files("waits for memory", write_pressure_files, &idle, RULE_MEMORY,
			       "memory.pressure of /vms/a/vcpu 30 %", RULE_IDLE);
	tap_ok(fabs(verdict.since - 20) < 0.1, "the averages of a pressure show since when");
	expect_files("a real-time thread", write_real_time_files, &half, RULE_REAL_TIME,
		     "spin (TID 20) competes for CPU 3", RULE_WAITS);
	expect_files("a lower weight", write_weight_files, &half, RULE_WEIGHT,
		     "/vms has cpu.weight 10, and /jobs 100", RULE_WAITS);
	expect_files("a weight that hardly differs", write_sibling_files, &half, RULE_WAITS,
		     "spin (TID 20)", RULE_WAITS);
	expect_files("a frozen cgroup", write_frozen_files, &frozen, RULE_FROZEN, "/vms/a/vcpu",
		     RULE_IDLE);
	expect_files("steal time", write_steal_files, &some, RULE_STEAL, "15 %", RULE_IDLE);
	expect_files("a paused guest with a thread that hardly waits", write_hardly_starved_files,
		     &paused, RULE_PAUSED, "", RULE_PAUSED);
	expect_files("a starved and a blocked I/O thread", write_helper_files, &outside,
		     RULE_HELPER, "while IO ?slow (iothread, TID 11)", RULE_VMM);
	second_vcpu = &stopped;
	expect_files("another vCPU is stopped", write_idle_files, &idle, RULE_STOPPED,
		     "thread 10001", RULE_STOPPED);
	second_vcpu = &idle;
	verdict = expect_files("waits for a CPU", write_cpu_pressure_files, &half, RULE_WAITS, "",
			       RULE_WAITS);
	tap_ok(fabs(verdict.since - 20) < 0.1, "the averages show since when one vCPU waits");
	second_vcpu = NULL;
	passes = 80;
	expect_files("a thread after many others", write_many_files, &half, RULE_REAL_TIME,
		     "spin (TID 20)", RULE_WAITS);
	passes = 11;
}

int main(void)
{
	test_rules();
	test_mutations();
	test_table();
	test_parts();
	test_order_of_guests();
	test_vcpus();
	test_files();
	return tap_end();
}
