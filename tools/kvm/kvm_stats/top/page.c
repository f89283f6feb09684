// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/page.h"
#include "util.h"

/* ---- scopes ---- */

bool scope_selects(const struct target *target, void *arg)
{
	const struct top_scope *scope = arg;

	if (scope->vmm && scope->vmm != target->vmm->id)
		return false;
	return !*scope->label || !strcmp(target->label, scope->label);
}

static bool scope_is_same(const struct top_scope *a, const struct top_scope *b)
{
	return a->vmm == b->vmm && !strcmp(a->label, b->label);
}

const struct vmm *scope_vmm(const struct top_scope *scope, const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (monitor->vmm[i]->id == scope->vmm)
			return monitor->vmm[i];
	}
	return NULL;
}

const struct target *scope_target(const struct top_scope *scope, const struct monitor *monitor)
{
	const struct vmm *vmm = *scope->label ? scope_vmm(scope, monitor) : NULL;
	size_t i;

	for (i = 0; vmm && i < vmm->targets; i++) {
		if (!strcmp(vmm->target[i]->label, scope->label))
			return vmm->target[i];
	}
	return NULL;
}

bool scope_has_ended(const struct top_scope *scope, const struct monitor *monitor)
{
	if (*scope->label)
		return !scope_target(scope, monitor);
	return scope->vmm && !scope_vmm(scope, monitor);
}

/* ---- lines ---- */

void line_clear_numbers(struct line *line)
{
	size_t id;

	for (id = 0; id < COLUMNS; id++)
		line->number[id] = -1;
}

static struct line *find_line(const struct page *page, const struct top_scope *scope,
			      const char *stat)
{
	size_t i;

	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];

		if (scope_is_same(&line->scope, scope) && !strcmp(line->stat, stat))
			return line;
	}
	return NULL;
}

/* Without memory, returns a line that is not on the page. */
static struct line *add_line(struct page *page)
{
	static struct line unused;
	struct line **more = array_grow(page->line, page->all, &page->capacity, sizeof(*more));
	struct line *line = calloc(1, sizeof(*line));

	if (more)
		page->line = more;
	if (!more || !line) {
		page->no_memory = true;
		free(line);
		unused = (struct line){ 0 };
		return &unused;
	}
	page->line[page->all++] = line;
	return line;
}

struct line *page_line(struct page *page, const struct top_scope *scope, const char *stat)
{
	struct line *line = find_line(page, scope, stat);

	if (!line) {
		line = add_line(page);
		line->scope = *scope;
		snprintf(line->stat, sizeof(line->stat), "%s", stat);
		line->meaning = "";
		line->state = "";
		line->verdict = "";
		line_clear_numbers(line);
	}
	line->seen = true;
	return line;
}

/* ---- the order of lines ---- */

static int compare_numbers(const struct line *a, const struct line *b, enum column_id id)
{
	return (a->number[id] > b->number[id]) - (a->number[id] < b->number[id]);
}

/* Names, states, PIDs and the bars of histograms begin with the smallest. */
static bool is_ascending(enum column_id id)
{
	return id == COLUMN_NAME || id == COLUMN_STATE || id == COLUMN_PID || id == COLUMN_BAR;
}

static int compare_column(const struct line *a, const struct line *b, enum column_id id)
{
	if (id == COLUMN_NAME)
		return strverscmp(a->name, b->name);
	return id == COLUMN_STATE ? strcmp(a->state, b->state) : compare_numbers(a, b, id);
}

/* Hidden lines are last, and the sum is first. Equal lines are sorted by name. */
static int compare_lines(const void *x, const void *y, void *arg)
{
	const struct line *a = *(const struct line * const *)x;
	const struct line *b = *(const struct line * const *)y;
	const struct order *order = arg;
	int result;

	if (a->hidden != b->hidden)
		return a->hidden ? 1 : -1;
	if (a->sum != b->sum)
		return a->sum ? -1 : 1;
	if (a->group != b->group && order->column != COLUMN_NAME)
		return (int)a->group - (int)b->group;
	result = compare_column(a, b, order->column);
	if (is_ascending(order->column) == order->reversed)
		result = -result;
	if (!result)
		result = compare_numbers(b, a, COLUMN_VALUE);
	return result ? result : strverscmp(a->name, b->name);
}

/* ---- pages ---- */

void page_begin(struct page *page)
{
	size_t i;

	for (i = 0; i < page->all; i++)
		page->line[i]->seen = false;
}

static void remove_unseen(struct page *page)
{
	size_t i, kept = 0;

	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];

		if (line->seen) {
			page->line[kept++] = line;
			continue;
		}
		if (page->selected == line)
			page->selected = NULL;
		free(line);
	}
	page->all = kept;
}

void page_free(struct page *page)
{
	page_begin(page);
	remove_unseen(page);
	free(page->line);
	*page = (struct page){ 0 };
}

/* Hides the lines whose names do not match, and the sum, which would include them. */
static void hide_lines(struct page *page, const char *filter)
{
	bool filters = filter && *filter;
	regex_t regex;
	size_t i;

	filters = filters && !regcomp(&regex, filter, NAME_FILTER);
	page->lines = 0;
	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];

		line->hidden = filters && (line->sum || regexec(&regex, line->name, 0, NULL, 0));
		page->lines += !line->hidden;
	}
	if (filters)
		regfree(&regex);
}

void page_finish(struct page *page, const char *filter, struct order order)
{
	size_t i;

	remove_unseen(page);
	hide_lines(page, filter);
	if (page->all)
		qsort_r(page->line, page->all, sizeof(*page->line), compare_lines, &order);
	for (i = 0; page->selected && i < page->lines; i++) {
		if (page->line[i] == page->selected)
			page->at = i;
	}
	/* The last line has ended, or is hidden. */
	if (page->at >= page->lines)
		page_select(page, (long)page->at);
}

/* ---- the cursor ---- */

void page_select(struct page *page, long at)
{
	if (at >= (long)page->lines)
		at = (long)page->lines - 1;
	page->at = at > 0 ? (size_t)at : 0;
	page->selected = page->lines ? page->line[page->at] : NULL;
}

bool page_search(struct page *page, const char *text, size_t from)
{
	size_t i;

	for (i = 0; *text && i < page->lines; i++) {
		size_t at = (from + i) % page->lines;

		if (strcasestr(page->line[at]->name, text)) {
			page_select(page, (long)at);
			return true;
		}
	}
	return false;
}

size_t first_of_rows(size_t first, size_t at, size_t lines, int rows)
{
	size_t shown = rows > 0 ? (size_t)rows : 1;

	if (at < first)
		first = at;
	if (at >= first + shown)
		first = at - shown + 1;
	if (first + shown > lines)
		first = lines > shown ? lines - shown : 0;
	return first;
}
