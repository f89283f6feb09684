// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "top/exits.h"
#include "util.h"

/* ---- the statistics of a schema ---- */

/* The best statistic is first. Each architecture has another name for all exits. */
static const char * const stat_names[TALLIES + 1][4] = {
	[TALLY_EXITS] = { "exits", "sum_exits" },
	[TALLY_FAULTS] = { "pf_taken", "pf_fixed", "pf_storage" },
	[TALLY_POLLS] = { "halt_attempted_poll" },
	[TALLY_GOOD_POLLS] = { "halt_successful_poll" },
	/* These are exit statistics. The time of exits is the sum of their classes. */
	[TALLY_TIMES + TIME_GUEST] = { "guest_ns" },
	[TALLY_TIMES + TIME_VMM] = { "userspace_ns" },
	[TALLY_TIMES + TIME_HALTED] = { "halted_ns" },
	[TALLY_TIMES + TIME_WAITING] = { "run_delay_ns" },
	[STAT_BLOCKING] = { "blocking" },
};

bool exit_kind_name(char *buf, const char *name)
{
	/* Kinds of exits that have other names than most */
	static const char * const kinds[] = { "hypercalls", "pf_taken", "invlpg", NULL };
	static const char * const parts[] = { "_exit_stat", "_exits", "exit_", "_exit", NULL };
	size_t i;

	if (ends_with(name, "_ns") || is_one_of(name, stat_names[TALLY_EXITS]))
		return false;
	if (is_one_of(name, kinds))
		return snprintf(buf, EXIT_NAME_SIZE, "%s", name);
	for (i = 0; parts[i]; i++) {
		const char *at = strstr(name, parts[i]);

		if (at)
			return snprintf(buf, EXIT_NAME_SIZE, "%.*s%s", (int)(at - name), name,
					at + strlen(parts[i]));
	}
	return false;
}

static void find_exit_kinds(struct exit_stats *stats, const struct kvmstats_schema *schema)
{
	size_t count = kvmstats_schema_count(schema);
	size_t i;

	for (i = 0; i < count && stats->kinds < EXIT_KINDS; i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
		struct exit_class class = { 0 };

		if (kvmstats_stat_size(stat) != 1 ||
		    kvmstats_stat_type(stat) != KVMSTATS_TYPE_CUMULATIVE ||
		    !exit_kind_name(stats->kind[stats->kinds].name, kvmstats_stat_name(stat)))
			continue;
		stats->has_classes |= exit_class_of(schema, stat, &class);
		stats->kind[stats->kinds].count = stat;
		stats->kind[stats->kinds++].ns = class.partner;
	}
}

static const struct exit_stats *stats_of(struct exits *exits, const struct target *target)
{
	struct exit_stats *stats;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(exits->stats); i++) {
		if (exits->stats[i].set == target->set)
			return &exits->stats[i];
	}
	stats = &exits->stats[exits->next++ % ARRAY_SIZE(exits->stats)];
	*stats = (struct exit_stats){ .set = target->set };
	for (i = 0; i <= TALLIES; i++) {
		for (j = 0; stat_names[i][j] && !stats->stat[i]; j++)
			stats->stat[i] = kvmstats_schema_find(target->set->schema,
							      stat_names[i][j]);
	}
	find_exit_kinds(stats, target->set->schema);
	return stats;
}

/* ---- rates ---- */

/* Without the statistic, the value is 0, and its growth unknown. */
static struct row row_of(const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row = { 0 };

	if (stat)
		row_get(&row, target, stat);
	return row;
}

/* Adds the rate of @stat, if it is known. Returns whether it is. */
static bool sum_rate(double *sum, const struct target *target, const struct kvmstats_stat *stat)
{
	struct row row = row_of(target, stat);

	*sum += row.rate;
	return row.known || row.cleared;
}

/* Whether exit statistics have counted @target, and are on. */
static bool is_counted(const struct exits *exits, const struct exit_stats *stats,
		       const struct target *target)
{
	return stats->has_classes && exits->state == EXITS_ON &&
	       row_of(target, stats->stat[TALLY_TIMES + TIME_GUEST]).value;
}

/*
 * KVM adds to a time when it ends, so the times of an interval together can be shorter or longer
 * than the interval. If the vCPU is halted, the rest belongs to this halt. A surplus is time before
 * the interval, and belongs to the one time that contains the start of the interval: the longest.
 */
void fit_interval(double *percent, bool blocking)
{
	double sum = 0;
	int longest = 0;
	int i;

	for (i = 0; i < TIME_PARTS; i++) {
		sum += percent[i];
		if (percent[i] > percent[longest])
			longest = i;
	}
	if (sum > 100)
		percent[longest] = fmax(0, percent[longest] - (sum - 100));
	if (sum < 100 && blocking)
		percent[TIME_HALTED] += 100 - sum;
}

bool tally_add_times(struct tally *tally, struct exits *exits, const struct target *target)
{
	const struct exit_stats *stats = stats_of(exits, target);
	double ns[TIME_PARTS] = { 0 };
	size_t i;

	if (target->scope != SCOPE_VCPU || !is_counted(exits, stats, target) ||
	    !sum_rate(&ns[TIME_GUEST], target, stats->stat[TALLY_TIMES + TIME_GUEST]))
		return false;
	for (i = TIME_GUEST + 1; i < TIME_PARTS; i++)
		sum_rate(&ns[i], target, stats->stat[TALLY_TIMES + i]);
	for (i = 0; i < stats->kinds; i++)
		sum_rate(&ns[TIME_EXITS], target, stats->kind[i].ns);
	for (i = 0; i < TIME_PARTS; i++)
		ns[i] *= 100.0 / SECOND;
	fit_interval(ns, row_of(target, stats->stat[STAT_BLOCKING]).value);
	for (i = 0; i < TIME_PARTS; i++)
		tally->sum[TALLY_TIMES + i] += ns[i];
	tally->known[TALLY_TIMES]++;
	return true;
}

void tally_add(struct tally *tally, struct exits *exits, const struct target *target)
{
	const struct exit_stats *stats = stats_of(exits, target);
	size_t i;

	for (i = 0; i < TALLY_TIMES; i++)
		tally->known[i] += sum_rate(&tally->sum[i], target, stats->stat[i]);
	tally_add_times(tally, exits, target);
}

/* ---- kinds of exits ---- */

static struct exit_kind *exit_kind_of(struct exit_kinds *kinds, const char *name)
{
	size_t i;

	for (i = 0; i < kinds->kinds; i++) {
		if (!strcmp(kinds->kind[i].name, name))
			return &kinds->kind[i];
	}
	if (i == EXIT_KINDS)
		return NULL;
	kinds->kinds++;
	snprintf(kinds->kind[i].name, EXIT_NAME_SIZE, "%s", name);
	return &kinds->kind[i];
}

void exit_kinds_add(struct exit_kinds *kinds, struct exits *exits, const struct target *target)
{
	const struct exit_stats *stats = stats_of(exits, target);
	bool classes = is_counted(exits, stats, target);
	size_t i;

	for (i = 0; i < stats->kinds; i++) {
		struct row count = row_of(target, stats->kind[i].count);
		struct row ns = row_of(target, stats->kind[i].ns);
		struct exit_kind *kind = NULL;

		if (classes == !!stats->kind[i].ns && (count.value || ns.value))
			kind = exit_kind_of(kinds, stats->kind[i].name);
		if (!kind)
			continue;
		kind->rate += count.rate;
		kind->ns += ns.rate;
	}
}

static int kinds_by_rate(const void *x, const void *y)
{
	const struct exit_kind *a = x, *b = y;

	return (a->rate < b->rate) - (a->rate > b->rate);
}

static int kinds_by_time(const void *x, const void *y)
{
	const struct exit_kind *a = x, *b = y;
	int order = (a->ns < b->ns) - (a->ns > b->ns);

	if (!order)
		order = kinds_by_rate(a, b);
	return order ? order : strcmp(a->name, b->name);
}

void exit_kinds_sort(struct exit_kinds *kinds, bool by_time)
{
	qsort(kinds->kind, kinds->kinds, sizeof(*kinds->kind),
	      by_time ? kinds_by_time : kinds_by_rate);
}
