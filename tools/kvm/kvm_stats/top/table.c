// SPDX-License-Identifier: GPL-2.0-only
/* The lines of a page, their order, and their columns. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "targets/stat.h"
#include "top/screen.h"

#define GAP	1	/* cells between two columns */

const struct column_type column_types[COLUMNS] = {
	[COLUMN_NAME] = {
		"name", 'N', "Guest", "Guest", 12, 16, 40, true, true, false, FORMAT_COUNT,
		"name of the guest" },
	[COLUMN_PID] = {
		"pid", 'I', "PID", "PID", 7, 7, 0, false, true, false, FORMAT_COUNT,
		"process ID of the VMM" },
	[COLUMN_VCPUS] = {
		"vcpus", 'V', "vCPU", "vCPUs", 4, 5, 0, false, false, false, FORMAT_COUNT,
		"number of vCPUs" },
	[COLUMN_MISSING] = {
		"unread", 'R', "Unread", "Not readable", 6, 12, 0, false, false, false,
		FORMAT_COUNT, "VMs and vCPUs whose statistics cannot be read" },
	[COLUMN_CPU] = {
		"cpu", 'P', "CPU%", "CPU %", 5, 6, 0, false, false, false, FORMAT_PERCENT,
		"use of CPUs by the process, 100 is one CPU" },
	[COLUMN_GUEST] = {
		"guest", 'G', "Guest%", "In guest %", 6, 10, 0, false, false, false,
		FORMAT_PERCENT, "time that vCPUs run the guest" },
	[COLUMN_KERNEL] = {
		"kernel", 'K', "Kern%", "In kernel %", 5, 11, 0, false, false, false,
		FORMAT_PERCENT, "time that vCPUs are in the kernel, mostly in KVM" },
	[COLUMN_USER] = {
		"vmm", 'U', "VMM%", "In VMM %", 5, 8, 0, false, false, false, FORMAT_PERCENT,
		"time that vCPUs are in the VMM, mostly emulating devices" },
	[COLUMN_HALTED] = {
		"halted", 'H', "Halt%", "Halted %", 5, 8, 0, false, false, false, FORMAT_PERCENT,
		"time that vCPUs neither run nor wait for a CPU" },
	[COLUMN_WAITING] = {
		"waiting", 'W', "Wait%", "Waiting for CPU %", 5, 17, 0, false, false, false,
		FORMAT_PERCENT, "time that vCPUs wait for a CPU" },
	[COLUMN_EXITS] = {
		"exits", 'E', "Exits/s", "VM exits/s", 8, 10, 0, false, false, false, FORMAT_RATE,
		"VM exits per second" },
	[COLUMN_HISTORY] = {
		"history", 0, "1 minute", "VM exits in the last minute", 10, 30, 60, true, false,
		false, FORMAT_RATE, "VM exits per second in the last minute" },
	[COLUMN_KINDS] = {
		"kinds", 0, "Top exits", "Most frequent exits per second", 22, 36, 56, true, false,
		false, FORMAT_RATE, "most frequent kinds of exits, per second" },
	[COLUMN_POLLS] = {
		"polls", 'L', "Poll%", "Successful polls %", 5, 18, 0, false, false, false,
		FORMAT_PERCENT, "halt polls that ended before the vCPU had to sleep" },
	[COLUMN_FAULTS] = {
		"faults", 'F', "Faults/s", "Page faults/s", 8, 13, 0, false, false, false,
		FORMAT_RATE, "page faults of the guest per second" },
	[COLUMN_MEMORY] = {
		"memory", 'M', "Memory", "Memory", 7, 8, 0, false, false, false, FORMAT_BYTES,
		"resident memory of the process" },
	[COLUMN_VALUE] = {
		"", 'V', "Value", "Value", 14, 14, 0, false, false, false, FORMAT_COUNT, "" },
	[COLUMN_SHARE] = {
		"", 0, "%Total", "%Total", 7, 7, 0, false, false, false, FORMAT_PERCENT, "" },
	[COLUMN_RATE] = {
		"", 'R', "Per second", "Per second", 10, 10, 0, false, false, false, FORMAT_RATE,
		"" },
	[COLUMN_RATES] = {
		"", 0, " Last minute", " Last minute", 12, 20, 61, true, false, true, FORMAT_RATE,
		"" },
	[COLUMN_MEANING] = {
		"", 0, "Meaning", "Meaning", 24, 90, 200, true, false, true, FORMAT_COUNT, "" },
	[COLUMN_FROM] = {
		"", 0, "From", "From", 9, 9, 0, false, true, false, FORMAT_COUNT, "" },
	[COLUMN_BELOW] = {
		"", 0, "Below", "Below", 9, 9, 0, false, false, false, FORMAT_COUNT, "" },
	[COLUMN_SAMPLES] = {
		"", 0, "Samples", "Samples", 10, 10, 0, false, false, false, FORMAT_COUNT, "" },
	[COLUMN_PART] = {
		"", 0, "%", "%", 7, 7, 0, false, false, false, FORMAT_PERCENT, "" },
	[COLUMN_BAR] = {
		"", 0, "", "", 12, 12, 500, true, false, true, FORMAT_COUNT, "" },
};

/* ---- lines ---- */

static void free_line(struct line *line)
{
	process_free(&line->process);
	free(line);
}

static struct line *add_line(struct page *page)
{
	struct line **more = array_grow(page->line, page->all, &page->capacity, sizeof(*more));
	struct line *line = more ? calloc(1, sizeof(*line)) : NULL;
	size_t id;

	if (more)
		page->line = more;
	if (!line)
		return NULL;
	for (id = 0; id < COLUMNS; id++)
		line->number[id] = -1;
	line->meaning = "";
	page->line[page->all++] = line;
	return line;
}

/*
 * The memory of what has ended can be used again, so the name must match as well. That of the sum
 * changes.
 */
struct line *page_line(struct page *page, const void *key, const char *name)
{
	struct line *line = NULL;
	size_t i;

	for (i = 0; !line && i < page->all; i++) {
		if (page->line[i]->key == key &&
		    (page->line[i]->sum || !strcmp(page->line[i]->name, name)))
			line = page->line[i];
	}
	if (!line)
		line = add_line(page);
	if (!line)
		return NULL;
	line->key = key;
	line->seen = true;
	if (!*line->name)
		snprintf(line->name, sizeof(line->name), "%s", name);
	return line;
}

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
		free_line(line);
	}
	page->all = kept;
}

void page_free(struct page *page)
{
	page_begin(page);
	remove_unseen(page);
	free(page->line);
	*page = (struct page){ .kind = page->kind };
}

/* ---- order ---- */

static int compare_numbers(const struct line *a, const struct line *b, enum column_id id)
{
	return (a->number[id] > b->number[id]) - (a->number[id] < b->number[id]);
}

/* Lines that the filter hides are last, and the sum is first. Equal lines are sorted by name. */
static int compare(const void *x, const void *y, void *arg)
{
	const struct line *a = *(const struct line * const *)x;
	const struct line *b = *(const struct line * const *)y;
	const struct order *order = arg;
	int result;

	if (a->filtered != b->filtered)
		return a->filtered ? 1 : -1;
	if (a->sum != b->sum)
		return a->sum ? -1 : 1;
	if (a->group != b->group && order->column != COLUMN_NAME)
		return (int)a->group - (int)b->group;
	if (order->column == COLUMN_NAME)
		result = strverscmp(a->name, b->name);
	else
		result = compare_numbers(a, b, order->column);
	if (column_types[order->column].ascending == order->reversed)
		result = -result;
	if (!result)
		result = compare_numbers(b, a, COLUMN_VALUE);
	return result ? result : strverscmp(a->name, b->name);
}

bool line_is_child_of(const struct line *child, const struct line *parent)
{
	size_t len = stat_parent_length(child->stat);

	return child->child && child->origin == parent->origin && strlen(parent->stat) == len &&
	       !strncmp(parent->stat, child->stat, len);
}

/* Moves children behind their parents. Children without a parent are not shown. */
static bool place_children(struct page *page)
{
	struct line **to = malloc((page->all + 1) * sizeof(*to));
	size_t i, j, lines = 0, end;

	if (!to)
		return false;
	for (i = 0; i < page->lines; i++) {
		if (page->line[i]->child)
			continue;
		to[lines++] = page->line[i];
		for (j = 0; j < page->lines; j++) {
			if (line_is_child_of(page->line[j], page->line[i]))
				to[lines++] = page->line[j];
		}
	}
	for (i = 0, end = lines; i < page->all; i++) {
		for (j = 0; j < end && to[j] != page->line[i]; j++)
			;
		if (j == end)
			to[lines++] = page->line[i];
	}
	memcpy(page->line, to, page->all * sizeof(*to));
	page->lines = end;
	free(to);
	return true;
}

bool page_finish(struct page *page, const regex_t *filter, enum column_id column, bool reversed)
{
	struct order order = { column, reversed };
	bool children = false;
	size_t i;

	remove_unseen(page);
	page->lines = 0;
	for (i = 0; i < page->all; i++) {
		struct line *line = page->line[i];

		line->filtered = filter && (line->sum || regexec(filter, line->name, 0, NULL, 0));
		page->lines += !line->filtered;
		children |= line->child;
	}
	if (page->all)
		qsort_r(page->line, page->all, sizeof(*page->line), compare, &order);
	if (children && !place_children(page))
		return false;
	for (i = 0; page->selected && i < page->lines; i++) {
		if (page->line[i] == page->selected)
			page->at = i;
	}
	return true;
}

/* ---- which columns ---- */

static int first_of(unsigned int columns)
{
	return __builtin_ctz(columns);
}

static int width_of(enum column_id id, bool wide)
{
	return wide ? column_types[id].wide : column_types[id].width;
}

static bool all_fit(unsigned int chosen, int width)
{
	int id;

	for (id = 0; id < COLUMNS; id++) {
		if (chosen & COLUMN_BIT(id))
			width -= width_of(id, true) + GAP;
	}
	return width + GAP >= 0;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Returns those that fit. A column after one that does not fit is hidden, too. */
static unsigned int fitting(unsigned int chosen, size_t skipped, int width, bool wide,
			    int longest_name)
{
	/* In narrow terminals, these are more important than the columns before them. */
	static const enum column_id important[] = { COLUMN_RATE, COLUMN_SAMPLES };
	int first = first_of(chosen), name = width_of(first, wide), i;
	int long_name = smaller(longest_name, column_types[first].widest);
	unsigned int shown = COLUMN_BIT(first);

	for (i = -(int)ARRAY_SIZE(important); i < COLUMNS; i++) {
		int id = i < 0 ? (int)important[-i - 1] : i;
		int needed = width_of(id, wide) + GAP;
		bool optional = column_types[id].optional && long_name > name;

		if (!(chosen & ~shown & COLUMN_BIT(id)) || (i < 0 && skipped))
			continue;
		if (skipped) {
			skipped--;
			continue;
		}
		if (needed + (optional ? long_name : name) > width)
			break;
		shown |= COLUMN_BIT(id);
		width -= needed;
	}
	return shown;
}

static int widen(struct column_place *place, int spare, int widest)
{
	int more = smaller(widest - place->width, spare);

	if (more <= 0)
		return spare;
	place->width += more;
	return spare - more;
}

/*
 * Gives the spare width to the names first, up to a limit. Then each column that can use it gets
 * its part, before one of them gets all that it can use. Long names get what is left.
 */
static void use_spare_width(struct column_layout *layout, int spare, int longest_name)
{
	int widest = column_types[layout->place[0].id].widest;
	size_t i;

	spare = widen(&layout->place[0], spare, smaller(longest_name, widest));
	for (i = 1; i < layout->places; i++) {
		const struct column_type *type = &column_types[layout->place[i].id];

		if (type->widest)
			spare = widen(&layout->place[i], spare, type->wide);
	}
	for (i = 1; i < layout->places; i++)
		spare = widen(&layout->place[i], spare, column_types[layout->place[i].id].widest);
	widen(&layout->place[0], spare, longest_name);
}

struct column_layout column_layout(unsigned int chosen, size_t skipped, int width,
				   int longest_name)
{
	struct column_layout layout = { .wide = all_fit(chosen, width) };
	unsigned int shown;
	int id, spare = width;
	size_t i;

	if (layout.wide)
		skipped = 0;
	shown = fitting(chosen, skipped, width, layout.wide, longest_name);
	for (id = 0; id < COLUMNS; id++) {
		int cells = smaller(width_of(id, layout.wide), width);

		if (shown & COLUMN_BIT(id)) {
			layout.place[layout.places++] = (struct column_place){ id, 0, cells };
			spare -= cells + (layout.places > 1 ? GAP : 0);
		}
	}
	layout.hidden = (size_t)__builtin_popcount(chosen & ~shown);
	/* The mark of hidden columns is in the last cell. */
	use_spare_width(&layout, spare - !!layout.hidden, longest_name);
	for (i = 1; i < layout.places; i++)
		layout.place[i].x = layout.place[i - 1].x + layout.place[i - 1].width + GAP;
	return layout;
}

size_t column_layout_next(unsigned int chosen, size_t skipped, int width)
{
	struct column_layout layout = column_layout(chosen, skipped, width, 0);

	/* Without any further column, skip one, so that all can be reached. */
	if (layout.hidden == skipped || layout.wide)
		return 0;
	return skipped + (layout.places > 1 ? layout.places - 1 : 1);
}

unsigned int table_columns(const struct top *top)
{
	const struct page *page = top_page(top);
	unsigned int columns = top->columns | COLUMN_BIT(COLUMN_NAME);
	bool missing = false, meaning = false;
	size_t i;

	for (i = 0; i < page->lines; i++) {
		missing |= page->line[i]->number[COLUMN_MISSING] > 0;
		meaning |= *page->line[i]->meaning;
	}
	if (page->kind == PAGE_HISTOGRAM)
		return COLUMN_BIT(COLUMNS) - COLUMN_BIT(COLUMN_FROM);
	if (page->kind == PAGE_EVENTS || page->kind == PAGE_MEMBERS)
		return COLUMN_BIT(COLUMN_NAME) | COLUMN_BIT(COLUMN_VALUE) |
		       COLUMN_BIT(COLUMN_SHARE) | COLUMN_BIT(COLUMN_RATE);
	if (page->kind == PAGE_STATISTICS)
		return COLUMN_BIT(COLUMN_NAME) | COLUMN_BIT(COLUMN_VALUE) |
		       COLUMN_BIT(COLUMN_RATE) | COLUMN_BIT(COLUMN_RATES) |
		       (meaning ? COLUMN_BIT(COLUMN_MEANING) : 0);
	if (!missing)
		columns &= ~COLUMN_BIT(COLUMN_MISSING);
	/* The lines of a guest are its vCPUs, so they have no PID and one vCPU each. */
	if (page->kind == PAGE_PARTS)
		columns &= ~(COLUMN_BIT(COLUMN_PID) | COLUMN_BIT(COLUMN_VCPUS));
	return columns;
}

int column_of_option(const char *name, size_t len)
{
	int id;

	for (id = 0; id < TABLE_COLUMNS; id++) {
		if (strlen(column_types[id].option) == len &&
		    !strncmp(column_types[id].option, name, len))
			return id;
	}
	return -1;
}

const char *column_heading(const struct top *top, enum column_id id, bool wide)
{
	const struct page *page = top_page(top);
	bool kvm_stat = page->kind == PAGE_EVENTS || page->kind == PAGE_MEMBERS;

	if (id == COLUMN_NAME && page->kind != PAGE_GUESTS) {
		if (page->kind == PAGE_STATISTICS)
			return "Statistic";
		if (page->kind == PAGE_EVENTS)
			return "Event";
		return page->scope.one_vmm ? "VM, vCPU" : "    PID Guest Name";
	}
	if (id == COLUMN_VALUE && kvm_stat)
		return "Total";
	if (id == COLUMN_RATE && kvm_stat)
		return "CurAvg/s";
	return wide ? column_types[id].wide_heading : column_types[id].heading;
}

/* ---- the order of the page ---- */

static bool can_sort(int id, unsigned int columns)
{
	return (columns & COLUMN_BIT(id)) && column_types[id].key;
}

void table_sort_by(struct top *top, enum column_id id)
{
	struct order *order = &top->order[top_page(top)->kind];

	order->reversed = order->column == id && !order->reversed;
	order->column = id;
}

bool table_sort_by_key(struct top *top, int key)
{
	/* Tables can be sorted by columns that are not on the screen. */
	unsigned int columns = top_page(top)->kind < PAGE_STATISTICS ? ALL_COLUMNS :
			       table_columns(top);
	int id;

	for (id = 0; id < COLUMNS; id++) {
		if (column_types[id].key == key && can_sort(id, columns)) {
			table_sort_by(top, id);
			return true;
		}
	}
	return false;
}

bool table_sort_by_next(struct top *top, int by)
{
	int id = (int)top->order[top_page(top)->kind].column;
	int i;

	for (i = 0; i < COLUMNS; i++) {
		id = (id + by + COLUMNS) % COLUMNS;
		if (can_sort(id, table_columns(top))) {
			table_sort_by(top, id);
			return true;
		}
	}
	return false;
}

/* ---- cells ---- */

static void put_kinds(char *buf, const struct line *line, int width)
{
	int used = 0;
	size_t i;

	for (i = 0; i < TOP_KINDS && line->kind[i].rate > 0; i++) {
		char rate[NUMBER_SIZE], text[EXIT_NAME_SIZE + NUMBER_SIZE + 8];
		int len;

		number_rate(rate, 5, line->kind[i].rate);
		len = snprintf(text, sizeof(text), "%s%s %s", used ? ", " : "",
			       line->kind[i].name, rate);
		if (used && (used + len > width || i >= 2))
			break;
		used += snprintf(buf + used, CELL_SIZE - (size_t)used, "%s", text);
	}
}

/* Values of statistics have units. */
static void put_value(char *buf, const struct line *line, double number, bool rate, int width,
		      bool utf8)
{
	if (line->unit == NUMBER_SECONDS)
		number_seconds(buf, number, utf8);
	else if (line->unit == NUMBER_BYTES)
		number_bytes(buf, number);
	else if (rate)
		number_rate(buf, width, number);
	else	/* 2^64, which a sum can be rounded to, does not fit. */
		number_count(buf, width, number < 0x1p64 ? (uint64_t)number : UINT64_MAX);
}

static void put_number(char *buf, enum column_id id, double number, int width)
{
	switch (column_types[id].format) {
	case FORMAT_BYTES:
		number_bytes(buf, number);
		break;
	case FORMAT_RATE:
		number_rate(buf, width, number);
		break;
	case FORMAT_COUNT:
		number_count(buf, width, (uint64_t)number);
		break;
	default:
		number_percent(buf, number);
	}
}

/* Zeros that only say that a column does not apply are not shown. */
static bool is_blank(enum column_id id, const struct line *line)
{
	if (id == COLUMN_PID)
		return line->sum || line->number[id] <= 0;
	if (id == COLUMN_VCPUS || id == COLUMN_MISSING)
		return !line->sum && line->number[id] <= 0;
	return id == COLUMN_SHARE && line->number[id] < 0;
}

static void put_any_number(char *buf, enum column_id id, const struct line *line, int width,
			   bool utf8)
{
	double number = line->number[id];

	if (is_blank(id, line))
		return;
	if (id == COLUMN_RATE && line->cleared)
		snprintf(buf, CELL_SIZE, "reset");
	else if (number < 0)
		snprintf(buf, CELL_SIZE, "-");
	else if (id == COLUMN_SHARE || id == COLUMN_PART)
		snprintf(buf, CELL_SIZE, "%.1f", number);
	else if (id == COLUMN_VALUE || id == COLUMN_RATE)
		put_value(buf, line, number, id == COLUMN_RATE, width, utf8);
	else
		put_number(buf, id, number, width);
}

void column_text(char *buf, enum column_id id, const struct line *line, int width, uint64_t now,
		 bool utf8)
{
	*buf = '\0';
	switch (id) {
	case COLUMN_NAME:
	case COLUMN_FROM:
		snprintf(buf, CELL_SIZE, "%s%s", line->child ? "  " : "", line->name);
		break;
	case COLUMN_HISTORY:
		history_draw(buf, CELL_SIZE, &line->history, now, width, utf8);
		break;
	case COLUMN_RATES:
		if (!line->has_history)
			break;
		*buf = ' ';
		history_draw(buf + 1, CELL_SIZE - 1, &line->history, now, width - 1, utf8);
		break;
	case COLUMN_KINDS:
		put_kinds(buf, line, width);
		break;
	case COLUMN_MEANING:
		snprintf(buf, CELL_SIZE, "%s", line->meaning);
		break;
	case COLUMN_BELOW:
		snprintf(buf, CELL_SIZE, "%s", *line->below ? line->below : "-");
		break;
	case COLUMN_BAR:	/* draw.c draws it */
		break;
	default:
		if (id == COLUMN_MISSING && line->lacks_only_vms)
			snprintf(buf, CELL_SIZE, "%s", width < 9 ? "VM" : "VM values");
		else
			put_any_number(buf, id, line, width, utf8);
	}
}
