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
	{ RULE_LIMITED, { { FACT_THROTTLED, 110 }, { FACT_PERIODS_SHARE, 11 },
			  { FACT_WAITING, 1.1 } } },
	{ RULE_NONE, { { FACT_PERIODS, 2.5 }, { FACT_PERIODS_SHARE, 90 }, { FACT_WAITING, 4 } } },
	{ RULE_NONE, { { FACT_PERIODS, 9 }, { FACT_PERIODS_SHARE, 9 }, { FACT_WAITING, 4 } } },
	{ RULE_NONE, { { FACT_PERIODS, 9 }, { FACT_PERIODS_SHARE, 90 }, { FACT_WAITING, 0.9 } } },
	{ RULE_NONE, { { FACT_THROTTLED, 90 }, { FACT_PERIODS_SHARE, 50 }, { FACT_WAITING, 4 } } },
	/* Waits for a CPU, and for whose sake */
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
	{ RULE_FEW_CPUS, { { FACT_WAITING, 5.5 }, { FACT_WAIT_SEEN, 44 }, { FACT_MISSING_CPUS, 1 },
			   { FACT_OWN, 55 }, { FACT_WEIGHT_RATIO, 9 }, { FACT_SAMPLES, 4.5 } } },
	{ RULE_WAITS, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 90 }, { FACT_MISSING_CPUS, 1 },
			{ FACT_OWN, 45 } } },
	{ RULE_WEIGHT, { { FACT_WAITING, 5.5 }, { FACT_WAIT_SEEN, 44 }, { FACT_WEIGHT_RATIO, 2.2 },
			 { FACT_SAMPLES, 5 } } },
	{ RULE_WAITS, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 90 }, { FACT_WEIGHT_RATIO, 1.8 },
			{ FACT_SAMPLES, 9 } } },
	{ RULE_WAITS, { { FACT_WAITING, 50 }, { FACT_WAIT_SEEN, 90 }, { FACT_WEIGHT_RATIO, 9 },
			{ FACT_SAMPLES, 4.5 } } },
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
	{ RULE_MEMORY, { { FACT_MEMORY, 11 }, { FACT_RUNNING, 90 }, { FACT_OVERHEAD, 9 },
			 { FACT_MEMORY_LOSS, 11 } } },
	{ RULE_MEMORY, { { FACT_MEMORY, 11 }, { FACT_MEMORY_LOSS, 40 }, { FACT_BLOCKED, 40 },
			 { FACT_ASLEEP_SEEN, 5 } } },
	{ RULE_EXITS, { { FACT_MEMORY, 9 }, { FACT_RUNNING, 50 }, { FACT_OVERHEAD, 9 } } },
	{ RULE_BLOCKED, { { FACT_BLOCKED, 5.5 }, { FACT_ASLEEP_SEEN, 2 } } },
	{ RULE_BLOCKED, { { FACT_BLOCKED, 0.11 }, { FACT_ASLEEP_NOW, 1100 } } },
	{ RULE_NONE, { { FACT_BLOCKED, 4.5 }, { FACT_ASLEEP_SEEN, 9 }, { FACT_ASLEEP_NOW, 900 } } },
	{ RULE_NONE, { { FACT_BLOCKED, 9 }, { FACT_ASLEEP_SEEN, 1.8 }, { FACT_ASLEEP_NOW, 900 } } },
	{ RULE_NONE, { { FACT_BLOCKED, 0.09 }, { FACT_ASLEEP_NOW, 9000 } } },
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

	tap_ok(!wrong, "the rules decide %zu cases as expected", ARRAY_SIZE(rule_cases));
	if (wrong)
		printf("# not case %zu: '%s'\n", (size_t)(wrong - rule_cases),
		       why_rules[wrong->expected].name);
}

/* ---- mutations: the cases above must find each of them ---- */

/* All conditions of a rule, as a list */
static struct condition *condition_of(struct rule *rule, size_t i)
{
	return i < 4 ? &rule->when[i / 2][i % 2] : &rule->also[i - 4];
}

/* The conditions of a wait for a CPU are written once, so that all rules with them change. */
static bool has_same_conditions(const struct rule *a, const struct rule *b)
{
	return !memcmp(a->when, b->when, sizeof(a->when));
}

static bool mutation_is_found(size_t rule, size_t condition, double factor)
{
	struct rule table[RULES];
	size_t i;

	memcpy(table, why_rules, sizeof(table));
	for (i = 0; i < RULES; i++) {
		if (i == rule || (condition < 4 &&
				  has_same_conditions(&why_rules[i], &why_rules[rule])))
			condition_of(&table[i], condition)->least *= factor;
	}
	if (wrong_case(table))
		return true;
	printf("# survives: %s: %s * %g\n", table[rule].name,
	       fact_name(condition_of(&table[rule], condition)->fact), factor);
	return false;
}

/* Turns each threshold up and down. Thresholds of 1 are those of facts that are only 0 or 1. */
static void mutate_thresholds(void)
{
	size_t found = 0, all = 0, i, n;
	struct rule rule;

	for (i = 0; i < RULES; i++) {
		rule = why_rules[i];
		for (n = 0; n < 6; n++) {
			const struct condition *condition = condition_of(&rule, n);

			if (!condition->least)
				continue;
			all++;
			found += mutation_is_found(i, n, 1.2);
			if (condition->least == 1 && condition->fact != FACT_WAITING)
				continue;
			all++;
			found += mutation_is_found(i, n, 0.82);
		}
	}
	tap_is(found, all, "each change of a threshold is found");
}

/* Exchanges two rules. */
static void mutate_causes(void)
{
	size_t found = 0, all = 0, i, n;
	struct rule table[RULES];

	memcpy(table, why_rules, sizeof(table));
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

static void test_table(void)
{
	bool complete = true;
	size_t i;

	for (i = 0; i < RULES; i++) {
		const struct rule *rule = &why_rules[i];

		complete &= rule->name && rule->text && rule->evidence;
	}
	tap_ok(complete, "each rule has its texts");
}

/* ---- a fake host ---- */

enum {
	KNOWN, STATE, CPU, ON_CPU, QUEUED, ARRIVAL, EXEC_START, RUN_DELAY, RUNTIME, USER, SYSTEM,
	GUEST, FAULTS, CLOCK, CLOCK_TASK, BLOCKING, HALT_TIME, EXITS, IO_EXITS, VALUES,
};

static const char * const names[VALUES] = {
	[KNOWN] = "thread_known", [STATE] = "thread_state", [CPU] = "thread_cpu",
	[ON_CPU] = "thread_on_cpu", [QUEUED] = "thread_last_queued_ns",
	[ARRIVAL] = "thread_last_arrival_ns", [EXEC_START] = "thread_exec_start_ns",
	[RUN_DELAY] = "thread_run_delay_ns", [RUNTIME] = "thread_runtime_ns",
	[USER] = "thread_user_ns", [SYSTEM] = "thread_system_ns", [GUEST] = "thread_guest_ns",
	[FAULTS] = "thread_major_faults", [CLOCK] = "thread_rq_clock_ns",
	[CLOCK_TASK] = "thread_rq_clock_task_ns", [BLOCKING] = "blocking",
	[HALT_TIME] = "halt_wait_ns", [EXITS] = "exits", [IO_EXITS] = "io_exits",
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

static const struct behaviour idle = { .guest = 10, .halt = 990, .state = 'H' };
static const struct behaviour half = { .guest = 500, .wait = 500, .state = 'W', .cpu = 3 };
static const struct behaviour shares = { .guest = 500, .wait = 500, .state = 'R', .cpu = 3 };
static const struct behaviour outside = { .guest = 300, .state = 'O' };
static const struct behaviour some = { .guest = 100, .halt = 900, .state = 'H' };
static const struct behaviour halted = { .state = 'H' };
static const struct behaviour paused = { .state = 'O' };
static const struct behaviour stopped = { .state = 'T' };
static const struct behaviour disk = { .guest = 300, .state = 'D' };

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
	static struct fake_stat vcpu_stats[VALUES];
	size_t i;

	for (i = 0; i < VALUES; i++)
		vcpu_stats[i] = (struct fake_stat){ .name = names[i], .size = 1 };
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
static bool select_first;	/* and no other guest */

/* The verdict after these passes */
static struct verdict verdict_of(const struct behaviour *first, const struct behaviour *second,
				 const struct behaviour *other, double *part)
{
	const struct guest_evidence *guest;
	struct host_test test;
	struct verdict verdict;
	size_t at = 0;

	open_test(&test);
	if (select_first)
		filter_add_pid(&test.host.filter, PID);
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
	static const struct behaviour busy = { .guest = 1000, .state = 'R', .cpu = 3 };
	static const struct behaviour never = { .state = 'W', .cpu = 3 };
	static const struct behaviour storm = {
		.guest = 200, .kvm = 500, .vmm = 300, .state = 'R', .exits = 5000,
	};
	static const struct behaviour swap = {
		.guest = 100, .kvm = 800, .vmm = 50, .state = 'R', .faults = 550,
	};
	static const struct behaviour few_faults = {
		.guest = 100, .kvm = 800, .vmm = 50, .state = 'R', .faults = 450,
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
	expect("compressed swap", verdict_of(&swap, NULL, NULL, NULL), RULE_MEMORY, "550 major");
	expect("fewer major faults", verdict_of(&few_faults, NULL, NULL, NULL), RULE_EXITS, "");
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

/* What happens outside of the vCPUs */
static const struct scenario {
	const char *name;
	char state;			/* of the I/O thread */
	int wait;			/* for a CPU, of the I/O thread: ms per second */
	void (*write)(int second);	/* more files; or NULL */
	const struct behaviour *does, *second;	/* the vCPUs; the latter may be NULL */
	const struct behaviour *other;	/* of another guest; or NULL */
	enum rule_id rule;
	const char *evidence;
	enum rule_id without;		/* the verdict if there are only vCPUs and an idle VMM */
	double since;			/* 0: not examined */
} *scenario;

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

static void write_scenario(int second)
{
	write_vmm(second, scenario->state, scenario->wait);
	if (scenario->write)
		scenario->write(second);
}

/* One thread waits for a CPU, and another one is blocked, but for less time. */
static void write_helper_files(int second)
{
	write_task_of("7/task/11", "IO \033slow", second % 2 ? 'S' : 'D', 0, 0);
	write_file("1000 1000 1\n", "proc/7/task/11/schedstat");
}

/* Half of the periods of a cgroup above that of the vCPUs are throttled. */
static void write_limit_files(int second)
{
	char text[128];

	write_file("50000 100000\n", "cgroup/vms/a/cpu.max");
	snprintf(text, sizeof(text), "usage_usec %d\nnr_periods %d\nnr_throttled %d\n"
		 "throttled_usec %d\n", second * 500000, second * 10, second * 5, second * 490000);
	write_file(text, "cgroup/vms/a/cpu.stat");
}

/* Tasks of the cgroup wait for memory for 300 ms per second, since 20 s. */
static void write_pressure(int second, const char *cgroup)
{
	char text[160];

	snprintf(text, sizeof(text), "some avg10=25.94 avg60=8.50 avg300=1.93 total=%d\n"
		 "full avg10=0 avg60=0 avg300=0 total=0\n", second * 300000);
	write_file(text, "cgroup%s/memory.pressure", cgroup);
}

static void write_pressure_files(int second)
{
	write_pressure(second, "/vms/a/vcpu");
}

/* Each vCPU has a cgroup, as libvirt makes them, and the one that waits is not the first. */
static void write_threaded_files(int second)
{
	write_file("0::/vms/a/vcpu0\n", "proc/7/task/10000/cgroup");
	write_file("0::/vms/a/vcpu1\n", "proc/7/task/10001/cgroup");
	write_pressure(0, "/vms/a/vcpu0");
	write_pressure(second, "/vms/a/vcpu1");
	write_pressure(second, "/vms/a");
}

/* Two guests, and one waits. */
static void write_shared_files(int second)
{
	write_file("0::/vms/a/vcpu\n", "proc/8/task/10005/cgroup");
	write_pressure(second, "/vms/a/vcpu");
}

static void write_unselected_files(int second)
{
	write_file("0::/vms/a/vcpu/emulator\n", "proc/8/task/8/cgroup");
	write_pressure(second, "/vms/a/vcpu");
}

static void write_alone_files(int second)
{
	write_file("0::/vms/a/vcpu\n", "proc/7/task/7/cgroup");
	write_file("0::/vms/a/vcpu2\n", "proc/8/task/8/cgroup");
	write_pressure(second, "/vms/a/vcpu");
}

/* A vCPU waits for a CPU for half of the time, since 20 s. */
static void write_cpu_pressure_files(int second)
{
	char text[160];

	write_pressure(0, "/vms/a/vcpu");
	snprintf(text, sizeof(text), "some avg10=43.23 avg60=14.17 avg300=3.22 total=%d\n",
		 second * 500000);
	write_file(text, "cgroup/vms/a/vcpu/cpu.pressure");
}

/* Another process is on CPU 3. */
static void write_neighbour(int second, int policy, const char *cgroup)
{
	char text[64];

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

static void write_shares_files(int second)
{
	write_neighbour(second, 0, "/jobs/b");
	write_file("4:cpu:/vms/a\n", "proc/7/task/10000/cgroup");
	write_file("4:cpu:/jobs/b\n", "proc/20/task/20/cgroup");
	write_file("10\n", "cgroup/cpu/vms/cpu.shares");
	write_file("100\n", "cgroup/cpu/jobs/cpu.shares");
}

/* Only the weights of the innermost cgroups count here. */
static void write_sibling_files(int second)
{
	write_neighbour(second, 0, "/vms/a/helper");
	write_file("600\n", "cgroup/vms/a/helper/cpu.weight");
	write_file("60\n", "cgroup/vms/a/vcpu/cpu.weight");
}

static void write_cpuset_files(int second)
{
	(void)second;
	write_file("Name:\tqemu\nCpus_allowed_list:\t3\n", "proc/7/task/10000/status");
}

static void write_frozen_files(int second)
{
	(void)second;
	write_vmm(0, 'S', 0);		/* which uses no CPU time */
	write_file("populated 1\nfrozen 1\n", "cgroup/vms/a/vcpu/cgroup.events");
}

/* The freezer has other cgroups than the controller of CPUs. */
static void write_freezer_files(int second)
{
	(void)second;
	write_vmm(0, 'S', 0);
	write_file("5:freezer:/f/a\n4:cpu:/vms/a\n", "proc/7/task/10000/cgroup");
	write_file("FROZEN\n", "cgroup/freezer/f/a/freezer.state");
}

static void write_steal_files(int second)
{
	char text[128];

	snprintf(text, sizeof(text), "cpu %d 0 0 0 0 0 0 %d 0 0\ncpu0 0\n", 85 * second,
		 15 * second);
	write_file(text, "proc/stat");
}

static const struct scenario scenarios[] = {
	{ "a starved I/O thread", 'R', 400, NULL, &idle, NULL, NULL,
	  RULE_STARVED, "IO disk (iothread, TID 9) waits for a CPU in 40 %", RULE_IDLE, 0 },
	{ "a starved I/O thread for which the vCPU waits", 'R', 400, NULL, &outside, NULL, NULL,
	  RULE_STARVED, "IO disk", RULE_VMM, 0 },
	{ "a blocked I/O thread", 'D', 0, NULL, &outside, NULL, NULL,
	  RULE_HELPER, "IO disk", RULE_VMM, 0 },
	{ "a limit of a cgroup above", 'S', 0, write_limit_files, &half, NULL, NULL,
	  RULE_LIMITED, "cpu.max 50000 100000, throttled in 50 % of the periods", RULE_WAITS, 0 },
	{ "waits for memory", 'S', 0, write_pressure_files, &idle, NULL, NULL,
	  RULE_MEMORY, "memory.pressure of /vms/a/vcpu 30 %", RULE_IDLE, 20 },
	{ "a real-time thread", 'S', 0, write_real_time_files, &half, NULL, NULL,
	  RULE_REAL_TIME, "spin (TID 20) competes for CPU 3", RULE_WAITS, 0 },
	{ "a lower weight", 'S', 0, write_weight_files, &half, NULL, NULL,
	  RULE_WEIGHT, "/vms has cpu.weight 10, and /jobs 100", RULE_WAITS, 0 },
	{ "a lower weight of a sibling", 'S', 0, write_sibling_files, &half, NULL, NULL,
	  RULE_WEIGHT, "/vms/a/vcpu has cpu.weight 60, and /vms/a/helper 600", RULE_WAITS, 0 },
	{ "a CPU for two vCPUs", 'S', 0, write_cpuset_files, &half, &shares, NULL,
	  RULE_FEW_CPUS, "its 2 vCPUs may use the CPUs 3, and wait for each other in 100 %",
	  RULE_WAITS, 0 },
	{ "a frozen cgroup", 'S', 0, write_frozen_files, &halted, NULL, NULL,
	  RULE_FROZEN, "/vms/a/vcpu", RULE_IDLE, 0 },
	{ "steal time", 'S', 0, write_steal_files, &some, NULL, NULL,
	  RULE_STEAL, "15 %", RULE_IDLE, 0 },
	{ "a paused guest with a thread that hardly waits", 'R', 60, NULL, &paused, NULL, NULL,
	  RULE_PAUSED, "", RULE_PAUSED, 0 },
	{ "a starved and a blocked I/O thread", 'R', 600, write_helper_files, &outside, NULL, NULL,
	  RULE_HELPER, "while IO ?slow (iothread, TID 11)", RULE_VMM, 0 },
	{ "another vCPU is stopped", 'S', 0, NULL, &idle, &stopped, NULL,
	  RULE_STOPPED, "thread 10001", RULE_STOPPED, 0 },
	{ "one vCPU waits for a CPU", 'S', 0, write_cpu_pressure_files, &half, &idle, NULL,
	  RULE_WAITS, "", RULE_WAITS, 20 },
	{ "a thread after many others", 'S', 0, write_many_files, &half, NULL, NULL,
	  RULE_REAL_TIME, "spin (TID 20)", RULE_WAITS, 0 },
	{ "waits for memory, with a cgroup for each vCPU", 'S', 0, write_threaded_files,
	  &idle, &idle, NULL, RULE_MEMORY, "memory.pressure of /vms/a 30 %", RULE_IDLE, 20 },
	{ "another guest that waits for memory", 'S', 0, write_shared_files, &idle, NULL, &idle,
	  RULE_IDLE, "", RULE_IDLE, 0 },
	{ "a guest that waits for memory with another one", 'S', 0, write_shared_files,
	  &disk, NULL, &idle,
	  RULE_MEMORY, "/vms/a/vcpu (shared by 2 guests) 30 %", RULE_BLOCKED, 0 },
	{ "another guest, not selected, that waits for memory", 'S', 0, write_unselected_files,
	  &idle, NULL, &idle, RULE_IDLE, "", RULE_IDLE, 0 },
	{ "a guest that waits for memory alone", 'S', 0, write_alone_files, &idle, NULL, &idle,
	  RULE_MEMORY, "memory.pressure of /vms/a/vcpu 30 %", RULE_IDLE, 0 },
	{ "a lower weight in version 1", 'S', 0, write_shares_files, &half, NULL, NULL,
	  RULE_WEIGHT, "/vms has cpu.shares 10, and /jobs 100", RULE_WAITS, 0 },
	{ "frozen by version 1", 'S', 0, write_freezer_files, &halted, NULL, NULL,
	  RULE_FROZEN, "/f/a, or a cgroup above", RULE_IDLE, 0 },
};

/* Each scenario, and the same behaviour of the vCPUs without its cause */
static void test_scenario(void)
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
	passes = scenario->write == write_many_files ? 80 : 11;
	select_first = scenario->write == write_unselected_files ||
		       scenario->write == write_alone_files;
	prepare = write_idle_files;
	snprintf(name, sizeof(name), "without %s", scenario->name);
	verdict = verdict_of(scenario->does, scenario->second, scenario->other, NULL);
	expect(name, verdict, scenario->without, "");
	prepare = write_scenario;
	verdict = verdict_of(scenario->does, scenario->second, scenario->other, NULL);
	expect(scenario->name, verdict, scenario->rule, scenario->evidence);
	if (scenario->since > 0)
		tap_ok(fabs(verdict.since - scenario->since) < 0.1,
		       "the averages of a pressure show since when");
	prepare = NULL;
	guest_files_remove(&files);
}

int main(void)
{
	test_rules();
	mutate_thresholds();
	mutate_causes();
	test_table();
	test_parts();
	test_order_of_guests();
	test_vcpus();
	for (scenario = scenarios; scenario < scenarios + ARRAY_SIZE(scenarios); scenario++)
		test_scenario();
	return tap_end();
}
