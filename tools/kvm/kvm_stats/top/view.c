// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/output.h"
#include "targets/stat.h"
#include "top/number.h"
#include "top/view.h"

/* ---- lines ---- */

struct view_line *view_add(struct view *view)
{
	struct view_line *more;

	more = array_grow(view->line, view->lines, &view->capacity, sizeof(*more));
	if (!more)
		return NULL;
	view->line = more;
	view->line[view->lines] = (struct view_line){ .share = -1 };
	return &view->line[view->lines++];
}

void view_clear(struct view *view)
{
	view->lines = 0;
	view->sum = (struct view_line){ .name = "Total", .share = -1 };
}

void view_free(struct view *view)
{
	free(view->line);
	*view = (struct view){ 0 };
}

enum view_kind view_kind_of(const struct kvmstats_stat *stat)
{
	if (kvmstats_stat_is_hist(stat))
		return VIEW_HISTOGRAMS;
	if (kvmstats_stat_type(stat) != KVMSTATS_TYPE_CUMULATIVE)
		return VIEW_GAUGES;
	return kvmstats_stat_unit(stat) == KVMSTATS_UNIT_NONE ? VIEW_EVENTS : VIEW_AMOUNTS;
}

void view_set_amounts(struct view_line *line, const struct kvmstats_stat *stat, bool utf8)
{
	line->has_unit = stat && !kvmstats_stat_is_hist(stat) && number_has_unit(stat);
	if (!line->has_unit)
		return;
	number_amount(line->amount, stat, (double)line->value, utf8);
	number_amount(line->amount_rate, stat, line->rate, utf8);
}

/* ---- order ---- */

static int by_delta(const struct view_line *a, const struct view_line *b)
{
	return (a->delta < b->delta) - (a->delta > b->delta);
}

static int by_value(const struct view_line *a, const struct view_line *b)
{
	return (a->value < b->value) - (a->value > b->value);
}

static int by_total_then_name(const void *x, const void *y)
{
	const struct view_line *a = x, *b = y;
	int order = (int)a->kind - (int)b->kind;

	if (!order)
		order = by_value(a, b);
	return order ? order : strverscmp(a->name, b->name);
}

static int by_rate_then_total(const void *x, const void *y)
{
	const struct view_line *a = x, *b = y;
	int order = (int)a->kind - (int)b->kind;

	if (!order)
		order = by_delta(a, b);
	return order ? order : by_total_then_name(a, b);
}

static bool is_child_of(const struct view_line *child, const struct view_line *parent)
{
	size_t len = stat_parent_length(child->stat);

	return child->child && child->origin == parent->origin && strlen(parent->stat) == len &&
	       !strncmp(parent->stat, child->stat, len);
}

/* Moves children behind their parents, and removes children without a parent. */
static bool place_children(struct view *view)
{
	struct view_line *to = malloc((view->lines + 1) * sizeof(*to));
	size_t i, j, lines = 0;

	if (!to)
		return false;
	for (i = 0; i < view->lines; i++) {
		const struct view_line *parent = &view->line[i];

		if (parent->child)
			continue;
		to[lines++] = *parent;
		for (j = 0; j < view->lines; j++) {
			if (!is_child_of(&view->line[j], parent))
				continue;
			to[lines] = view->line[j];
			/* After a reset, a parent can be 0 and still have a rate. */
			if (parent->value)
				to[lines].share = 100.0 * (double)view->line[j].value /
						  (double)parent->value;
			lines++;
		}
	}
	memcpy(view->line, to, lines * sizeof(*to));
	view->lines = lines;
	free(to);
	return true;
}

/* ---- sums ---- */

/* Classes of exits are not added up together with "exits", which contains them. */
static void mark_parts(struct view *view)
{
	bool has_exits = false;
	size_t i;

	for (i = 0; i < view->lines; i++)
		has_exits |= !strcmp(view->line[i].stat, "exits");
	for (i = 0; has_exits && i < view->lines; i++)
		view->line[i].part = stat_is_in_exits(view->line[i].stat);
}

static bool is_added_up(const struct view_line *line)
{
	return line->kind == VIEW_EVENTS && !line->child && !line->part;
}

static void add_up(struct view *view)
{
	size_t i;

	for (i = 0; i < view->lines; i++) {
		const struct view_line *line = &view->line[i];

		if (!is_added_up(line))
			continue;
		view->sum.value += line->value;
		view->sum.delta += line->delta;
		view->sum.rate += line->rate;
	}
}

static void set_shares(struct view *view)
{
	size_t i;

	for (i = 0; i < view->lines; i++) {
		struct view_line *line = &view->line[i];

		if (is_added_up(line) && view->sum.value)
			line->share = 100.0 * (double)line->value / (double)view->sum.value;
	}
}

static bool has_children(const struct view *view)
{
	size_t i;

	for (i = 0; i < view->lines; i++) {
		if (view->line[i].child)
			return true;
	}
	return false;
}

bool view_finish(struct view *view, const struct view_options *options)
{
	mark_parts(view);
	add_up(view);
	set_shares(view);
	if (view->lines)
		qsort(view->line, view->lines, sizeof(*view->line),
		      options->by_total ? by_total_then_name : by_rate_then_total);
	return !has_children(view) || place_children(view);
}

/* ---- statistics ---- */

/* Adds "@SOURCE" to the name if several sources have the statistic. */
static void name_statistic(struct view_line *line, const struct totals *totals,
			   const struct total *total)
{
	size_t parent = stat_parent_length(total->name);
	const char *from = "";
	char name[VIEW_NAME_SIZE];
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		const struct total *other = totals->total[i];

		if (other->present && other->origin != total->origin &&
		    !strcmp(other->name, total->name))
			from = origin_name(total->origin);
	}
	sanitize(total->name, line->stat, sizeof(line->stat));
	snprintf(name, sizeof(name), "%s", line->stat + (parent ? parent + 1 : 0));
	if (parent && *name)
		name[strlen(name) - 1] = '\0';
	snprintf(line->name, sizeof(line->name), "%.100s%s%s", name, *from ? "@" : "", from);
	line->child = parent;
}

static void set_values(struct view_line *line, const struct total *total, bool include_past)
{
	unsigned int n;

	line->value = total->value;
	if (total->counts_up && !include_past) {
		for (line->value = 0, n = 0; n < total->size; n++)
			line->value += total->growth[n];
	}
	line->delta = total->delta;
	line->rate = total->rate;
	line->cleared = total->cleared;
}

bool view_statistics(struct view *view, const struct totals *totals,
		     const struct view_options *options)
{
	size_t i;

	view_clear(view);
	for (i = 0; i < totals->totals; i++) {
		const struct total *total = totals->total[i];
		struct view_line *line;

		if (!total->present || (stat_parent_length(total->name) && !options->children))
			continue;
		line = view_add(view);
		if (!line)
			return false;
		set_values(line, total, options->include_past);
		if (!line->value && !line->delta && !line->cleared) {
			view->lines--;
			continue;
		}
		line->kind = view_kind_of(total->stat);
		line->origin = total->origin;
		name_statistic(line, totals, total);
		view_set_amounts(line, total->stat, options->utf8);
	}
	return view_finish(view, options);
}
