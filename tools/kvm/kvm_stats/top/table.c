// SPDX-License-Identifier: GPL-2.0-only
/* The columns of tables: which are shown, their cells, and the order of lines. */
#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "top/screen.h"
#include "util.h"

#define GAP	1	/* cells between two columns */

const struct column_type column_types[COLUMNS] = {
	[COLUMN_NAME] = { "name", 'N', "Guest", 12, 40, UNIT_COUNT, "name of the guest" },
	[COLUMN_PID] = { "pid", 'I', "PID", 7, 0, UNIT_COUNT, "process ID of the VMM" },
	[COLUMN_VCPUS] = { "vcpus", 'V', "vCPU", 4, 0, UNIT_COUNT, "number of vCPUs" },
	[COLUMN_MISSING] = { "unread", 'R', "Unread", 6, 0, UNIT_COUNT,
			     "VMs and vCPUs whose statistics cannot be read" },
	[COLUMN_CPU] = { "cpu", 'P', "CPU%", 5, 0, UNIT_PERCENT,
			 "use of CPUs by the process, 100 is one CPU" },
	[COLUMN_GUEST] = { "guest", 'G', "Guest%", 6, 0, UNIT_PERCENT,
			   "time that vCPUs run the guest" },
	[COLUMN_KERNEL] = { "kernel", 'K', "Kern%", 5, 0, UNIT_PERCENT,
			    "time that vCPUs are in the kernel, mostly in KVM" },
	[COLUMN_USER] = { "vmm", 'U', "VMM%", 5, 0, UNIT_PERCENT,
			  "time that vCPUs are in the VMM, mostly emulating devices" },
	[COLUMN_HALTED] = { "halted", 'H', "Halt%", 5, 0, UNIT_PERCENT,
			    "time that vCPUs neither run nor wait for a CPU" },
	[COLUMN_WAITING] = { "waiting", 'W', "Wait%", 5, 0, UNIT_PERCENT,
			     "time that vCPUs wait for a CPU" },
	[COLUMN_EXITS] = { "exits", 'E', "Exits/s", 8, 0, UNIT_RATE, "VM exits per second" },
	[COLUMN_HISTORY] = { "history", 0, "History", 10, HISTORY_SAMPLES, UNIT_RATE,
			     "VM exits per second in the last samples" },
	[COLUMN_KINDS] = { "kinds", 0, "Top exits", 22, 56, UNIT_RATE,
			   "most frequent kinds of exits, per second" },
	[COLUMN_POLLS] = { "polls", 'L', "Poll%", 5, 0, UNIT_PERCENT,
			   "halt polls that ended before the vCPU had to sleep" },
	[COLUMN_FAULTS] = { "faults", 'F', "Faults/s", 8, 0, UNIT_RATE,
			    "page faults of the guest per second" },
	[COLUMN_MEMORY] = { "memory", 'M', "Memory", 7, 0, UNIT_BYTES,
			    "resident memory of the process" },
	[COLUMN_BELOW] = { NULL, 0, "Below", 9, 0, UNIT_COUNT, "" },
	[COLUMN_VALUE] = { NULL, 'V', "Value", 14, 0, UNIT_COUNT, "" },
	[COLUMN_SHARE] = { NULL, 0, "%Total", 7, 0, UNIT_PERCENT, "" },
	[COLUMN_RATE] = { NULL, 'R', "Per second", 10, 0, UNIT_RATE, "" },
	[COLUMN_MEANING] = { NULL, 0, "Meaning", 24, 200, UNIT_COUNT, "" },
	[COLUMN_BAR] = { NULL, 0, "", 12, 500, UNIT_COUNT, "" },
};

int column_of_option(const char *name)
{
	int id;

	for (id = 0; id < COLUMNS; id++) {
		if (column_types[id].option && !strcmp(column_types[id].option, name))
			return id;
	}
	return -1;
}

/* ---- which columns ---- */

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Shows a column if it fits. Pictures and meanings are less important than whole names. */
static bool add_column(struct column_layout *layout, int id, int *spare, int long_name)
{
	int needed = column_types[id].width + GAP;
	int kept = column_types[id].widest ? long_name - column_types[COLUMN_NAME].width : 0;

	if (needed + (kept > 0 ? kept : 0) > *spare)
		return false;
	*spare -= needed;
	layout->shown |= COLUMN_BIT(id);
	return true;
}

/* Names get the spare width first. Then all columns that can use it share it. */
static void use_spare_width(struct column_layout *layout, int spare, int longest_name)
{
	bool used = true;
	size_t i;

	for (; spare > 0 && layout->place[0].width < longest_name; spare--)
		layout->place[0].width++;
	while (used) {
		used = false;
		for (i = 1; i < layout->places && spare > 0; i++) {
			if (layout->place[i].width < column_types[layout->place[i].id].widest) {
				layout->place[i].width++;
				spare--;
				used = true;
			}
		}
	}
}

struct column_layout column_layout(unsigned int chosen, size_t skipped, int width,
				   int longest_name)
{
	/* In narrow terminals, these are more important than the columns before them. */
	static const enum column_id important[] = { COLUMN_RATE, COLUMN_VALUE };
	int long_name = smaller(longest_name, column_types[COLUMN_NAME].widest);
	struct column_layout layout = { .shown = COLUMN_BIT(COLUMN_NAME) };
	int id, spare = width - column_types[COLUMN_NAME].width, x = 0;
	bool fits = true;
	size_t i;

	for (i = 0; fits && !skipped && i < ARRAY_SIZE(important); i++) {
		if (chosen & COLUMN_BIT(important[i]))
			fits = add_column(&layout, (int)important[i], &spare, long_name);
	}
	/* A column after one that does not fit is hidden, too. */
	for (id = 0; fits && id < COLUMNS; id++) {
		if (!(chosen & ~layout.shown & COLUMN_BIT(id)))
			continue;
		if (skipped)
			skipped--;
		else
			fits = add_column(&layout, id, &spare, long_name);
	}
	for (id = 0; id < COLUMNS; id++) {
		if (layout.shown & COLUMN_BIT(id))
			layout.place[layout.places++] = (struct column_place){
				(enum column_id)id, 0, smaller(column_types[id].width, width) };
	}
	layout.hidden = (size_t)__builtin_popcount(chosen & ~layout.shown);
	/* The mark of hidden columns is in the last cell. */
	use_spare_width(&layout, spare - !!layout.hidden, longest_name);
	for (i = 0; i < layout.places; i++) {
		layout.place[i].x = x;
		x += layout.place[i].width + GAP;
	}
	return layout;
}

size_t column_layout_next(unsigned int chosen, size_t skipped, int width)
{
	struct column_layout layout = column_layout(chosen, skipped, width, 0);

	/* Without any further column, skip one, so that all can be reached. */
	if (layout.hidden == skipped)
		return 0;
	return skipped + (layout.places > 1 ? layout.places - 1 : 1);
}

unsigned int table_columns(const struct top *top)
{
	const struct page *page = top_page(top);
	unsigned int statistics = COLUMN_BIT(COLUMN_NAME) | COLUMN_BIT(COLUMN_VALUE);
	unsigned int columns = top->columns | COLUMN_BIT(COLUMN_NAME);
	bool missing = false;
	size_t i;

	if (page->kind == PAGE_HISTOGRAM)
		return statistics | COLUMN_BIT(COLUMN_BELOW) | COLUMN_BIT(COLUMN_SHARE) |
		       COLUMN_BIT(COLUMN_BAR);
	if (top->kvm_stat)
		return statistics | COLUMN_BIT(COLUMN_SHARE) | COLUMN_BIT(COLUMN_RATE);
	if (page->kind == PAGE_STATISTICS)
		return statistics | COLUMN_BIT(COLUMN_RATE) | COLUMN_BIT(COLUMN_HISTORY) |
		       COLUMN_BIT(COLUMN_MEANING);
	for (i = 0; i < page->lines; i++)
		missing |= page->line[i]->number[COLUMN_MISSING] > 0;
	if (!missing)
		columns &= ~COLUMN_BIT(COLUMN_MISSING);
	/* The lines of a guest are its vCPUs, so they have no PID and one vCPU each. */
	if (page->kind == PAGE_TARGETS)
		columns &= ~(COLUMN_BIT(COLUMN_PID) | COLUMN_BIT(COLUMN_VCPUS));
	return columns;
}

struct column_layout table_layout(const struct top *top)
{
	const struct page *page = top_page(top);
	size_t longest = strlen(column_heading(top, COLUMN_NAME));
	size_t i;

	/* The number of bytes is at least the number of cells. */
	for (i = 0; i < page->lines; i++) {
		size_t len = strlen(page->line[i]->name) + (page->line[i]->child ? 2 : 0);

		longest = len > longest ? len : longest;
	}
	return column_layout(table_columns(top), top->skipped_columns, COLS, (int)longest);
}

const char *column_heading(const struct top *top, enum column_id id)
{
	static const char * const names[2][PAGE_KINDS] = {
		{ "Guest", "VM, vCPU", "Statistic", "From" },
		{ "    PID Guest Name", "VM, vCPU", "Event", "From" },
	};
	enum page_kind kind = top_page(top)->kind;

	if (id == COLUMN_NAME)
		return names[top->kvm_stat][kind];
	if (id == COLUMN_VALUE && kind == PAGE_HISTOGRAM)
		return "Samples";
	if (id == COLUMN_VALUE && top->kvm_stat)
		return "Total";
	if (id == COLUMN_RATE && top->kvm_stat)
		return "CurAvg/s";
	return column_types[id].heading;
}

/* ---- the order of lines ---- */

static int compare_numbers(const struct line *a, const struct line *b, enum column_id id)
{
	return (a->number[id] > b->number[id]) - (a->number[id] < b->number[id]);
}

/* Names, PIDs and the bars of histograms begin with the smallest. */
static bool is_ascending(enum column_id id)
{
	return id == COLUMN_NAME || id == COLUMN_PID || id == COLUMN_BAR;
}

/* The sum is first. Equal lines are sorted by name. */
static int compare_lines(const struct line *a, const struct line *b, const struct order *order)
{
	int result;

	if (a->sum != b->sum)
		return a->sum ? -1 : 1;
	if (a->group != b->group && order->column != COLUMN_NAME)
		return (int)a->group - (int)b->group;
	if (order->column == COLUMN_NAME)
		result = strverscmp(a->name, b->name);
	else
		result = compare_numbers(a, b, order->column);
	if (is_ascending(order->column) == order->reversed)
		result = -result;
	if (!result)
		result = compare_numbers(b, a, COLUMN_VALUE);
	return result ? result : strverscmp(a->name, b->name);
}

/* Hidden lines are last. Children follow their parents. */
int line_compare(const void *x, const void *y, void *arg)
{
	const struct line *a = *(const struct line * const *)x;
	const struct line *b = *(const struct line * const *)y;
	const struct line *parent_a = a->parent ? a->parent : a;
	const struct line *parent_b = b->parent ? b->parent : b;

	if (a->hidden != b->hidden)
		return a->hidden ? 1 : -1;
	if (parent_a != parent_b)
		return compare_lines(parent_a, parent_b, arg);
	if (!a->parent || !b->parent)
		return !!a->parent - !!b->parent;
	return compare_lines(a, b, arg);
}

static bool can_sort(const struct top *top, int id)
{
	const struct page *page = top_page(top);
	/* Tables can be sorted by columns that are not on the screen. */
	unsigned int columns = page->kind < PAGE_STATISTICS && !top->kvm_stat ? ALL_COLUMNS :
			       table_columns(top);

	return page->kind != PAGE_HISTOGRAM && (columns & COLUMN_BIT(id)) && column_types[id].key;
}

void table_sort_by(struct top *top, enum column_id id)
{
	struct order *order = &top->order[top_page(top)->kind];

	order->reversed = order->column == id && !order->reversed;
	order->column = id;
	model_update(top);
}

bool table_sort_by_key(struct top *top, int key)
{
	int id;

	for (id = 0; id < COLUMNS; id++) {
		if (column_types[id].key == key && can_sort(top, id)) {
			table_sort_by(top, id);
			return true;
		}
	}
	return false;
}

void table_sort_by_next(struct top *top, int by)
{
	int id = (int)top->order[top_page(top)->kind].column;
	int i;

	for (i = 0; i < COLUMNS; i++) {
		id = (id + by + COLUMNS) % COLUMNS;
		if (can_sort(top, id) && (table_columns(top) & COLUMN_BIT(id))) {
			table_sort_by(top, id);
			return;
		}
	}
}

/* ---- cells ---- */

static void put_kinds(char *buf, const struct line *line, int width)
{
	int used = 0;
	size_t i;

	for (i = 0; i < TOP_KINDS && line->kind[i].rate > 0; i++) {
		char rate[NUMBER_SIZE], text[EXIT_NAME_SIZE + NUMBER_SIZE + 8];
		int len;

		number_put(rate, UNIT_RATE, line->kind[i].rate, 5);
		len = snprintf(text, sizeof(text), "%s%s %s", used ? ", " : "",
			       line->kind[i].name, rate);
		if (used && used + len > width)
			break;
		used += snprintf(buf + used, CELL_SIZE - (size_t)used, "%s", text);
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

static void put_number(char *buf, enum column_id id, const struct line *line, int width)
{
	enum unit unit = column_types[id].unit;

	if (is_blank(id, line))
		return;
	/* Values of statistics have units. */
	if ((id == COLUMN_VALUE || id == COLUMN_RATE) && line->unit != UNIT_COUNT)
		unit = line->unit;
	if (id == COLUMN_RATE && line->cleared)
		snprintf(buf, CELL_SIZE, "reset");
	else if (id == COLUMN_MISSING && line->lacks_only_vms)
		snprintf(buf, CELL_SIZE, "%s", width < 9 ? "VM" : "VM values");
	else if (line->number[id] < 0)
		snprintf(buf, CELL_SIZE, "-");
	else
		number_put(buf, unit, line->number[id], width);
}

void column_text(char *buf, enum column_id id, const struct line *line, int width)
{
	*buf = '\0';
	switch (id) {
	case COLUMN_NAME:
		snprintf(buf, CELL_SIZE, "%s%s", line->child ? "  " : "", line->name);
		break;
	case COLUMN_HISTORY:
		history_draw(buf, &line->history, width);
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
		put_number(buf, id, line, width);
	}
}
