// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the verdicts of kvm-stats why: the rules with facts on both sides of each threshold,
 * mutations of the rules, and evidence from a fake host with fake files of /proc and of cgroups.
 */
#include <math.h>

#include "fake_host.h"
#include "tap.h"
#include "util.h"
#include "why/verdict.h"

/* ---- the rules ---- */

/* Facts with their values, and the name of the rule that decides */
static const struct rule_case {
	const char *expected, *facts;
} rule_cases[] = {
	{ "none", "running 60" },
	{ "new", "too_new 1 stopped 1" },
	{ "stopped", "stopped 1 frozen 1 all_halted 99" },
	{ "frozen", "frozen 1 waiting 50 wait_seen 90" },
	/* A limit, and waits that look the same */
	{ "limited", "periods 3 periods_share 11 waiting 1.1" },
	{ "limited", "throttled 110 periods_share 11 waiting 1.1" },
	{ "none", "periods 2.5 periods_share 90 waiting 4" },
	{ "none", "periods 9 periods_share 9 waiting 4" },
	{ "none", "periods 9 periods_share 90 waiting 0.9" },
	{ "none", "throttled 90 periods_share 50 waiting 4" },
	/* Waits for a CPU, and for whose sake */
	{ "waits", "waiting 0 wait_now 275" },
	{ "none", "waiting 4.5 wait_seen 90 wait_now 225" },
	{ "burst", "waiting 30 wait_seen 36 missing_cpus 2 own 90" },
	{ "burst", "waiting 5.5 wait_seen 20" },
	{ "real_time", "waiting 5.5 wait_seen 44 real_time 55 samples 5 missing_cpus 1 own 40" },
	{ "real_time", "wait_now 275 real_time 55 samples 5" },
	{ "waits", "waiting 50 wait_seen 90 real_time 45 samples 9" },
	{ "waits", "waiting 50 wait_seen 90 real_time 90 samples 4.5" },
	{ "few_cpus", "waiting 5.5 wait_seen 44 missing_cpus 1 own 55 weight_ratio 9 samples 4.5" },
	{ "waits", "waiting 50 wait_seen 90 missing_cpus 1 own 45" },
	{ "weight", "waiting 5.5 wait_seen 44 weight_ratio 2.2 samples 5" },
	{ "waits", "waiting 50 wait_seen 90 weight_ratio 1.8 samples 9" },
	{ "waits", "waiting 50 wait_seen 90 weight_ratio 9 samples 4.5" },
	/* The largest loss decides. A starved I/O thread is not a wait of the vCPU. */
	{ "starved", "waiting 6 wait_seen 90 helper_waiting 60 helper_loss 60" },
	{ "waits", "waiting 60 wait_seen 90 helper_waiting 6 helper_loss 6" },
	{ "starved", "helper_waiting 5.5 helper_loss 50 outside 50 asleep_seen 5" },
	{ "vmm", "helper_waiting 4.5 helper_loss 50 outside 50 asleep_seen 5" },
	/* Swapping looks like exits, because the thread runs. */
	{ "memory", "memory 11 running 90 overhead 9 memory_loss 11" },
	{ "memory", "memory 11 memory_loss 40 blocked 40 asleep_seen 5" },
	{ "exits", "memory 9 running 50 overhead 9" },
	{ "blocked", "blocked 5.5 asleep_seen 2" },
	{ "blocked", "blocked 0.11 asleep_now 1100" },
	{ "none", "blocked 4.5 asleep_seen 9 asleep_now 900" },
	{ "none", "blocked 9 asleep_seen 1.8 asleep_now 900" },
	{ "none", "blocked 0.09 asleep_now 9000" },
	{ "helper_blocked", "outside 5.5 asleep_seen 2 helper_blocked 55" },
	{ "vmm", "outside 50 asleep_seen 9 helper_blocked 45" },
	{ "none", "outside 4.5 asleep_seen 9 helper_blocked 90 asleep_now 900" },
	{ "none", "outside 9 asleep_seen 1.8 helper_blocked 90" },
	{ "outside", "all_outside 1 outside 100 asleep_seen 9" },
	{ "vmm", "outside 5.5 asleep_seen 2" },
	{ "vmm", "outside 0.11 asleep_now 1100" },
	{ "none", "outside 0.09 asleep_now 9000" },
	/* While it runs */
	{ "exits", "running 27 overhead 2.2 emulated 9" },
	{ "emulation", "running 27 overhead 2.2 emulated 11" },
	{ "none", "running 23 overhead 9 emulated 99" },
	{ "busy", "running 99 overhead 1.8 emulated 99" },
	{ "steal", "steal 11 running 11" },
	{ "none", "steal 9 running 50" },
	{ "idle", "steal 50 running 9 halted 91" },
	/* Notes */
	{ "halted", "all_halted 66 halted 100" },
	{ "idle", "all_halted 54 halted 99" },
	{ "none", "halted 81 running 19" },
	{ "none", "running 81" },
};

static enum fact fact_of(const char *name)
{
	enum fact fact = 0;

	while (fact < FACTS && strcmp(fact_name(fact), name))
		fact++;
	if (fact == FACTS)
		fake_host_fail(name);
	return fact;
}

static struct facts facts_of(const char *text)
{
	struct facts facts = { 0 };
	char name[32];
	double value;
	size_t i;
	int len;

	for (i = 0; i < FACTS; i++)
		facts.value[i] = NAN;
	for (; sscanf(text, "%31s %lf%n", name, &value, &len) == 2; text += len)
		facts.value[fact_of(name)] = value;
	return facts;
}

/* Returns the first case in which the table decides otherwise, or NULL. */
static const struct rule_case *wrong_case(const struct rule *table)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rule_cases); i++) {
		struct facts facts = facts_of(rule_cases[i].facts);

		if (strcmp(why_rules[rules_decide(table, &facts)].name, rule_cases[i].expected))
			return &rule_cases[i];
	}
	return NULL;
}

static void test_rules(void)
{
	const struct rule_case *wrong = wrong_case(why_rules);

	tap_ok(!wrong, "the rules decide %zu cases as expected", ARRAY_SIZE(rule_cases));
	if (wrong)
		printf("# not '%s': %s\n", wrong->expected, wrong->facts);
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
#define OTHER_VCPU	5	/* vCPU N has the thread 10000 + N. */

/* What a vCPU does in each second: times in ms, and the state at its end */
struct behaviour {
	int guest, kvm, vmm, wait, halt;
	char state;		/* R, W (waits), H (halted), O (outside), D, T */
	int faults, exits;
	int cpu;
};

static const struct behaviour busy = { .guest = 1000, .state = 'R', .cpu = 3 };
static const struct behaviour never = { .state = 'W', .cpu = 3 };
static const struct behaviour idle = { .guest = 10, .halt = 990, .state = 'H' };
static const struct behaviour half = { .guest = 500, .wait = 500, .state = 'W', .cpu = 3 };
static const struct behaviour shares = { .guest = 500, .wait = 500, .state = 'R', .cpu = 3 };
static const struct behaviour outside = { .guest = 300, .state = 'O' };
static const struct behaviour some = { .guest = 100, .halt = 900, .state = 'H' };
static const struct behaviour halted = { .state = 'H' };
static const struct behaviour paused = { .state = 'O' };
static const struct behaviour stopped = { .state = 'T' };
static const struct behaviour disk = { .guest = 300, .state = 'D' };

static const struct behaviour storm = {
	.guest = 200, .kvm = 500, .vmm = 300, .state = 'R', .exits = 5000,
};

static const struct behaviour swap = {
	.guest = 100, .kvm = 800, .vmm = 50, .state = 'R', .faults = 550,
};

static const struct behaviour few_faults = {
	.guest = 100, .kvm = 800, .vmm = 50, .state = 'R', .faults = 450,
};

/* Members at the end that are 0 are left out below. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* ---- fake files ---- */

/* A file of /proc or of a cgroup, or the entries of a directory. @N: N for each second */
struct file {
	const char *path, *text;
	int from, until;		/* it exists in these seconds; 0: always */
};

/* Hierarchies of version 2 have no folder, so that paths in them have two slashes. */
#define CGROUP	"/sys/fs/cgroup/"

/* Times in ticks of 10 ms */
#define TASK(name, state, ticks, policy) \
	"7 (" name ") " state " 1 7 7 0 -1 4194304 10 11 12 13 " ticks " 0 16 17 20 0 3 0 100 " \
	"999999 50 25 26 27 28 29 30 31 32 33 34 35 36 37 38 3 40 " policy " 42 0 44 45 46\n"

/* A guest without a cause, of which only the vCPUs use CPU time */
static const struct file idle_files[] = {
	{ "/sys/fs/cgroup/cgroup.controllers", "cpu memory\n" },
	{ "/proc/self/stat", "4242 (why) R\n" },
	{ "/proc/.", "7\n8\n20\n" },
	{ "/proc/7/stat", TASK("qemu", "S", "@10", "0") },
	{ "/proc/7/task", "7\n9\n11\n10000\n10001\n" },
	{ "/proc/7/task/7/stat", TASK("qemu", "S", "0", "0") },
	{ "/proc/7/task/7/schedstat", "1000 1000 1\n" },
	{ "/proc/7/task/9/stat", TASK("IO disk", "S", "0", "0") },
	{ "/proc/7/task/9/schedstat", "1000 1 1\n" },
	{ "/proc/7/task/10000/cgroup", "0::/vms/a/vcpu\n" },
	{ "/proc/7/task/10001/cgroup", "0::/vms/a/vcpu\n" },
	{ "/proc/7/task/10000/status", "Name:\tqemu\nCpus_allowed_list:\t0-2,3\n" },
	{ CGROUP "/vms/cpu.weight", "10\n" },
	{ CGROUP "/jobs/cpu.weight", "100\n" },
	{ CGROUP "/vms/a/cpu.weight", "100\n" },
	{ CGROUP "/vms/b/cpu.weight", "9999\n" },
	{ CGROUP "/vms/a/vcpu/cpu.weight", "1\n" },
	{ 0 }
};

/* Replaces @N by N for each second. */
static void put_text(char *buf, size_t size, const char *text, int second)
{
	size_t used = 0;

	while (*text && used + 32 < size) {
		char *end;

		if (*text != '@') {
			buf[used++] = *text++;
			continue;
		}
		used += (size_t)sprintf(buf + used, "%ld", strtol(text + 1, &end, 10) * second);
		text = end;
	}
	buf[used] = '\0';
}

static int second;
static int reads;		/* of the state of a helper */

/* @arg: the files in a list of lists */
static ssize_t read_fake(char *buf, size_t size, const char *path, void *arg)
{
	const struct file * const *list = arg, *file;
	char name[128];

	reads += !strcmp(path, "/proc/7/task/9/stat");
	for (; *list; list++) {
		for (file = *list; file->path; file++) {
			put_text(name, sizeof(name), file->path, second);
			if (strcmp(name, path) || second < file->from ||
			    (file->until && second > file->until))
				continue;
			put_text(buf, size, file->text, second);
			return (ssize_t)strlen(buf);
		}
	}
	return -1;
}

/* ---- passes ---- */

static pid_t other_pid = 8;

struct host_test {
	struct fake_host host;
	struct host proc;
	struct evidence evidence;
	uint64_t value[8][VALUES];
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

/* The vCPUs of the guest, and that of another guest, or NULL */
struct vcpus {
	const struct behaviour *first, *second, *other;
};

static void pass(struct host_test *test, const struct vcpus *vcpus)
{
	const struct behaviour *own[] = { vcpus->first, vcpus->second };
	uint32_t i;

	fake_host_vm(&test->host, PID, PID, NULL);
	for (i = 0; i < ARRAY_SIZE(own) && own[i]; i++) {
		add_second(test, (int)i, own[i]);
		fake_host_vcpu(&test->host, PID, i, test->value[i]);
	}
	if (vcpus->other) {
		fake_host_vm(&test->host, (uint64_t)other_pid, other_pid, NULL);
		add_second(test, OTHER_VCPU, vcpus->other);
		fake_host_vcpu(&test->host, (uint64_t)other_pid, OTHER_VCPU,
			       test->value[OTHER_VCPU]);
	}
	second++;
	if (fake_host_sample(&test->host))
		fake_host_fail("no sample");
	/* Read the processes now: fake files only count if the host file is not a copy. */
	test->host.monitor->is_copy = false;
	test->host.monitor->options.processes = PROCESSES_STATES;
	monitor_read_processes(test->host.monitor);
	test->host.monitor->options.processes = PROCESSES_UNREAD;
	host_update(&test->proc);
	evidence_update(&test->evidence, test->host.monitor, &test->proc);
}

/* @has_threads: as in the host file. KVM itself has no statistics of threads. */
static void open_test(struct host_test *test, bool has_threads)
{
	static struct fake_stat vcpu_stats[VALUES];
	size_t i;

	for (i = 0; i < VALUES; i++)
		vcpu_stats[i] = (struct fake_stat){
			.name = has_threads || i >= BLOCKING ? names[i] : "other", .size = 1,
		};
	*test = (struct host_test){ .evidence.window = 20 * SECOND };
	second = 0;
	fake_host_open(&test->host, NULL, 0, vcpu_stats, VALUES);
	test->host.image.time += 100 * SECOND;
	fake_host_begin_pass(&test->host);
}

static void close_test(struct host_test *test)
{
	evidence_free(&test->evidence);
	fake_host_close(&test->host);
}

/* ---- scenarios ---- */

static const struct file starved_files[] = {
	{ "/proc/7/task/9/stat", TASK("IO disk", "R", "0", "0") },
	{ "/proc/7/task/9/schedstat", "1000 @400000000 @1\n" },
	{ 0 }
};

static const struct file hardly_starved_files[] = {
	{ "/proc/7/task/9/stat", TASK("IO disk", "R", "0", "0") },
	{ "/proc/7/task/9/schedstat", "1000 @60000000 @1\n" },
	{ 0 }
};

static const struct file blocked_files[] = {
	{ "/proc/7/task/9/stat", TASK("IO disk", "D", "0", "0") },
	{ 0 }
};

/* One thread waits for a CPU, and another one is blocked, but for less time. */
static const struct file helper_files[] = {
	{ "/proc/7/task/9/stat", TASK("IO disk", "R", "0", "0") },
	{ "/proc/7/task/9/schedstat", "1000 @600000000 @1\n" },
	{ "/proc/7/task/11/stat", TASK("IO \033slow", "S", "0", "0"), .until = 5 },
	{ "/proc/7/task/11/stat", TASK("IO \033slow", "D", "0", "0") },
	{ "/proc/7/task/11/schedstat", "1000 1000 1\n" },
	{ 0 }
};

/* Half of the periods of a cgroup above that of the vCPUs are throttled. */
static const struct file limit_files[] = {
	{ CGROUP "/vms/a/cpu.max", "50000 100000\n" },
	{ CGROUP "/vms/a/cpu.stat",
	  "usage_usec @500000\nnr_periods @10\nnr_throttled @5\nthrottled_usec @490000\n" },
	{ 0 }
};

static const struct file quota_files[] = {
	{ "/proc/7/task/10000/cgroup", "4:cpu:/vms/a/vcpu\n" },
	{ "/sys/fs/cgroup/cpu/vms/a/cpu.cfs_quota_us", "50000\n" },
	{ "/sys/fs/cgroup/cpu/vms/a/cpu.cfs_period_us", "100000\n" },
	{ "/sys/fs/cgroup/cpu/vms/a/cpu.stat",
	  "nr_periods @10\nnr_throttled @5\nthrottled_time @490000000\n" },
	{ 0 }
};

/* Tasks of the cgroup wait for memory for 300 ms per second, since 20 s. */
#define PRESSURE \
	"some avg10=25.94 avg60=8.50 avg300=1.93 total=@300000\n" \
	"full avg10=0 avg60=0 avg300=0 total=0\n"
#define NO_PRESSURE	"some avg10=0 avg60=0 avg300=0 total=0\n"

static const struct file pressure_files[] = {
	{ CGROUP "/vms/a/vcpu/memory.pressure", PRESSURE },
	{ 0 }
};

/* Each vCPU has a cgroup, as libvirt makes them, and the one that waits is not the first. */
static const struct file threaded_files[] = {
	{ "/proc/7/task/10000/cgroup", "0::/vms/a/vcpu0\n" },
	{ "/proc/7/task/10001/cgroup", "0::/vms/a/vcpu1\n" },
	{ CGROUP "/vms/a/vcpu0/memory.pressure", NO_PRESSURE },
	{ CGROUP "/vms/a/vcpu1/memory.pressure", PRESSURE },
	{ CGROUP "/vms/a/memory.pressure", PRESSURE },
	{ 0 }
};

/* Two guests, and one waits. */
static const struct file shared_files[] = {
	{ "/proc/8/task/10005/cgroup", "0::/vms/a/vcpu\n" },
	{ CGROUP "/vms/a/vcpu/memory.pressure", PRESSURE },
	{ 0 }
};

static const struct file unselected_files[] = {
	{ "/proc/8/task/8/cgroup", "0::/vms/a/vcpu/emulator\n" },
	{ CGROUP "/vms/a/vcpu/memory.pressure", PRESSURE },
	{ 0 }
};

static const struct file alone_files[] = {
	{ "/proc/7/task/7/cgroup", "0::/vms/a/vcpu\n" },
	{ "/proc/8/task/8/cgroup", "0::/vms/a/vcpu2\n" },
	{ CGROUP "/vms/a/vcpu/memory.pressure", PRESSURE },
	{ 0 }
};

/* A vCPU waits for a CPU for half of the time, since 20 s. */
static const struct file cpu_pressure_files[] = {
	{ CGROUP "/vms/a/vcpu/memory.pressure", NO_PRESSURE },
	{ CGROUP "/vms/a/vcpu/cpu.pressure",
	  "some avg10=43.23 avg60=14.17 avg300=3.22 total=@500000\n" },
	{ 0 }
};

/* Another process is on CPU 3. */
static const struct file neighbour_files[] = {
	{ "/proc/20/stat", TASK("spin", "R", "@100", "0") },
	{ "/proc/20/task", "20\n" },
	{ "/proc/20/task/20/stat", TASK("spin", "R", "@100", "0") },
	{ "/proc/20/task/20/cgroup", "0::/jobs/b\n" },
	{ 0 }
};

static const struct file real_time_files[] = {
	{ "/proc/20/task/20/stat", TASK("spin", "R", "@100", "1") },
	{ 0 }
};

/* At first, the process has another thread in each second. */
static const struct file many_files[] = {
	{ "/proc/20/task", "20\n@50\n", .until = 30 },
	{ "/proc/20/task/@50/stat", TASK("short", "R", "0", "0"), .until = 30 },
	{ "/proc/20/task/20/stat", TASK("spin", "S", "0", "1"), .until = 30 },
	{ "/proc/20/task/20/stat", TASK("spin", "R", "@100", "1") },
	{ 0 }
};

static const struct file shares_files[] = {
	{ "/proc/7/task/10000/cgroup", "4:cpu:/vms/a\n" },
	{ "/proc/20/task/20/cgroup", "4:cpu:/jobs/b\n" },
	{ "/sys/fs/cgroup/cpu/vms/cpu.shares", "10\n" },
	{ "/sys/fs/cgroup/cpu/jobs/cpu.shares", "100\n" },
	{ 0 }
};

/* Only the weights of the innermost cgroups count here. */
static const struct file sibling_files[] = {
	{ "/proc/20/task/20/cgroup", "0::/vms/a/helper\n" },
	{ CGROUP "/vms/a/helper/cpu.weight", "600\n" },
	{ CGROUP "/vms/a/vcpu/cpu.weight", "60\n" },
	{ 0 }
};

static const struct file cpuset_files[] = {
	{ "/proc/7/task/10000/status", "Name:\tqemu\nCpus_allowed_list:\t3\n" },
	{ 0 }
};

/* It uses no CPU time. */
static const struct file frozen_files[] = {
	{ "/proc/7/stat", TASK("qemu", "S", "0", "0") },
	{ CGROUP "/vms/a/vcpu/cgroup.events", "populated 1\nfrozen 1\n" },
	{ 0 }
};

/* The freezer has other cgroups than the controller of CPUs. */
static const struct file freezer_files[] = {
	{ "/proc/7/stat", TASK("qemu", "S", "0", "0") },
	{ "/proc/7/task/10000/cgroup", "5:freezer:/f/a\n4:cpu:/vms/a\n" },
	{ "/sys/fs/cgroup/freezer/f/a/freezer.state", "FROZEN\n" },
	{ 0 }
};

/* The last sign of a vCPU that gets no CPU any more, on a kernel with the series */
static const struct file waiting_files[] = {
	{ "/proc/7/task/10000/stat", TASK("CPU 0/KVM", "R", "100", "0") },
	{ "/proc/7/task/10000/schedstat", "1000 1000 1\n" },
	{ 0 }
};

static const struct file steal_files[] = {
	{ "/proc/stat", "cpu @85 0 0 0 0 0 0 @15 0 0\ncpu0 0\n" },
	{ 0 }
};

static const struct scenario {
	const char *name;
	struct vcpus vcpus;
	const struct file *files;	/* the cause outside of the vCPUs, or NULL */
	enum rule_id rule;
	const char *evidence;
	enum rule_id without;		/* the verdict without these files */
	int passes;			/* 0: 11 */
	bool select_first;		/* and no other guest */
	bool neighbour;			/* the cause has neighbour_files, too */
	double since;			/* according to the pressure; 0: not examined */
} scenarios[] = {
	{ "idle", { &idle, &idle }, NULL, RULE_IDLE, "99 %" },
	{ "busy", { &busy, &idle }, NULL, RULE_BUSY, "100 %" },
	{ "shares a CPU", { &half, &idle, &busy }, NULL, RULE_WAITS,
	  "CPU 3 is shared with ?/vcpu5 (candidate, 100 %)" },
	{ "gets no CPU", { &never, NULL, &busy }, NULL, RULE_WAITS, "CPU 3" },
	{ "stopped", { &stopped, &stopped }, NULL, RULE_STOPPED, "thread 10000" },
	{ "a disk", { &disk, &idle }, NULL, RULE_BLOCKED, "70 %" },
	{ "the VMM", { &outside, &idle }, NULL, RULE_VMM, "70 %" },
	{ "paused", { &paused, &paused }, NULL, RULE_PAUSED, "" },
	{ "paused, with few samples", { &paused, &paused }, NULL, RULE_PAUSED, "", .passes = 3 },
	{ "one vCPU is outside", { &paused, &idle }, NULL, RULE_VMM, "" },
	{ "halted for a short time", { &halted, &halted }, NULL, RULE_IDLE, "" },
	{ "exits", { &storm }, NULL, RULE_EXITS,
	  "5000 exits per second, most of them I/O ports; 4.0 times" },
	{ "compressed swap", { &swap }, NULL, RULE_MEMORY, "550 major" },
	{ "fewer major faults", { &few_faults }, NULL, RULE_EXITS, "" },
	{ "a starved I/O thread", { &idle }, starved_files, RULE_STARVED,
	  "IO disk (iothread, TID 9) waits for a CPU in 40 %", RULE_IDLE },
	{ "a starved I/O thread for which the vCPU waits", { &outside }, starved_files,
	  RULE_STARVED, "IO disk", RULE_VMM },
	{ "a blocked I/O thread", { &outside }, blocked_files, RULE_HELPER, "IO disk", RULE_VMM },
	{ "a limit of a cgroup above", { &half }, limit_files, RULE_LIMITED,
	  "cpu.max 50000 100000, throttled in 50 % of the periods", RULE_WAITS },
	{ "a limit in version 1", { &half }, quota_files, RULE_LIMITED,
	  "cpu.cfs_quota_us 50000, cpu.cfs_period_us 100000, throttled in 50 %", RULE_WAITS },
	{ "waits for memory", { &idle }, pressure_files, RULE_MEMORY,
	  "memory.pressure of /vms/a/vcpu 30 %", RULE_IDLE, .since = 20 },
	{ "a real-time thread", { &half }, real_time_files, RULE_REAL_TIME,
	  "spin (TID 20) competes for CPU 3", RULE_WAITS, .neighbour = true },
	{ "a lower weight", { &half }, neighbour_files, RULE_WEIGHT,
	  "/vms has cpu.weight 10, and /jobs 100", RULE_WAITS },
	{ "a lower weight of a sibling", { &half }, sibling_files, RULE_WEIGHT,
	  "/vms/a/vcpu has cpu.weight 60, and /vms/a/helper 600", RULE_WAITS, .neighbour = true },
	{ "a CPU for two vCPUs", { &half, &shares }, cpuset_files, RULE_FEW_CPUS,
	  "its 2 vCPUs may use the CPUs 3, and wait for each other in 100 %", RULE_WAITS },
	{ "a frozen cgroup", { &halted }, frozen_files, RULE_FROZEN, "/vms/a/vcpu", RULE_IDLE },
	{ "gets no CPU, without the host file", { &idle }, waiting_files, RULE_WAITS, "too few",
	  RULE_IDLE },
	{ "steal time", { &some }, steal_files, RULE_STEAL, "15 %", RULE_IDLE },
	{ "a paused guest with a thread that hardly waits", { &paused }, hardly_starved_files,
	  RULE_PAUSED, "", RULE_PAUSED },
	{ "a starved and a blocked I/O thread", { &outside }, helper_files, RULE_HELPER,
	  "while IO ?slow (iothread, TID 11)", RULE_VMM },
	{ "another vCPU is stopped", { &idle, &stopped }, NULL, RULE_STOPPED, "thread 10001" },
	{ "one vCPU waits for a CPU", { &half, &idle }, cpu_pressure_files, RULE_WAITS, "",
	  RULE_WAITS, .since = 20 },
	{ "a thread after many others", { &half }, many_files, RULE_REAL_TIME, "spin (TID 20)",
	  RULE_WAITS, .passes = 80, .neighbour = true },
	{ "waits for memory, with a cgroup for each vCPU", { &idle, &idle }, threaded_files,
	  RULE_MEMORY, "memory.pressure of /vms/a 30 %", RULE_IDLE, .since = 20 },
	{ "another guest that waits for memory", { &idle, NULL, &idle }, shared_files, RULE_IDLE,
	  "", RULE_IDLE },
	{ "a guest that waits for memory with another one", { &disk, NULL, &idle }, shared_files,
	  RULE_MEMORY, "/vms/a/vcpu (shared by 2 guests) 30 %", RULE_BLOCKED },
	{ "another guest, not selected, that waits for memory", { &idle, NULL, &idle },
	  unselected_files, RULE_IDLE, "", RULE_IDLE, .select_first = true },
	{ "a guest that waits for memory alone", { &idle, NULL, &idle }, alone_files, RULE_MEMORY,
	  "memory.pressure of /vms/a/vcpu 30 %", RULE_IDLE, .select_first = true },
	{ "a lower weight in version 1", { &half }, shares_files, RULE_WEIGHT,
	  "/vms has cpu.shares 10, and /jobs 100", RULE_WAITS, .neighbour = true },
	{ "frozen by version 1", { &halted }, freezer_files, RULE_FROZEN,
	  "/f/a, or a cgroup above", RULE_IDLE },
};

/* Returns the verdict after the passes, and sets the parts of the time of the first vCPU. */
static struct verdict verdict_of(const struct scenario *scenario, const struct file *files,
				 double *part)
{
	const struct file *lists[] = {
		files ? files : idle_files,
		files && scenario->neighbour ? neighbour_files : idle_files, idle_files, NULL,
	};
	const struct guest_evidence *guest;
	struct host_test test;
	struct verdict verdict;
	size_t at = 0;

	kernel_set_reader(read_fake, lists);
	open_test(&test, files != waiting_files);
	if (scenario->select_first)
		filter_add_pid(&test.host.filter, PID);
	while (second < (scenario->passes ? scenario->passes : 11))
		pass(&test, &scenario->vcpus);
	guest = &test.evidence.guest[0];
	guest_verdict(&verdict, &test.evidence, guest);
	thread_parts(guest_next_vcpu(guest, &at), part);
	close_test(&test);
	kernel_set_reader(NULL, NULL);
	return verdict;
}

static void expect(const char *what, const struct verdict *verdict, enum rule_id rule,
		   const char *evidence)
{
	bool good = verdict->rule == rule && strstr(verdict->evidence, evidence);

	tap_ok(good, "%s: %s", what, why_rules[rule].name);
	if (!good)
		printf("# %s: %s (%s, %.0f s)\n", why_rules[verdict->rule].name, verdict->text,
		       verdict->evidence, verdict->since);
}

/* Each scenario, and the same behaviour of the vCPUs without its cause */
static void test_scenario(const struct scenario *scenario)
{
	struct verdict verdict;
	double part[PARTS];
	char name[64];

	if (scenario->files) {
		snprintf(name, sizeof(name), "without %s", scenario->name);
		verdict = verdict_of(scenario, NULL, part);
		expect(name, &verdict, scenario->without, "");
	}
	verdict = verdict_of(scenario, scenario->files, part);
	expect(scenario->name, &verdict, scenario->rule, scenario->evidence);
	if (scenario->since > 0)
		tap_ok(fabs(verdict.since - scenario->since) < 0.1,
		       "the averages of a pressure show since when");
}

static void test_verdicts(void)
{
	static const struct scenario waits = { .vcpus = { &half, &idle, &busy } };
	static const struct scenario pause = { .vcpus = { &paused, &paused } };
	struct verdict verdict;
	double part[PARTS];

	verdict = verdict_of(&waits, NULL, part);
	tap_ok(verdict.affected == 1 && verdict.vcpus == 2 && fabs(verdict.loss - 51) < 2 &&
	       verdict.strength == STRENGTH_CERTAIN, "its share, strength and vCPUs are known");
	verdict = verdict_of(&pause, NULL, part);
	tap_ok(verdict.since >= 9.9 && !verdict.since_is_least, "since when is known");
}

static void test_parts(void)
{
	static const struct behaviour does = {
		.guest = 200, .kvm = 100, .vmm = 50, .wait = 150, .halt = 400, .state = 'H',
	};
	static const struct scenario parts = { .vcpus = { &does } };
	double part[PARTS], sum = 0;
	size_t i;

	verdict_of(&parts, NULL, part);
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
	static const struct vcpus alone = { &busy }, both = { &busy, NULL, &busy };
	const struct guest_evidence *first, *last;
	struct host_test test;
	int i;

	other_pid = 6;
	open_test(&test, true);
	pass(&test, &alone);
	pass(&test, &both);
	evidence_free(&test.evidence);
	for (i = 0; i < 3; i++)
		pass(&test, &both);
	first = evidence_of(&test.evidence, test.host.monitor->vmm[0]);
	last = evidence_of(&test.evidence, test.host.monitor->vmm[1]);
	tap_ok(test.evidence.guests == 2 && first && first->samples_taken == 3 && last &&
	       last->samples_taken == 3, "each guest is found again");
	close_test(&test);
	other_pid = 8;
}

static void test_reads(void)
{
	static const struct scenario blocked = { .vcpus = { &outside } };
	double part[PARTS];

	reads = 0;
	verdict_of(&blocked, blocked_files, part);
	tap_is(reads, 11, "a pass reads the state of a thread once");
}

/* The VM of a host file that the command has loaded for itself */
static void test_own_vm(void)
{
	static const struct scenario waits = { .vcpus = { &half, NULL, &busy } };
	struct verdict verdict;
	double part[PARTS];

	other_pid = 4242;
	verdict = verdict_of(&waits, NULL, part);
	expect("the command itself is no neighbour", &verdict, RULE_WAITS, "too few samples");
	other_pid = 8;
}

/* The kernel divides run time at timer ticks. */
static void test_short_time(void)
{
	static const struct vcpus storms = { &storm };
	struct guest_evidence *guest;
	struct host_test test;
	struct verdict verdict;
	size_t at = 0;

	open_test(&test, true);
	pass(&test, &storms);
	pass(&test, &storms);
	guest = &test.evidence.guest[0];
	guest_next_vcpu(guest, &at);
	guest->thread[at - 1].sum[test.evidence.current][SUM_TIME]--;
	guest_verdict(&verdict, &test.evidence, guest);
	expect("exits for less than a second", &verdict, RULE_BUSY, "");
	close_test(&test);
}

int main(void)
{
	size_t i;

	test_rules();
	mutate_thresholds();
	mutate_causes();
	test_table();
	test_parts();
	test_verdicts();
	test_order_of_guests();
	test_reads();
	test_own_vm();
	test_short_time();
	for (i = 0; i < ARRAY_SIZE(scenarios); i++)
		test_scenario(&scenarios[i]);
	return tap_end();
}
