// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "top/table.h"
#include "util.h"

#define GAP	1	/* cells between two columns */

const struct column_type column_types[COLUMNS] = {
	/* A UUID fits. */
	[COLUMN_NAME] = { "name", 'N', "Guest", 12, 36, UNIT_COUNT, "name of the guest" },
	[COLUMN_PID] = { "pid", 'I', "PID", 7, 0, UNIT_COUNT, "process ID of the VMM" },
	[COLUMN_VCPUS] = { "vcpus", 'V', "vCPU", 4, 0, UNIT_COUNT, "number of vCPUs" },
	[COLUMN_STATE] = { "state", 'S', "State", 7, 7, UNIT_COUNT,
			   "running, stopped, paused, frozen, blocked, waiting or orphan" },
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
			     "time that vCPUs wait for a CPU that others use" },
	[COLUMN_THROTTLED] = { "throttled", 'T', "Throt%", 6, 0, UNIT_PERCENT,
			       "time that the limit of a cgroup keeps vCPUs from running" },
	[COLUMN_EXITS] = { "exits", 'E', "Exits/s", 7, 0, UNIT_RATE, "VM exits per second" },
	[COLUMN_VERDICT] = { "verdict", 'Y', "Verdict", 9, 14, UNIT_COUNT,
			     "what costs the guest its time, see kvm-stats-why(1)" },
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

/* Without the host's statistics, these have no values, and verdicts hardly any evidence. */
#define VALUE_COLUMNS	(COLUMN_BIT(COLUMN_EXITS) | COLUMN_BIT(COLUMN_VERDICT) | \
			 COLUMN_BIT(COLUMN_HISTORY) | COLUMN_BIT(COLUMN_KINDS) | \
			 COLUMN_BIT(COLUMN_POLLS) | COLUMN_BIT(COLUMN_FAULTS))

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

bool table_choose(struct table *table, const char *list, struct message *why)
{
	char *at = list ? strdupa(list) : NULL, *name;

	table->columns = list ? 0 : DEFAULT_COLUMNS;
	while ((name = strsep(&at, ","))) {
		int id = column_of_option(name);

		if (id < 0) {
			message_set(why, "--columns: no column is named '%s'", name);
			return message_advice(why, "Run 'kvm-stats top --help' for the names");
		}
		table->columns |= COLUMN_BIT(id);
	}
	return true;
}

/* Returns the columns of the page: the chosen ones, without those that have no values. */
static unsigned int table_columns(const struct table *table, const struct page *page)
{
	unsigned int statistics = COLUMN_BIT(COLUMN_NAME) | COLUMN_BIT(COLUMN_VALUE);
	unsigned int columns = table->columns | COLUMN_BIT(COLUMN_NAME);

	if (page->kind == PAGE_HISTOGRAM)
		return statistics | COLUMN_BIT(COLUMN_BELOW) | COLUMN_BIT(COLUMN_SHARE) |
		       COLUMN_BIT(COLUMN_BAR);
	if (page->kind == PAGE_STATISTICS)
		return statistics | COLUMN_BIT(COLUMN_RATE) | COLUMN_BIT(COLUMN_HISTORY) |
		       COLUMN_BIT(COLUMN_MEANING);
	if (!table->has_values)
		columns &= ~VALUE_COLUMNS;
	/* The lines of a guest are its vCPUs, so they have no PID and one vCPU each. */
	if (page->kind == PAGE_TARGETS)
		columns &= ~(COLUMN_BIT(COLUMN_PID) | COLUMN_BIT(COLUMN_VCPUS));
	return columns;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Shows a column if it fits. Pictures and meanings are less important than whole names. */
static bool show_column(struct column_layout *layout, int id, int *spare, int long_name)
{
	bool is_picture = column_types[id].widest > column_types[id].width;
	int kept = is_picture ? long_name - column_types[COLUMN_NAME].width : 0;
	int needed = column_types[id].width + GAP;

	if (needed + (kept > 0 ? kept : 0) > *spare)
		return false;
	*spare -= needed;
	layout->shown |= COLUMN_BIT(id);
	return true;
}

/* Returns the number of cells that are left. */
static int choose_columns(struct column_layout *layout, unsigned int chosen, size_t skipped,
			  int width, int long_name)
{
	/* In narrow terminals, these are more important than the columns before them. */
	static const enum column_id important[] = { COLUMN_RATE, COLUMN_VALUE };
	int id, spare = width - column_types[COLUMN_NAME].width;
	bool fits = true;
	size_t i;

	*layout = (struct column_layout){ .shown = COLUMN_BIT(COLUMN_NAME) };
	for (i = 0; fits && !skipped && i < ARRAY_SIZE(important); i++) {
		if (chosen & COLUMN_BIT(important[i]))
			fits = show_column(layout, (int)important[i], &spare, long_name);
	}
	/* A column after one that does not fit is hidden, too. */
	for (id = 0; fits && id < COLUMNS; id++) {
		if (!(chosen & ~layout->shown & COLUMN_BIT(id)))
			continue;
		if (skipped)
			skipped--;
		else
			fits = show_column(layout, id, &spare, long_name);
	}
	layout->hidden = (size_t)__builtin_popcount(chosen & ~layout->shown);
	return spare;
}

/* Names get the spare width first. Then all columns that can use it share it. */
static void use_spare_width(struct column_layout *layout, int spare, int long_name)
{
	bool used = true;
	size_t i;

	for (; spare > 0 && layout->place[0].width < long_name; spare--)
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
	/* One long name must not take the cells that the columns of all lines need. */
	int long_name = smaller(longest_name, column_types[COLUMN_NAME].widest), x = 0;
	struct column_layout layout;
	int spare, id;
	size_t i;

	/* The last cell is for the mark of columns that do not fit. */
	width -= width > NARROW;
	spare = choose_columns(&layout, chosen, skipped, width, long_name);
	for (id = 0; id < COLUMNS; id++) {
		if (layout.shown & COLUMN_BIT(id))
			layout.place[layout.places++] = (struct column_place){
				(enum column_id)id, 0, smaller(column_types[id].width, width) };
	}
	use_spare_width(&layout, spare, long_name);
	for (i = 0; i < layout.places; i++) {
		layout.place[i].x = x;
		x += layout.place[i].width + GAP;
	}
	return layout;
}

struct column_layout table_layout(const struct table *table, const struct page *page, int width)
{
	size_t longest = strlen(column_heading(COLUMN_NAME, page->kind)), i;

	/* The number of bytes is at least the number of cells. */
	for (i = 0; i < page->lines; i++) {
		size_t len = strlen(page->line[i]->name);

		longest = len > longest ? len : longest;
	}
	return column_layout(table_columns(table, page), table->skipped, width, (int)longest);
}

void table_skip(struct table *table, const struct page *page, int width)
{
	struct column_layout layout = table_layout(table, page, width);

	/* Without any further column, skip one, so that all can be reached. */
	if (layout.hidden == table->skipped)
		table->skipped = 0;
	else
		table->skipped += layout.places > 1 ? layout.places - 1 : 1;
}

const char *column_heading(enum column_id id, enum page_kind kind)
{
	static const char * const names[PAGE_KINDS] = { "Guest", "VM, vCPU", "Statistic", "From" };

	if (id == COLUMN_NAME)
		return names[kind];
	if (id == COLUMN_VALUE && kind == PAGE_HISTOGRAM)
		return "Samples";
	return column_types[id].heading;
}

/* ---- the order ---- */

bool order_parse(struct order *order, const char *name, struct message *why)
{
	int id = column_of_option(name);

	if (id < 0 || !column_types[id].key) {
		message_set(why, "--sort: no column that can be sorted is named '%s'", name);
		return message_advice(why, "Run 'kvm-stats top --help' for the names");
	}
	order->column = (enum column_id)id;
	return true;
}

/* Tables can be sorted by columns that are not on the screen. */
static bool can_sort(const struct table *table, const struct page *page, int id)
{
	unsigned int columns = page->kind < PAGE_STATISTICS ? ALL_COLUMNS :
			       table_columns(table, page);

	return page->kind != PAGE_HISTOGRAM && (columns & COLUMN_BIT(id)) && column_types[id].key;
}

void order_by(struct order *order, enum column_id id)
{
	order->reversed = order->column == id && !order->reversed;
	order->column = id;
}

bool order_by_key(struct order *order, const struct table *table, const struct page *page, int key)
{
	int id;

	for (id = 0; id < COLUMNS; id++) {
		if (column_types[id].key == key && can_sort(table, page, id)) {
			order_by(order, id);
			return true;
		}
	}
	return false;
}

void order_by_next(struct order *order, const struct table *table, const struct page *page, int by)
{
	int id = (int)order->column, i;

	for (i = 0; i < COLUMNS; i++) {
		id = (id + by + COLUMNS) % COLUMNS;
		if (can_sort(table, page, id) && (table_columns(table, page) & COLUMN_BIT(id))) {
			order_by(order, id);
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
	if (id == COLUMN_VCPUS)
		return !line->sum && line->number[id] <= 0;
	/* No limit, or no share */
	return (id == COLUMN_THROTTLED || id == COLUMN_SHARE) && line->number[id] < 0;
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
		snprintf(buf, CELL_SIZE, "%s", line->name);
		break;
	case COLUMN_STATE:
		snprintf(buf, CELL_SIZE, "%s", line->state);
		break;
	case COLUMN_VERDICT:
		snprintf(buf, CELL_SIZE, "%s", line->verdict);
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
	case COLUMN_BAR:	/* it is drawn */
		break;
	default:
		put_number(buf, id, line, width);
	}
}
