// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of rules, in the order in which they are tried, and how it is applied. The comments
 * have the sources of the thresholds; kvm-stats-why(1) has both for users. Those without a source
 * are from scenarios with a known cause (tests/programs/why.sh).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "basics.h"
#include "util.h"
#include "why/rules.h"

/* esxtop: %RDY of 5 % is good, 10 % is serious. */
#define WAITS_FOR_CPU \
	.when = { { { FACT_WAITING, 5 }, { FACT_WAIT_SEEN, 40 } }, { { FACT_WAIT_NOW, 250 } } }, \
	.certain = { { FACT_WAITING, 10 }, { FACT_WAIT_NOW, 1000 } }, \
	.strength = STRENGTH_LIKELY, .loss = FACT_WAITING, .competes = true

const struct rule why_rules[RULES] = {
	/* The start of a guest looks like several causes. */
	[RULE_TOO_NEW] = {
		.name = "new", .text = "not examined: too new",
		.evidence = "it has started within the last seconds",
		.when = { { { FACT_TOO_NEW, 1 } } },
	},
	[RULE_STOPPED] = {
		.name = "stopped", .text = "stopped by a signal or a debugger",
		.evidence = "thread {tid} is in the state T",
		.remedy = "kill -CONT {pid}",
		.when = { { { FACT_STOPPED, 1 } } }, .strength = STRENGTH_CERTAIN,
	},
	[RULE_FROZEN] = {
		.name = "frozen", .text = "frozen by a cgroup",
		.evidence = "{cgroup}, or a cgroup above it, is frozen",
		.evidence_without = "its cgroup is frozen",
		.remedy = "echo {freezer}, or virsh resume",
		.when = { { { FACT_FROZEN, 1 } } }, .strength = STRENGTH_CERTAIN,
	},
	/* esxtop: %MLMTD above 0 is a limit that binds. Single periods do not matter. */
	[RULE_LIMITED] = {
		.name = "limited", .text = "limited by {limit}",
		.evidence = "{max}, throttled in {periods_share} % of the periods",
		.remedy = "raise cpu.max (cpu.cfs_quota_us) of {limit}",
		.when = { { { FACT_PERIODS, 3 } }, { { FACT_THROTTLED, 100 } } },
		.also = { { FACT_PERIODS_SHARE, 10 }, { FACT_WAITING, 1 } },
		.strength = STRENGTH_CERTAIN, .loss = FACT_WAITING,
	},
	[RULE_REAL_TIME] = {
		.name = "real_time", .text = "waits for a CPU that a real-time thread uses",
		.evidence = "{neighbour} competes for CPU {cpu} in {real_time} % of {samples}",
		.remedy = "give one of them other CPUs (taskset -p), or end the real-time policy "
			  "(chrt -o -p 0 TID)",
		WAITS_FOR_CPU, .also = { { FACT_REAL_TIME, 50 }, { FACT_SAMPLES, 5 } },
	},
	[RULE_FEW_CPUS] = {
		.name = "few_cpus", .text = "has fewer CPUs than vCPUs",
		.evidence = "its {vcpus} vCPUs may use the CPUs {cpus}, and wait for each other in "
			    "{own} % of {samples}",
		.remedy = "allow more CPUs (cpuset.cpus of {cgroup}, virsh vcpupin), or use fewer "
			  "vCPUs",
		WAITS_FOR_CPU, .also = { { FACT_MISSING_CPUS, 1 }, { FACT_OWN, 50 } },
	},
	/* A weight of half gives at most a third of the CPU. */
	[RULE_WEIGHT] = {
		.name = "weight", .text = "waits for a CPU, with a lower weight",
		.evidence = "{weights}; {neighbour} competes for CPU {cpu} in {share} % of "
			    "{samples}",
		.remedy = "raise cpu.weight (cpu.shares) of {cgroup}, or virsh schedinfo",
		WAITS_FOR_CPU, .also = { { FACT_WEIGHT_RATIO, 2 }, { FACT_SAMPLES, 5 } },
	},
	[RULE_WAITS] = {
		.name = "waits", .text = "waits for a CPU",
		.evidence = "CPU {cpu} is shared with {neighbour} ({how}, {share} %)",
		.evidence_without = "too few samples show the thread on the CPU (--for 10 has "
				    "more)",
		.remedy = "give the guest other CPUs (virsh vcpupin, cpuset.cpus), or migrate a "
			  "guest",
		WAITS_FOR_CPU,
	},
	/* PSI: some of 10 %; 500 faults of 0.2 ms per second are 10 %, too. */
	[RULE_MEMORY] = {
		.name = "memory", .text = "waits for memory",
		.evidence = "{faults} major faults per second, memory.pressure of {memory_cgroup} "
			    "{pressure} %",
		.evidence_without = "{faults} major faults per second",
		.remedy = "raise memory.high and memory.max of {memory_cgroup}, or give the host "
			  "more memory",
		.when = { { { FACT_MEMORY, 10 } } }, .certain = { { FACT_MEMORY, 20 } },
		.strength = STRENGTH_LIKELY, .loss = FACT_MEMORY_LOSS, .competes = true,
	},
	[RULE_BLOCKED] = {
		.name = "blocked", .text = "blocked in the kernel",
		.evidence = "{blocked} % of the time in uninterruptible sleep",
		.remedy = "examine the storage; cat /proc/{pid}/task/{tid}/stack shows what it "
			  "waits for",
		.when = {
			{ { FACT_BLOCKED, 5 }, { FACT_ASLEEP_SEEN, 2 } },
			{ { FACT_BLOCKED, 0.1 }, { FACT_ASLEEP_NOW, 1000 } },
		},
		.certain = { { FACT_ASLEEP_NOW, 1000 } }, .strength = STRENGTH_LIKELY,
		.loss = FACT_BLOCKED, .competes = true,
	},
	[RULE_HELPER] = {
		.name = "helper_blocked", .text = "waits for a thread of its VMM that is blocked",
		.evidence = "{outside} % of the time outside of the guest, while {sleeper} is in "
			    "uninterruptible sleep",
		.remedy = "examine the storage; /proc/{pid}/task/TID/stack of that thread shows "
			  "what it waits for",
		.when = { { { FACT_OUTSIDE, 5 }, { FACT_ASLEEP_SEEN, 2 } } },
		.also = { { FACT_HELPER_BLOCKED, 50 } },
		.strength = STRENGTH_LIKELY, .loss = FACT_OUTSIDE, .competes = true,
	},
	/* %RDY of esxtop, applied to the threads that work for the guest */
	[RULE_STARVED] = {
		.name = "starved", .text = "a thread of its VMM waits for a CPU",
		.evidence = "{helper} waits for a CPU in {helper_waiting} % of the time",
		.remedy = "give this thread other CPUs (virsh iothreadpin, emulatorpin, or "
			  "taskset -p)",
		.when = { { { FACT_HELPER_WAITING, 5 } } },
		.certain = { { FACT_HELPER_WAITING, 10 } }, .strength = STRENGTH_LIKELY,
		.loss = FACT_HELPER_LOSS, .competes = true,
	},
	[RULE_PAUSED] = {
		.name = "outside", .text = "no vCPU is in KVM_RUN",
		.evidence = "all of its vCPUs sleep in the VMM, which has paused them or hangs",
		.remedy = "virsh domstate --reason, or query-status of QMP, shows whether it is "
			  "paused",
		.when = { { { FACT_ALL_OUTSIDE, 1 } } },
		.strength = STRENGTH_CERTAIN, .loss = FACT_OUTSIDE, .competes = true,
	},
	[RULE_VMM] = {
		.name = "vmm", .text = "waits for its VMM",
		.evidence = "{outside} % of the time asleep outside of the guest",
		.remedy = "examine what the VMM does for this vCPU: perf trace -p {pid}",
		.when = {
			{ { FACT_OUTSIDE, 5 }, { FACT_ASLEEP_SEEN, 2 } },
			{ { FACT_OUTSIDE, 0.1 }, { FACT_ASLEEP_NOW, 1000 } },
		},
		.strength = STRENGTH_LIKELY, .loss = FACT_OUTSIDE, .competes = true,
	},
	[RULE_EMULATION] = {
		.name = "emulation", .text = "KVM emulates its instructions",
		.evidence = "{emulated} instructions for each of {exits} exits per second, "
			    "{overhead} times as long in KVM and the VMM as in the guest",
		.remedy = "give the guest the CPU features that it lacks; perf kvm stat shows the "
			  "instructions",
		.when = { { { FACT_RUNNING, 25 }, { FACT_OVERHEAD, 2 } } },
		.also = { { FACT_EMULATED, 10 } },
		.strength = STRENGTH_LIKELY, .loss = FACT_RUNNING,
	},
	[RULE_EXITS] = {
		.name = "exits", .text = "exits take its time",
		.evidence = "{exits} exits per second, most of them {class}; {overhead} times as "
			    "long in KVM and the VMM as in the guest",
		.evidence_without = "{overhead} times as long in KVM and the VMM as in the guest",
		.remedy = "kvm-stats top --exits shows the classes and their times; use virtio "
			  "devices, huge pages",
		.when = { { { FACT_RUNNING, 25 }, { FACT_OVERHEAD, 2 } } },
		.strength = STRENGTH_LIKELY, .loss = FACT_RUNNING,
	},
	/* %RDY of esxtop, on the host below */
	[RULE_STEAL] = {
		.name = "steal", .text = "the host itself waits for CPUs",
		.evidence = "{steal} % of the time of this host's CPUs is steal time",
		.remedy = "this host is a guest: examine the host below it",
		.when = { { { FACT_STEAL, 10 }, { FACT_RUNNING, 10 } } },
		.strength = STRENGTH_CERTAIN, .loss = FACT_STEAL,
	},
	/* Kernels that are idle wake up every few seconds. */
	[RULE_HALTED] = {
		.name = "halted", .text = "halted, and nothing wakes it",
		.evidence = "no vCPU has run for {all_halted} s",
		.remedy = "examine its console; a guest that is parked or waits in its firmware "
			  "looks the same",
		.when = { { { FACT_ALL_HALTED, 60 } } },
		.strength = STRENGTH_CANDIDATE, .loss = FACT_HALTED,
	},
	[RULE_BURST] = {
		.name = "burst", .text = "waited for a CPU, in a burst",
		.evidence = "{waiting} % of the time, in {wait_seen} % of the intervals",
		.when = { { { FACT_WAITING, 5 } } },
	},
	[RULE_IDLE] = {
		.name = "idle", .text = "idle", .evidence = "halted {halted} % of the time",
		.when = { { { FACT_HALTED, 90 } } },
	},
	[RULE_BUSY] = {
		.name = "busy", .text = "busy in the guest",
		.evidence = "runs {running} % of the time; a guest that hangs in a loop looks the "
			    "same",
		.when = { { { FACT_RUNNING, 90 } } },
	},
	/* If no other rule applies */
	[RULE_NONE] = {
		.name = "none", .text = "no cause found",
		.evidence = "runs {running} % and halts {halted} % of the time",
		.evidence_without = "",
	},
};

/* ---- names ---- */

const char *fact_name(enum fact fact)
{
	static const char * const names[FACTS] = {
		"too_new", "stopped", "frozen", "waiting", "wait_now", "wait_seen", "periods",
		"periods_share", "throttled", "samples", "share", "real_time", "own",
		"missing_cpus", "weight_ratio", "pressure", "faults", "memory", "memory_loss",
		"blocked", "outside", "asleep_seen", "asleep_now", "all_outside", "helper_waiting",
		"helper_loss", "helper_blocked", "running", "overhead", "exits", "emulated",
		"steal", "halted", "all_halted",
	};

	return names[fact];
}

static const char * const text_names[TEXTS] = {
	[TEXT_PID] = "pid", [TEXT_TID] = "tid", [TEXT_LIMIT] = "limit", [TEXT_MAX] = "max",
	[TEXT_CPU] = "cpu", [TEXT_CPUS] = "cpus", [TEXT_VCPUS] = "vcpus",
	[TEXT_NEIGHBOUR] = "neighbour", [TEXT_HOW] = "how", [TEXT_SAMPLES] = "samples",
	[TEXT_CGROUP] = "cgroup", [TEXT_WEIGHTS] = "weights",
	[TEXT_MEMORY] = "memory_cgroup", [TEXT_FREEZER] = "freezer", [TEXT_HELPER] = "helper",
	[TEXT_SLEEPER] = "sleeper", [TEXT_CLASS] = "class",
};

const char *strength_name(enum strength strength)
{
	static const char * const names[] = { "candidate", "likely", "certain" };

	return names[strength];
}

/* ---- decisions ---- */

/* A list ends with a condition that has no threshold. */
static bool are_fulfilled(const struct condition *list, size_t size, const struct facts *facts)
{
	size_t i;

	for (i = 0; i < size && list[i].least > 0; i++) {
		if (!(facts->value[list[i].fact] >= list[i].least))
			return false;
	}
	return true;
}

static bool applies(const struct rule *rule, const struct facts *facts)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rule->when) && rule->when[i]->least > 0; i++) {
		if (are_fulfilled(rule->when[i], ARRAY_SIZE(rule->when[i]), facts))
			return are_fulfilled(rule->also, ARRAY_SIZE(rule->also), facts);
	}
	return false;
}

double rule_loss(const struct rule *rule, const struct facts *facts)
{
	double loss = rule->loss ? facts->value[rule->loss] : NAN;

	return isnan(loss) ? -1 : loss;
}

enum rule_id rules_decide(const struct rule *table, const struct facts *facts)
{
	enum rule_id best = RULES;
	size_t i;

	for (i = 0; i < RULE_NONE; i++) {
		if (!applies(&table[i], facts) || (best < RULES && !table[i].competes))
			continue;
		if (!table[i].competes)
			return i;
		if (best == RULES ||
		    rule_loss(&table[i], facts) > rule_loss(&table[best], facts))
			best = i;
	}
	return best < RULES ? best : RULE_NONE;
}

enum strength rule_strength(const struct rule *rule, const struct facts *facts)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rule->certain) && rule->certain[i].least > 0; i++) {
		if (facts->value[rule->certain[i].fact] >= rule->certain[i].least)
			return STRENGTH_CERTAIN;
	}
	return rule->strength;
}

/* ---- texts ---- */

/* Writes the value of the name, which has @len characters. Returns false if it is not known. */
static bool put_value(char *buf, size_t size, const char *name, size_t len,
		      const struct facts *facts)
{
	size_t i;

	for (i = 0; i < TEXTS; i++) {
		const char *text = facts->text[i];

		if (strlen(text_names[i]) != len || strncmp(text_names[i], name, len))
			continue;
		sanitize(*text ? text : "?", buf, size);
		return *text;
	}
	for (i = 0; i < FACTS; i++) {
		double value = facts->value[i];

		if (strlen(fact_name(i)) != len || strncmp(fact_name(i), name, len))
			continue;
		snprintf(buf, size, "%.*f", value < 10 && i == FACT_OVERHEAD, value);
		return !isnan(value);
	}
	*buf = '\0';
	return false;
}

bool rule_text(char *buf, size_t size, const char *text, const struct facts *facts)
{
	bool known = true;
	size_t used = 0;

	while (*text && used + 1 < size) {
		size_t len;

		if (*text != '{') {
			buf[used++] = *text++;
			continue;
		}
		len = strcspn(++text, "}");
		known &= put_value(buf + used, size - used, text, len, facts);
		used += strlen(buf + used);
		text += len + 1;
	}
	buf[used] = '\0';
	return known;
}
