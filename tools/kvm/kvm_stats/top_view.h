/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of top's tables, in their order: statistics, or VMMs, VMs and vCPUs.
 *
 * Lines keep nothing of the monitor's, so that what was seen last can stay on the screen when
 * it is ended.
 */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "top_baseline.h"
#include "top_scope.h"
#include "total.h"

#define VIEW_NAME_SIZE	128

/* In the order in which they are shown: what cannot be compared is kept apart. */
enum view_kind {
	VIEW_EVENTS,	/* counted, in no unit; they have a share */
	VIEW_AMOUNTS,	/* counted up in a unit: times, sizes */
	VIEW_HISTOGRAMS,
	VIEW_GAUGES,	/* as it is now */
};

struct view_line {
	char name[VIEW_NAME_SIZE];
	enum view_kind kind;
	bool child;		/* of the line above: "HLT" of kvm_exit(HLT) */
	bool cleared;
	bool appeared;		/* a VMM, VM or vCPU that has just come */
	bool unreadable;		/* it has no numbers */
	bool has_unit;
	uint64_t value;
	uint64_t delta;
	double rate;
	double share;		/* in percent; below 0: none */
	char amount[32];	/* value and rate if there is a unit */
	char amount_rate[32];
	char stat[VIEW_NAME_SIZE];	/* of a statistic, its name in full; "" */
	enum origin origin;
	struct top_scope scope;	/* where this leads to, in a table of VMMs, VMs or vCPUs */
};

struct view {
	struct view_line *line;
	size_t lines;
	size_t capacity;
	struct view_line sum;	/* of the events */
};

struct view_options {
	bool by_total;		/* sorted by it, and not by what grows fastest */
	bool children;
	bool include_past;		/* with what was counted before we began */
	bool utf8;
	const char *stat;	/* in a table of VMMs, VMs or vCPUs: of this statistic, or NULL */
};

/* A line for each statistic that is not 0: false if there is no memory. */
bool view_statistics(struct view *view, const struct totals *totals, const struct baselines *baselines,
		     const struct top_scope *scope, const struct view_options *options);

/* A line for each VMM, or for each VM and vCPU of the VMM that @scope is. */
bool view_members(struct view *view, const struct monitor *monitor, const struct baselines *baselines,
		  const struct top_scope *scope, const struct view_options *options);

/* Sums, shares and order; the other functions end with this. */
bool view_finish(struct view *view, const struct view_options *options);

enum view_kind view_kind_of(const struct kvmstats_stat *stat);

/* @stat: of which the line's value is, NULL for sums of events. */
void view_set_amounts(struct view_line *line, const struct kvmstats_stat *stat, bool utf8);

/* A new line with nothing in it, NULL if there is no memory. */
struct view_line *view_add(struct view *view);
void view_clear(struct view *view);
void view_free(struct view *view);

#endif /* TOP_VIEW_H */
