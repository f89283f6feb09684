// SPDX-License-Identifier: GPL-2.0-only
/* Statistics, the guests and vCPUs of kvm_stat's view, and histograms. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "sums.h"
#include "top/screen.h"

static enum stat_group group_of(const struct kvmstats_stat *stat)
{
	if (kvmstats_stat_is_hist(stat))
		return GROUP_HISTOGRAMS;
	if (kvmstats_stat_type(stat) != KVMSTATS_TYPE_CUMULATIVE)
		return GROUP_GAUGES;
	return kvmstats_stat_unit(stat) == KVMSTATS_UNIT_NONE ? GROUP_EVENTS : GROUP_AMOUNTS;
}

/* A histogram counts samples, whatever the unit of its buckets is. */
static enum unit unit_of(const struct kvmstats_stat *stat, double *factor)
{
	*factor = 1;
	return kvmstats_stat_is_hist(stat) ? UNIT_COUNT : number_unit_of(stat, factor);
}

/* ---- statistics ---- */

/* Adds "@SOURCE" to the name if several sources have the statistic. */
static void name_of(char *name, const struct totals *totals, const struct total *total)
{
	size_t parent = stat_parent_length(total->name);
	const char *from = "";
	char stat[NAME_SIZE];
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		const struct total *other = totals->total[i];

		if (other->present && other->origin != total->origin &&
		    !strcmp(other->name, total->name))
			from = origin_name(total->origin);
	}
	sanitize(total->name + (parent ? parent + 1 : 0), stat, sizeof(stat));
	if (parent && *stat)
		stat[strlen(stat) - 1] = '\0';
	snprintf(name, NAME_SIZE, "%.100s%s%s", stat, *from ? "@" : "", from);
}

/* The sums over a guest have statistics of VMs and of vCPUs. */
static const char *meaning_of(const char *name)
{
	const char *text = kvmstats_stat_help(name, KVMSTATS_KIND_VCPU);

	if (!text)
		text = kvmstats_stat_help(name, KVMSTATS_KIND_VM);
	return text ? text : "";
}

static uint64_t value_since(const struct top *top, const struct total *total)
{
	uint64_t sum = 0;
	unsigned int n;

	if (!total->counts_up || !top->counts_growth)
		return total->value;
	for (n = 0; n < total->size; n++)
		sum += total->growth[n];
	return sum;
}

static void update_statistic(struct top *top, struct page *page, const struct total *total)
{
	struct top_scope scope = page->scope;
	char stat[NAME_SIZE];
	struct line *line;
	double factor;

	scope.origin = total->origin;
	line = page_line(page, &scope, sanitize(total->name, stat, sizeof(stat)));
	name_of(line->name, top->totals, total);
	line->group = group_of(total->stat);
	line->unit = unit_of(total->stat, &factor);
	line->child = stat_parent_length(total->name);
	line->cleared = total->cleared;
	line_clear_numbers(line);
	line->number[COLUMN_VALUE] = (double)value_since(top, total) * factor;
	if (line->group != GROUP_GAUGES)
		line->number[COLUMN_RATE] = total->rate * factor;
	if (top->kvm_stat)
		return;
	if (!*line->meaning)
		line->meaning = meaning_of(line->stat);
	if (total->counts_up && top->monitor->time_before)
		history_add(&line->history, top->monitor->time_before, top->monitor->time,
			    total->rate);
}

/* Finds the line that a child, such as kvm_exit(HLT), is a part of. */
static const struct line *parent_of(const struct page *page, const struct line *child)
{
	size_t len = stat_parent_length(child->stat);
	size_t i;

	for (i = 0; i < page->all; i++) {
		const struct line *line = page->line[i];

		if (line->seen && line->scope.origin == child->scope.origin &&
		    strlen(line->stat) == len && !strncmp(line->stat, child->stat, len))
			return line;
	}
	return NULL;
}

/* The sum contains events. Children, and classes of exits, are parts of others. */
static bool is_in_sum(const struct line *line, bool exits)
{
	return line->seen && line->group == GROUP_EVENTS && !line->child &&
	       !(exits && stat_is_in_exits(line->stat));
}

/* The share of a child is that in its parent. A whole that is 0 after a reset has no shares. */
void stats_set_shares(struct page *page)
{
	double *sum = page->sum.number;
	bool exits = false;
	size_t i;

	page->sum = (struct line){ .name = "Total", .meaning = "" };
	line_clear_numbers(&page->sum);
	for (i = 0; i < page->all; i++)
		exits |= page->line[i]->seen && !strcmp(page->line[i]->stat, "exits");
	for (i = 0; i < page->all; i++) {
		const struct line *line = page->line[i];

		if (!is_in_sum(line, exits))
			continue;
		page->sum.unit = line->unit;
		sum[COLUMN_VALUE] = fmax(sum[COLUMN_VALUE], 0) + line->number[COLUMN_VALUE];
		if (line->number[COLUMN_RATE] >= 0)
			sum[COLUMN_RATE] = fmax(sum[COLUMN_RATE], 0) + line->number[COLUMN_RATE];
	}
	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];
		double whole = line->parent ? line->parent->number[COLUMN_VALUE] :
			       is_in_sum(line, exits) ? sum[COLUMN_VALUE] : 0;

		if (whole > 0)
			line->number[COLUMN_SHARE] = 100 * line->number[COLUMN_VALUE] / whole;
	}
}

void stats_update(struct top *top, struct page *page)
{
	const struct totals *totals = top->totals;
	bool children = top->kvm_stat ? top->children : top->sources & SOURCES_TRACEPOINTS;
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		const struct total *total = totals->total[i];

		if (total->present && (children || !stat_parent_length(total->name)) &&
		    (value_since(top, total) || total->delta || total->cleared))
			update_statistic(top, page, total);
	}
	for (i = 0; i < page->all; i++)
		page->line[i]->parent = page->line[i]->child ? parent_of(page, page->line[i]) :
							       NULL;
}

/* ---- guests and vCPUs in kvm_stat's view ---- */

static bool has_exits(const struct stat_set *set)
{
	size_t i;

	for (i = 0; i < set->stats; i++) {
		if (!strcmp(kvmstats_stat_name(set->stat[i]), "exits"))
			return true;
	}
	return false;
}

/*
 * Adds the values of all events of @target. If the filter selects no event, another group is added
 * up.
 */
static void add_member(const struct top *top, struct line *line, const struct target *target,
		       enum stat_group *group)
{
	bool exits = has_exits(target->set);
	double *number = line->number;
	unsigned int n;
	size_t i;

	for (i = 0; i < target->set->stats; i++) {
		const struct kvmstats_stat *stat = target->set->stat[i];
		const char *name = kvmstats_stat_name(stat);
		double factor, value = 0;
		enum unit unit = unit_of(stat, &factor);
		struct row row;

		if (stat_parent_length(name) || (exits && stat_is_in_exits(name)))
			continue;
		if (group_of(stat) > *group || (group_of(stat) == *group && unit != line->unit))
			continue;
		if (group_of(stat) < *group) {
			number[COLUMN_VALUE] = 0;
			number[COLUMN_RATE] = 0;
		}
		*group = group_of(stat);
		line->unit = unit;
		row_get(&row, target, stat);
		for (n = 0; row.growth != GROWTH_NONE && n < row.size; n++)
			value += (double)baseline_growth(target, stat, n, !top->counts_growth);
		if (row.growth == GROWTH_NONE)
			value = (double)row.value;
		number[COLUMN_VALUE] += value * factor;
		number[COLUMN_RATE] = *group == GROUP_GAUGES ? -1 :
				      number[COLUMN_RATE] + row.rate * factor;
		line->cleared |= row.growth == GROWTH_CLEARED;
	}
}

void stats_add_up(const struct top *top, struct line *line, struct target **targets, size_t count)
{
	enum stat_group group = GROUPS;
	size_t i;

	line->number[COLUMN_VALUE] = 0;
	line->number[COLUMN_RATE] = 0;
	line->cleared = false;
	for (i = 0; i < count; i++)
		add_member(top, line, targets[i], &group);
}

/* ---- histograms ---- */

static const struct total *find_histogram(const struct top *top, const char *name)
{
	size_t i;

	for (i = 0; i < top->totals->totals; i++) {
		const struct total *total = top->totals->total[i];

		if (total->present && kvmstats_stat_is_hist(total->stat) &&
		    !strcmp(total->name, name))
			return total;
	}
	return NULL;
}

static void update_bar(struct page *page, const struct total *total, const uint64_t *values,
		       unsigned int n)
{
	uint64_t min, max, added = total->deltas[n] < values[n] ? total->deltas[n] : values[n];
	double factor;
	enum unit unit = number_unit_of(total->stat, &factor);
	char number[16];
	struct line *line;

	snprintf(number, sizeof(number), "#%u", n);
	line = page_line(page, &page->scope, number);
	if (kvmstats_stat_bucket(total->stat, n, &min, &max)) {
		snprintf(line->name, sizeof(line->name), "%s", number);
	} else {
		number_put(line->name, unit, (double)min * factor, NUMBER_SIZE);
		if (max != UINT64_MAX)
			number_put(line->below, unit, ((double)max + 1) * factor, NUMBER_SIZE);
	}
	line->number[COLUMN_BAR] = n;
	line->number[COLUMN_VALUE] = (double)values[n];
	line->added = (double)added;
}

/* Writes the bound of the bar that, with those before it, has this number of samples. */
static void put_quantile(char *buf, size_t size, const struct page *page, double samples)
{
	double sum = 0;
	size_t i;

	for (i = 0; i + 1 < page->lines; i++) {
		sum += page->line[i]->number[COLUMN_VALUE];
		if (sum >= samples)
			break;
	}
	if (*page->line[i]->below)
		snprintf(buf, size, "< %s", page->line[i]->below);
	else
		snprintf(buf, size, ">= %.31s", page->line[i]->name);
}

static void summarize(struct page *page)
{
	char median[NUMBER_SIZE + 8], p99[NUMBER_SIZE + 8];
	double all = 0, added = 0;
	size_t i;

	*page->summary = '\0';
	page_finish(page, NULL, (struct order){ COLUMN_BAR, false });
	for (i = 0; i < page->lines; i++) {
		all += page->line[i]->number[COLUMN_VALUE];
		added += page->line[i]->added;
	}
	for (i = 0; i < page->lines; i++)
		page->line[i]->number[COLUMN_SHARE] =
			100 * page->line[i]->number[COLUMN_VALUE] / all;
	if (!page->lines)
		return;
	put_quantile(median, sizeof(median), page, all * 0.5);
	put_quantile(p99, sizeof(p99), page, all * 0.99);
	snprintf(page->summary, sizeof(page->summary), "%.0f samples, %.0f new; p50 %s, p99 %s",
		 all, added, median, p99);
}

/* There are bars from the first bucket that is not empty to the last. */
void stats_update_histogram(struct top *top, struct page *page)
{
	const struct total *total = find_histogram(top, page->stat);
	unsigned int n = 0, end = total ? total->size : 0;
	const uint64_t *values;

	values = !total ? NULL : top->counts_growth ? total->growth : total->values;
	while (n < end && !values[n])
		n++;
	while (end > n && !values[end - 1])
		end--;
	for (; n < end; n++)
		update_bar(page, total, values, n);
	summarize(page);
}
