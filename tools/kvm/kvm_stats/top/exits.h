/* SPDX-License-Identifier: GPL-2.0-only */
/* Exits and times of VMs and vCPUs, from statistics whose names differ between kernels. */
#ifndef TOP_EXITS_H
#define TOP_EXITS_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

#define EXIT_KINDS	64	/* at most so many kinds of exits are counted */
#define EXIT_NAME_SIZE	24

/*
 * A kind of exits. While exit statistics are on, the kinds are classes, and each exit is in one of
 * them. The other kinds overlap with the classes.
 */
struct exit_kind {
	char name[EXIT_NAME_SIZE];	/* "io" for io_exits and for exit_io */
	double rate;
	double ns;			/* time of a class, per second */
};

struct exit_kinds {
	struct exit_kind kind[EXIT_KINDS];
	size_t kinds;
};

/* At each moment a vCPU is in one of these. */
enum time_part {
	TIME_GUEST,
	TIME_EXITS,	/* KVM handles exits */
	TIME_VMM,
	TIME_HALTED,
	TIME_WAITING,	/* for a CPU */
	TIME_THROTTLED,	/* by the limit of a cgroup; KVM counts it as waiting */
	TIME_PARTS,
};

enum tally_id {
	TALLY_EXITS,
	TALLY_FAULTS,
	TALLY_POLLS,
	TALLY_GOOD_POLLS,
	TALLY_TIMES,		/* TIME_PARTS entries, in percent of the time of a vCPU */
	TALLIES = TALLY_TIMES + TIME_PARTS,
};

/* The rates of several VMs and vCPUs together, per second. */
struct tally {
	double sum[TALLIES];
	size_t known[TALLIES];	/* of how many; for all times in TALLY_TIMES */
};

#define STAT_BLOCKING	TALLIES		/* whether the vCPU is halted */

/* They are found by name in any schema, regardless of the filter. */
struct exit_stats {
	const struct stat_set *set;
	const struct kvmstats_stat *stat[TALLIES + 1];	/* NULL: there is no such statistic */
	struct {
		char name[EXIT_NAME_SIZE];
		const struct kvmstats_stat *count;
		const struct kvmstats_stat *ns;		/* NULL: not a class */
	} kind[EXIT_KINDS];
	size_t kinds;
	bool has_classes;
};

/* Initialize it with zeros. */
struct exits {
	enum exits_state state;		/* at the last sample */
	/* For exits.c: the sets found last. There is one of VMs and one of vCPUs, more after KVM's
	 * modules were exchanged.
	 */
	struct exit_stats stats[4];
	size_t next;
};

/* Adds the rates of @target. */
void tally_add(struct tally *tally, struct exits *exits, const struct target *target);
/* Adds the times of the last interval, if exit statistics count the target. Returns whether. */
bool tally_add_times(struct tally *tally, struct exits *exits, const struct target *target);

/* Adds the kinds that have occurred since the vCPU was created. */
void exit_kinds_add(struct exit_kinds *kinds, struct exits *exits, const struct target *target);
/* Sorts by time, then by rate, or only by rate: the highest first. */
void exit_kinds_sort(struct exit_kinds *kinds, bool by_time);

/* Writes the short name of a kind of exits to @buf. Returns false if @name is not one. */
bool exit_kind_name(char *buf, const char *name);

/* Shares the time of an interval out to the parts, see exits.c. */
void fit_interval(double *percent, bool blocking);

#endif /* TOP_EXITS_H */
