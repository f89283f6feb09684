// SPDX-License-Identifier: GPL-2.0-only
/* Statistics, the guests and vCPUs of kvm_stat's view, and histograms. */
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
	const struct line *parent;
	char stat[NAME_SIZE];

	snprintf(stat, sizeof(stat), "%.*s", (int)stat_parent_length(child->stat), child->stat);
	parent = page_find(page, &child->scope, stat);
	return parent && parent->seen ? parent : NULL;
}

static const struct total *find_total(const struct top *top, const char *name)
{
	size_t i;

	for (i = 0; i < top->totals->totals; i++) {
		const struct total *total = top->totals->total[i];

		if (total->present && !strcmp(total->name, name))
			return total;
	}
	return NULL;
}

/* Children are parts of other statistics, and so are classes of exits if there are all exits. */
static bool is_part(const char *name, bool exits)
{
	return stat_parent_length(name) || (exits && stat_is_in_exits(name));
}

/*
 * Adds up the events in the totals. If the filter selects none, adds up the first group and unit
 * that it selects. Returns the group.
 */
static enum stat_group add_up(const struct top *top, struct line *sum)
{
	bool exits = find_total(top, "exits");
	enum stat_group group = GROUPS;
	double *number = sum->number;
	size_t i;

	sum->cleared = false;
	for (i = 0; i < top->totals->totals; i++) {
		const struct total *total = top->totals->total[i];
		enum stat_group own = group_of(total->stat);
		double factor;
		enum unit unit = unit_of(total->stat, &factor);

		if (!total->present || is_part(total->name, exits) || own > group ||
		    (own == group && unit != sum->unit))
			continue;
		if (own < group) {
			number[COLUMN_VALUE] = 0;
			number[COLUMN_RATE] = 0;
		}
		group = own;
		sum->unit = unit;
		number[COLUMN_VALUE] += (double)value_since(top, total) * factor;
		number[COLUMN_RATE] = group == GROUP_GAUGES ? -1 :
				      number[COLUMN_RATE] + total->rate * factor;
		sum->cleared |= total->cleared;
	}
	return group;
}

void stats_add_up(struct top *top, struct line *line)
{
	model_sum_up(top, &line->scope);
	add_up(top, line);
}

/* The share of a child is that in its parent. A whole that is 0 after a reset has no shares. */
void stats_set_shares(struct top *top, struct page *page)
{
	struct line *sum = &page->sum;
	bool exits;
	size_t i;

	*sum = (struct line){ .name = "Total", .meaning = "" };
	line_clear_numbers(sum);
	if (page->kind < PAGE_STATISTICS)
		model_sum_up(top, &page->scope);
	if (add_up(top, sum) != GROUP_EVENTS && page->kind == PAGE_STATISTICS)
		line_clear_numbers(sum);
	exits = find_total(top, "exits");
	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];
		const struct line *whole = sum;

		if (line->child)
			whole = line->parent;
		else if (line->group != GROUP_EVENTS || is_part(line->stat, exits))
			whole = NULL;
		if (whole && whole->number[COLUMN_VALUE] > 0)
			line->number[COLUMN_SHARE] = 100 * line->number[COLUMN_VALUE] /
						     whole->number[COLUMN_VALUE];
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

/* ---- histograms ---- */

static struct line *update_bar(struct page *page, const struct total *total, uint64_t samples,
			       unsigned int n)
{
	uint64_t min, max;
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
	line->number[COLUMN_VALUE] = (double)samples;
	line->added = (double)(total->deltas[n] < samples ? total->deltas[n] : samples);
	return line;
}

/* Writes the bound of the first bar that, with those before it, has enough samples. */
static void put_quantile(char *buf, size_t size, const struct line *bar, bool enough)
{
	if (*buf || !enough)
		return;
	if (*bar->below)
		snprintf(buf, size, "< %s", bar->below);
	else
		snprintf(buf, size, ">= %.31s", bar->name);
}

/* There are bars from the first bucket that is not empty to the last. */
void stats_update_histogram(struct top *top, struct page *page)
{
	const struct total *total = find_total(top, page->stat);
	unsigned int n = 0, end = total ? total->size : 0, i;
	char median[NUMBER_SIZE + 8] = "", p99[NUMBER_SIZE + 8] = "";
	double all = 0, sum = 0, added = 0;
	const uint64_t *values;

	values = !total ? NULL : top->counts_growth ? total->growth : total->values;
	while (n < end && !values[n])
		n++;
	while (end > n && !values[end - 1])
		end--;
	for (i = n; i < end; i++)
		all += (double)values[i];
	for (; n < end; n++) {
		struct line *bar = update_bar(page, total, values[n], n);

		bar->number[COLUMN_SHARE] = 100 * (double)values[n] / all;
		added += bar->added;
		sum += (double)values[n];
		put_quantile(median, sizeof(median), bar, sum >= all * 0.5);
		put_quantile(p99, sizeof(p99), bar, sum >= all * 0.99);
	}
	*page->summary = '\0';
	if (all > 0)
		snprintf(page->summary, sizeof(page->summary),
			 "%.0f samples, %.0f new; p50 %s, p99 %s", all, added, median, p99);
}
