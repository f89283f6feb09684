/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sorted lines of top's tables: statistics, or VMMs, VMs and vCPUs.
 *
 * Lines contain no pointers to data of the monitor, so the last values can stay on the screen
 * after a VMM has ended.
 */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "top/scope.h"
#include "values/totals.h"

#define VIEW_NAME_SIZE	128

/* Groups of lines, in the order on the screen. Values of different groups are not comparable. */
enum view_kind {
	VIEW_EVENTS,	/* counters without a unit; they have a share */
	VIEW_AMOUNTS,	/* counters of times and sizes */
	VIEW_HISTOGRAMS,
	VIEW_GAUGES,	/* current values and peaks */
};

struct view_line {
	char name[VIEW_NAME_SIZE];
	enum view_kind kind;
	bool child;		/* of the line above, such as "HLT" of kvm_exit(HLT) */
	bool part;		/* of another line; the sum does not contain it */
	bool cleared;
	bool appeared;		/* a VMM, VM or vCPU that is new in this interval */
	bool unreadable;	/* a VMM whose statistics cannot be read */
	bool has_unit;
	uint64_t value;
	uint64_t delta;
	double rate;
	double share;		/* in percent; negative: no share */
	char amount[32];	/* value and rate as text, if has_unit */
	char amount_rate[32];
	char stat[VIEW_NAME_SIZE];	/* full name of the statistic; "": not one statistic */
	enum origin origin;
	struct top_scope scope;	/* of the VMM, VM or vCPU in this line */
};

struct view {
	struct view_line *line;
	size_t lines;
	size_t capacity;
	struct view_line sum;	/* of all VIEW_EVENTS except children and parts */
};

struct view_options {
	bool by_total;		/* sort by total, not by rate */
	bool children;
	bool include_past;	/* totals start at VM creation */
	bool utf8;
	/* For view_members(): */
	const char *stat;	/* NULL: a sum of statistics */
	/* It sets these: */
	const struct kvmstats_stat *example;	/* of the statistics in the sum */
	bool has_exits;				/* the sum has "exits", so it has no classes */
};

/* Makes a line for each statistic that is not 0. Returns false if there is not enough memory. */
bool view_statistics(struct view *view, const struct totals *totals,
		     const struct view_options *options);

/* Computes the sum and the shares, and sorts the lines. Call this last. */
bool view_finish(struct view *view, const struct view_options *options);

enum view_kind view_kind_of(const struct kvmstats_stat *stat);

/* @stat is the statistic in the line, or one of those in its sum; or NULL. */
void view_set_amounts(struct view_line *line, const struct kvmstats_stat *stat, bool utf8);

/* Adds an empty line. Returns NULL if there is not enough memory. */
struct view_line *view_add(struct view *view);
void view_clear(struct view *view);
void view_free(struct view *view);

#endif /* TOP_VIEW_H */
