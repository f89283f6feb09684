/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics that the tables and the bar of times show: exits and their kinds, page faults, the
 * success of halt polling, and times of vCPUs. They are found by name in any schema, regardless of
 * the filter.
 */
#ifndef TOP_EXITS_H
#define TOP_EXITS_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/state.h"
#include "targets/target.h"

#define EXIT_KINDS	64	/* at most so many kinds of exits are counted */
#define EXIT_NAME_SIZE	24

/*
 * A kind of exits. While exit statistics are on, the kinds are classes, and each exit is in one of
 * them. The other kinds overlap with the classes.
 */
struct exit_kind_stats {
	char name[EXIT_NAME_SIZE];		/* "io" for io_exits and for exit_io */
	const struct kvmstats_stat *count;
	const struct kvmstats_stat *ns;		/* the time of a class; NULL: not a class */
};

struct exit_stats {
	const struct stat_set *set;
	const struct kvmstats_stat *exits;	/* all of them; NULL: there is no such statistic */
	const struct kvmstats_stat *faults;
	const struct kvmstats_stat *polls;
	const struct kvmstats_stat *good_polls;
	/* Times of a vCPU, in ns. Those after run_delay are exit statistics. */
	const struct kvmstats_stat *run_delay;
	const struct kvmstats_stat *guest;
	const struct kvmstats_stat *userspace;
	const struct kvmstats_stat *halted;
	const struct kvmstats_stat *blocking;	/* whether the vCPU is halted */
	struct exit_kind_stats kind[EXIT_KINDS];	/* classes first */
	size_t kinds;
	size_t classes;
	bool on;
};

/* The statistics of each schema in use. */
struct exit_stats_list {
	enum exits_state state;		/* at the last sample */
	struct exit_stats *entry;
	size_t count;
	size_t capacity;
};

/* The rates of several VMs and vCPUs together, per second. */
struct exit_tally {
	double exits;
	double faults;
	double polls;
	double good_polls;
	bool has_exits;		/* also if the rate is 0 */
	bool has_faults;
	double run_delay;	/* ns per second */
	size_t vcpus;		/* that have a run delay */
	struct exit_kind {
		char name[EXIT_NAME_SIZE];
		double rate;
	} kind[EXIT_KINDS];
	size_t kinds;
};

/* Returns NULL if there is not enough memory. */
const struct exit_stats *exit_stats_of(struct exit_stats_list *list, const struct stat_set *set);
void exit_stats_free(struct exit_stats_list *list);

/* Writes the short name of a kind of exits to @buf. Returns false if @name is not one. */
bool exit_kind_name(char *buf, const char *name);

/* Whether exit statistics have counted @target, and are on. */
bool exit_stats_count(const struct exit_stats *stats, const struct target *target);

void exit_tally_add(struct exit_tally *tally, const struct exit_stats *stats,
		    const struct target *target);
void exit_tally_add_tally(struct exit_tally *tally, const struct exit_tally *other);

/* Moves the @count most frequent kinds to the front. */
void exit_tally_sort(struct exit_tally *tally, size_t count);

#endif /* TOP_EXITS_H */
