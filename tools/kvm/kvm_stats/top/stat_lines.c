// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "top/stat_lines.h"

/* ---- history ---- */

static struct stat_history *history_of(struct stat_lines *lines, const struct total *total)
{
	struct stat_history *more;
	size_t i;

	for (i = 0; i < lines->histories; i++) {
		if (lines->history[i].total == total)
			return &lines->history[i];
	}
	more = array_grow(lines->history, lines->histories, &lines->history_capacity,
			  sizeof(*more));
	if (!more)
		return NULL;
	lines->history = more;
	more += lines->histories++;
	*more = (struct stat_history){ .total = total };
	return more;
}

bool stat_lines_remember(struct stat_lines *lines, const struct totals *totals, uint64_t before,
			 uint64_t now)
{
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		const struct total *total = totals->total[i];
		struct stat_history *history;

		if (!total->present || !total->counts_up)
			continue;
		history = history_of(lines, total);
		if (!history)
			return false;
		if (before)
			history_add(&history->history, before, now, total->rate);
	}
	return true;
}

void stat_lines_forget(struct stat_lines *lines)
{
	lines->histories = 0;
}

const struct history *stat_lines_history(const struct stat_lines *lines,
					 const struct view_line *line)
{
	size_t i;

	for (i = 0; i < lines->histories; i++) {
		const struct total *total = lines->history[i].total;

		if (total->origin == line->origin && !strcmp(total->name, line->stat))
			return &lines->history[i].history;
	}
	return NULL;
}

/* ---- lines ---- */

/* The sums over a guest have statistics of VMs and of vCPUs. */
static const char *meaning_of(const char *name)
{
	const char *text = kvmstats_stat_help(name, KVMSTATS_KIND_VCPU);

	if (!text)
		text = kvmstats_stat_help(name, KVMSTATS_KIND_VM);
	return text ? text : "";
}

static bool add(struct stat_lines *lines, const struct view_line *view)
{
	struct stat_line *more = array_grow(lines->line, lines->lines, &lines->capacity,
					    sizeof(*more));

	if (!more)
		return false;
	lines->line = more;
	lines->line[lines->lines++] = (struct stat_line){
		.view = *view,
		.meaning = meaning_of(view->stat),
	};
	return true;
}

/* Groups of different units keep their order, because their values are not comparable. */
static int compare(const void *x, const void *y, void *arg)
{
	const struct view_line *a = &((const struct stat_line *)x)->view;
	const struct view_line *b = &((const struct stat_line *)y)->view;
	const struct stat_order *order = arg;
	int result = 0;

	if (a->kind != b->kind && order->column != STAT_NAME)
		return (int)a->kind - (int)b->kind;
	if (order->column == STAT_VALUE)
		result = (a->value < b->value) - (a->value > b->value);
	if (order->column == STAT_RATE)
		result = (a->rate < b->rate) - (a->rate > b->rate);
	if (!result)
		result = strverscmp(a->name, b->name);
	return order->reversed ? -result : result;
}

bool stat_lines_make(struct stat_lines *lines, const struct totals *totals, const regex_t *filter,
		     const struct stat_order *order, const struct view_options *options)
{
	size_t i;

	lines->lines = 0;
	if (!view_statistics(&lines->view, totals, options))
		return false;
	for (i = 0; i < lines->view.lines; i++) {
		const struct view_line *line = &lines->view.line[i];

		if (filter && regexec(filter, line->name, 0, NULL, 0))
			continue;
		if (!add(lines, line))
			return false;
	}
	/* Children follow their parents in the order that view_statistics() has made. */
	if (lines->lines && !options->children)
		qsort_r(lines->line, lines->lines, sizeof(*lines->line), compare, (void *)order);
	return true;
}

void stat_lines_free(struct stat_lines *lines)
{
	free(lines->line);
	free(lines->history);
	view_free(&lines->view);
	*lines = (struct stat_lines){ 0 };
}
