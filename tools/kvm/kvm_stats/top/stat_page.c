// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "top/sampler.h"
#include "util.h"

static enum stat_group stat_group_of(const struct kvmstats_stat *stat)
{
	if (kvmstats_stat_is_hist(stat))
		return GROUP_HISTOGRAMS;
	if (kvmstats_stat_type(stat) != KVMSTATS_TYPE_CUMULATIVE)
		return GROUP_GAUGES;
	return kvmstats_stat_unit(stat) == KVMSTATS_UNIT_NONE ? GROUP_EVENTS : GROUP_AMOUNTS;
}

/* A histogram counts samples, whatever the unit of its buckets is. */
static enum unit stat_unit_of(const struct kvmstats_stat *stat, double *factor)
{
	*factor = 1;
	return kvmstats_stat_is_hist(stat) ? UNIT_COUNT : number_unit_of(stat, factor);
}

/* ---- statistics ---- */

/* The sums over a guest have statistics of VMs and of vCPUs. */
static const char *meaning_of(const char *name)
{
	const char *text = kvmstats_stat_help(name, KVMSTATS_KIND_VCPU);

	if (!text)
		text = kvmstats_stat_help(name, KVMSTATS_KIND_VM);
	return text ? text : "";
}

static uint64_t value_since(const struct sampler *sampler, const struct total *total)
{
	uint64_t sum = 0;
	unsigned int n;

	if (!total->counts_up || !sampler->counts_growth)
		return total->value;
	for (n = 0; n < total->size; n++)
		sum += total->growth[n];
	return sum;
}

static void update_statistic(struct page *page, const struct sampler *sampler,
			     const struct total *total)
{
	const struct monitor *monitor = sampler->monitor;
	char stat[NAME_SIZE];
	struct line *line;
	double factor;

	line = page_line(page, &page->scope, sanitize(total->name, stat, sizeof(stat)));
	memcpy(line->name, line->stat, sizeof(line->name));
	line->group = stat_group_of(total->stat);
	line->unit = stat_unit_of(total->stat, &factor);
	line->cleared = total->cleared;
	line_clear_numbers(line);
	line->number[COLUMN_VALUE] = (double)value_since(sampler, total) * factor;
	if (line->group != GROUP_GAUGES)
		line->number[COLUMN_RATE] = total->rate * factor;
	if (!*line->meaning)
		line->meaning = meaning_of(line->stat);
	if (total->counts_up && monitor->time_before)
		history_add(&line->history, monitor->time_before, monitor->time, total->rate);
}

void stat_page_update(struct page *page, const struct sampler *sampler)
{
	const struct totals *totals = sampler->totals;
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		const struct total *total = totals->total[i];

		if (total->present &&
		    (value_since(sampler, total) || total->delta || total->cleared))
			update_statistic(page, sampler, total);
	}
}

/* ---- histograms ---- */

static const struct total *total_named(const struct totals *totals, const char *name)
{
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		const struct total *total = totals->total[i];

		if (total->present && !strcmp(total->name, name))
			return total;
	}
	return NULL;
}

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
void stat_page_update_histogram(struct page *page, const struct sampler *sampler)
{
	const struct total *total = total_named(sampler->totals, page->stat);
	unsigned int n = 0, end = total ? total->size : 0, i;
	char median[NUMBER_SIZE + 8] = "", p99[NUMBER_SIZE + 8] = "";
	double all = 0, sum = 0, added = 0;
	const uint64_t *values;

	values = !total ? NULL : sampler->counts_growth ? total->growth : total->values;
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
