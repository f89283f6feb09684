/* SPDX-License-Identifier: GPL-2.0-only */
/* The rules of kvm-stats why: from facts about a vCPU to a verdict. rules.c has the table. */
#ifndef WHY_RULES_H
#define WHY_RULES_H

#include <stdbool.h>
#include <stddef.h>

/* What was measured. A fact that is not known is NAN, and fulfils no condition. */
enum fact {
	FACT_TOO_NEW,		/* 1: the guest has not run for long enough */
	FACT_STOPPED,		/* 1: now */
	FACT_FROZEN,		/* 1: now */
	FACT_WAITING,		/* for a CPU, also while throttled: percent of the time */
	FACT_WAIT_NOW,		/* for how long the current wait has lasted, in ms */
	FACT_WAIT_SEEN,		/* percent of the samples between which it waited */
	FACT_PERIODS,		/* periods of the limit that were throttled */
	FACT_PERIODS_SHARE,	/* percent of the periods */
	FACT_THROTTLED,		/* time for which the limit throttled, in ms */
	FACT_SAMPLES,		/* samples or waits that show a thread on its CPU */
	FACT_NEIGHBOUR,		/* percent of them: the thread that had it most of the time */
	FACT_REAL_TIME,		/* the same, if it has a real-time policy */
	FACT_OWN,		/* percent of them: other vCPUs of the guest */
	FACT_MISSING_CPUS,	/* vCPUs that are more than the CPUs that they may use */
	FACT_WEIGHT_RATIO,	/* weight of the neighbour's cgroup for each of the guest's */
	FACT_PRESSURE,		/* of memory.pressure, percent of the time */
	FACT_FAULTS,		/* major faults per second */
	FACT_MEMORY,		/* what the two explain: percent of the time */
	FACT_MEMORY_LOSS,	/* the same, or FACT_BLOCKED if that is more */
	FACT_BLOCKED,		/* uninterruptible sleep, percent of the time */
	FACT_OUTSIDE,		/* sleep outside of KVM_RUN, percent of the time */
	FACT_ASLEEP_SEEN,	/* samples that show one of the two */
	FACT_ASLEEP_NOW,	/* for how long it has been in one of the two, in ms */
	FACT_ALL_OUTSIDE,	/* 1: all vCPUs of the guest have been outside all the time */
	FACT_HELPER_WAITING,	/* percent of the time: the helper that waits most for a CPU */
	FACT_HELPER_LOSS,	/* the same, or FACT_OUTSIDE if that is more */
	FACT_HELPER_BLOCKED,	/* a helper in uninterruptible sleep: percent of these samples */
	FACT_RUNNING,		/* in the guest, in KVM and in the VMM: percent of the time */
	FACT_OVERHEAD,		/* time in KVM and in the VMM for each second in the guest */
	FACT_EXITS,		/* per second */
	FACT_EMULATED,		/* emulated instructions for each exit */
	FACT_STEAL,		/* of the host, percent of the time of its CPUs */
	FACT_HALTED,		/* percent of the time */
	FACT_ALL_HALTED,	/* seconds since when all vCPUs have been halted */
	FACTS,
};

/* "waiting", "wait_now" */
const char *fact_name(enum fact fact);

/* Names that the texts use */
enum fact_text {
	TEXT_PID,
	TEXT_TID,		/* of the vCPU, or of a thread that is stopped */
	TEXT_LIMIT,		/* the cgroup whose limit binds */
	TEXT_MAX,		/* that limit: "cpu.max 50000 100000" */
	TEXT_CPU,		/* the CPU that the vCPU waits for */
	TEXT_CPUS,		/* the CPUs that it may use: "0-3" */
	TEXT_VCPUS,		/* number of vCPUs of the guest */
	TEXT_NEIGHBOUR,		/* the thread that has the CPU */
	TEXT_HOW,		/* how it is known: "candidate", or "measured" (--switches) */
	TEXT_SAMPLES,		/* "9 samples", "the time of its waits" */
	TEXT_CGROUP,		/* the cgroup of the vCPU, or the part of it that matters */
	TEXT_MEMORY,		/* the cgroup of all vCPUs, whose memory.pressure is known */
	TEXT_FREEZER,		/* what to write to thaw it: "0 >/sys/fs/cgroup/a/cgroup.freeze" */
	TEXT_WEIGHTS,		/* "/a has cpu.weight 10, /b 1000" */
	TEXT_HELPER,		/* the thread of the VMM that waits most for a CPU */
	TEXT_SLEEPER,		/* that which is in uninterruptible sleep most often */
	TEXT_CLASS,		/* the most frequent exits */
	TEXTS,
};

struct facts {
	double value[FACTS];
	char text[TEXTS][256];		/* "": not known */
};

enum strength { STRENGTH_CANDIDATE, STRENGTH_LIKELY, STRENGTH_CERTAIN };

/* "candidate", "likely", "certain" */
const char *strength_name(enum strength strength);

/* In the order in which they are tried */
enum rule_id {
	RULE_TOO_NEW,
	RULE_STOPPED,
	RULE_FROZEN,
	RULE_LIMITED,
	RULE_REAL_TIME,
	RULE_FEW_CPUS,
	RULE_WEIGHT,
	RULE_WAITS,
	RULE_MEMORY,
	RULE_BLOCKED,
	RULE_HELPER,
	RULE_STARVED,
	RULE_PAUSED,
	RULE_VMM,
	RULE_EMULATION,
	RULE_EXITS,
	RULE_STEAL,
	RULE_HALTED,
	RULE_BURST,
	RULE_IDLE,
	RULE_BUSY,
	RULE_NONE,
	RULES,
};

/* The fact is at least so much. */
struct condition {
	enum fact fact;
	double least;
};

struct rule {
	const char *name;		/* for JSON and metrics */
	const char *text;		/* the verdict; {x} is a fact or a text */
	const char *evidence;
	const char *evidence_without;	/* if a text of the evidence is not known */
	const char *remedy;		/* NULL: it is a note, not a finding */
	/* All conditions of the first list, or all of the second, which may be empty */
	struct condition when[2][2];
	struct condition also[2];	/* and all of these */
	struct condition certain[2];	/* one of them makes the verdict certain */
	enum strength strength;		/* otherwise */
	enum fact loss;			/* share of the time; FACT_TOO_NEW: none */
	/* Of the rules with this flag, the one with the largest loss decides, then the first. */
	bool competes;
};

extern const struct rule why_rules[RULES];

/* Returns the rule of @table that decides. */
enum rule_id rules_decide(const struct rule *table, const struct facts *facts);

enum strength rule_strength(const struct rule *rule, const struct facts *facts);

/* Returns the loss in percent, or -1 without one. */
double rule_loss(const struct rule *rule, const struct facts *facts);

/* Replaces {x} in @text. Returns false if one of them is not known. */
bool rule_text(char *buf, size_t size, const char *text, const struct facts *facts);

#endif /* WHY_RULES_H */
