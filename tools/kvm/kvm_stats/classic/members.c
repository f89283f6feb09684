// SPDX-License-Identifier: GPL-2.0-only
/* The tables of VMMs, and of the VMs and vCPUs of a VMM. */
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "classic/members.h"
#include "targets/stat.h"
#include "values/baseline.h"
#include "values/row.h"

static bool is_child(const struct kvmstats_stat *stat)
{
	return stat_parent_length(kvmstats_stat_name(stat));
}

static bool same_unit(const struct kvmstats_stat *a, const struct kvmstats_stat *b)
{
	return kvmstats_stat_unit(a) == kvmstats_stat_unit(b) &&
	       kvmstats_stat_base(a) == kvmstats_stat_base(b) &&
	       kvmstats_stat_exponent(a) == kvmstats_stat_exponent(b);
}

/*
 * A line sums up the events. If the filter selects no event, it sums up statistics of another
 * kind. Returns one of those that it sums up, or NULL if the filter selects no statistic.
 */
static const struct kvmstats_stat *example_of_sum(const struct stat_sets *sets)
{
	const struct kvmstats_stat *found = NULL;
	size_t i, j;

	for (i = 0; i < sets->sets; i++) {
		for (j = 0; j < sets->set[i]->stats; j++) {
			const struct kvmstats_stat *stat = sets->set[i]->stat[j];

			if (!is_child(stat) &&
			    (!found || view_kind_of(stat) < view_kind_of(found)))
				found = stat;
		}
	}
	return found;
}

static bool has_exits(const struct stat_sets *sets)
{
	size_t i, j;

	for (i = 0; i < sets->sets; i++) {
		for (j = 0; j < sets->set[i]->stats; j++) {
			if (!strcmp(kvmstats_stat_name(sets->set[i]->stat[j]), "exits"))
				return true;
		}
	}
	return false;
}

static bool is_selected(const struct kvmstats_stat *stat, const struct view_options *options)
{
	if (options->stat)
		return !strcmp(kvmstats_stat_name(stat), options->stat);
	if (options->has_exits && stat_is_in_exits(kvmstats_stat_name(stat)))
		return false;
	return options->example && !is_child(stat) &&
	       view_kind_of(stat) == view_kind_of(options->example) &&
	       same_unit(stat, options->example);
}

static uint64_t growth(const struct row *row, bool include_past)
{
	uint64_t sum = 0;
	unsigned int n;

	if (row->growth == GROWTH_NONE)
		return row->value;
	for (n = 0; n < row->size; n++)
		sum += baseline_growth(row->target, row->stat, n, include_past);
	return sum;
}

/*
 * Adds the values of @target to @line. Sets @stat to one of the statistics in the line. Returns
 * false if @target has no selected statistic.
 */
static bool add_target(struct view_line *line, const struct target *target,
		       const struct view_options *options, const struct kvmstats_stat **stat)
{
	bool found = false;
	struct row row;
	size_t i;

	for (i = 0; i < target->set->stats; i++) {
		if (!is_selected(target->set->stat[i], options))
			continue;
		row_get(&row, target, target->set->stat[i]);
		line->value += growth(&row, options->include_past);
		line->delta += row.delta;
		line->rate += row.rate;
		line->cleared |= row.growth == GROWTH_CLEARED;
		*stat = row.stat;
		found = true;
	}
	return found;
}

static bool has_just_appeared(const struct monitor *monitor, const struct target *target)
{
	return monitor->time_before && !kvmstats_sample_time(target->before);
}

static bool add_vmm(struct view *view, const struct monitor *monitor, const struct vmm *vmm,
		    const struct view_options *options)
{
	struct view_line *line = view_add(view);
	const struct kvmstats_stat *stat = NULL;
	char name[VIEW_NAME_SIZE - 16];
	size_t i;

	if (!line)
		return false;
	sanitize(vmm->guest ? vmm->guest : vmm->comm, name, sizeof(name));
	if (vmm->pid)
		snprintf(line->name, sizeof(line->name), "%7d %s", (int)vmm->pid, name);
	else
		snprintf(line->name, sizeof(line->name), "%7s %s", "-", name);
	line->scope = scope_of_vmm(vmm);
	line->unreadable = !vmm->targets;
	line->appeared = vmm->targets;
	for (i = 0; i < vmm->targets; i++) {
		add_target(line, vmm->target[i], options, &stat);
		line->appeared &= has_just_appeared(monitor, vmm->target[i]);
	}
	view_set_amounts(line, stat, options->utf8);
	return true;
}

static bool add_one_target(struct view *view, const struct monitor *monitor,
			   const struct target *target, const struct view_options *options)
{
	struct view_line *line = view_add(view);
	const struct kvmstats_stat *stat = NULL;

	if (!line)
		return false;
	snprintf(line->name, sizeof(line->name), "%s", target->label);
	line->scope = scope_of_target(target);
	line->appeared = has_just_appeared(monitor, target);
	if (!add_target(line, target, options, &stat) && options->stat)
		view->lines--;
	else
		view_set_amounts(line, stat, options->utf8);
	return true;
}

static bool add_targets(struct view *view, const struct monitor *monitor, const struct vmm *vmm,
			const struct view_options *options)
{
	size_t i;

	for (i = 0; i < vmm->targets; i++) {
		if (!add_one_target(view, monitor, vmm->target[i], options))
			return false;
	}
	return true;
}

bool view_members(struct view *view, const struct monitor *monitor,
		  const struct top_scope *scope, const struct view_options *view_options)
{
	struct view_options with_example = *view_options;
	const struct view_options *options = &with_example;
	bool good = true;
	size_t i;

	with_example.example = example_of_sum(&monitor->context.sets);
	with_example.has_exits = has_exits(&monitor->context.sets);
	view_clear(view);
	for (i = 0; good && i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (!scope_selects_vmm(scope, vmm))
			continue;
		if (scope->one_vmm)
			good = add_targets(view, monitor, vmm, options);
		else
			good = add_vmm(view, monitor, vmm, options);
	}
	good = good && view_finish(view, options);
	if (!options->stat)
		view_set_amounts(&view->sum, options->example, options->utf8);
	return good;
}
