// SPDX-License-Identifier: GPL-2.0-only
/* Test the columns of the table of guests: layout, format, order, kinds of exits, history. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "tap.h"
#include "top/column_layout.h"
#include "top/columns.h"
#include "top/exits.h"
#include "top/history.h"

static void text_is(const char *found, const char *expected, const char *what)
{
	if (!tap_ok(!strcmp(found, expected), "%s: '%s'", what, expected))
		printf("# found '%s'\n", found);
}

/* ---- layout ---- */

static int end_of(const struct column_layout *layout)
{
	const struct column_place *last = &layout->place[layout->places - 1];

	return last->x + last->width;
}

static bool shows(const struct column_layout *layout, enum column_id id)
{
	size_t i;

	for (i = 0; i < layout->places; i++) {
		if (layout->place[i].id == id)
			return true;
	}
	return false;
}

static void test_widths(void)
{
	struct column_layout layout;
	bool good = true;
	int width;

	for (width = 1; width < 400; width++) {
		layout = column_layout(ALL_COLUMNS, 0, width, 30);
		good &= end_of(&layout) <= width && layout.place[0].id == COLUMN_NAME;
		good &= layout.places + layout.hidden == COLUMNS_OF_TABLE;
	}
	tap_ok(good, "the columns fit in any width, and all of them are shown or counted");
	layout = column_layout(DEFAULT_COLUMNS & ~COLUMN_BIT(COLUMN_MISSING), 0, 80, 12);
	tap_ok(shows(&layout, COLUMN_EXITS) && shows(&layout, COLUMN_HISTORY),
	       "80 cells show the exits and their history");
	layout = column_layout(DEFAULT_COLUMNS, 0, 80, 12);
	tap_ok(shows(&layout, COLUMN_EXITS) && shows(&layout, COLUMN_MISSING),
	       "80 cells show the exits and what cannot be read");
	layout = column_layout(DEFAULT_COLUMNS & ~COLUMN_BIT(COLUMN_MISSING), 0, 140, 12);
	tap_ok(!layout.hidden && !layout.wide, "140 cells show all columns");
	layout = column_layout(COLUMN_BIT(COLUMN_CPU), 0, 80, 70);
	tap_is(layout.place[0].width, 70, "a long name is not cut next to empty space");
	layout = column_layout(DEFAULT_COLUMNS, 0, 300, 12);
	tap_ok(layout.wide && end_of(&layout) > 260, "300 cells have long headings and are used");
}

static void test_more_columns(void)
{
	struct column_layout layout;
	unsigned int seen = 0;
	size_t skipped = 0;
	size_t i;
	int turns = 0;

	do {
		layout = column_layout(ALL_COLUMNS, skipped, 60, 12);
		for (i = 0; i < layout.places; i++)
			seen |= COLUMN_BIT(layout.place[i].id);
		skipped = column_layout_next(ALL_COLUMNS, skipped, 60);
	} while (skipped && ++turns < 20);
	tap_ok(seen == ALL_COLUMNS && !skipped, "all columns can be reached in 60 cells");
	for (turns = 0, skipped = 0; turns < 100; turns++) {
		skipped = column_layout_next(ALL_COLUMNS, skipped, 14);
		if (!skipped)
			break;
	}
	tap_ok(!skipped, "in a screen too small for two columns the search for more ends");
	tap_is((long long)column_layout_next(ALL_COLUMNS, 0, 400), 0,
	       "if all columns fit, there are no more");
}

/* ---- cells ---- */

static const char *cell(enum column_id id, const struct table_line *line, int width)
{
	static char buf[CELL_SIZE];
	struct column_context context = { .now = 100 * SECOND };

	column_format(buf, id, line, width, &context);
	return buf;
}

static void test_cells(void)
{
	struct history history = { 0 };
	struct table_line line = { .name = "web", .pid = 42, .history = &history };

	figures_clear(&line.figures);
	text_is(cell(COLUMN_CPU, &line, 6), "-", "an unknown figure is a dash");
	text_is(cell(COLUMN_VCPUS, &line, 6), "", "a line without vCPUs has no number of vCPUs");
	text_is(cell(COLUMN_KINDS, &line, 30), "", "without exits there are no kinds of exits");
	line.figures.cpu = 123.45;
	line.figures.exits = 1234567;
	line.figures.memory = 1.5 * 1024 * 1024 * 1024;
	line.figures.kind[0] = (struct exit_kind){ "io", 1200 };
	line.figures.kind[1] = (struct exit_kind){ "halt", 3 };
	text_is(cell(COLUMN_CPU, &line, 6), "123", "a percentage is rounded");
	text_is(cell(COLUMN_EXITS, &line, 5), "1234k", "a rate is shortened to its column");
	text_is(cell(COLUMN_MEMORY, &line, 8), "1.5GiB", "memory has a unit");
	text_is(cell(COLUMN_KINDS, &line, 30), "io 1200, halt 3.0",
		"the most frequent kinds of exits are listed");
	text_is(cell(COLUMN_KINDS, &line, 10), "io 1200",
		"the second kind is omitted if it does not fit");
}

static void test_order(void)
{
	struct table_line a = { .name = "vcpu10" }, b = { .name = "vcpu2" };

	tap_ok(column_compare(COLUMN_NAME, &a, &b) > 0, "numbers in names are sorted by value");
	a.figures.exits = -1;
	tap_ok(column_compare(COLUMN_EXITS, &a, &b) < 0, "an unknown figure is less than 0");
}

static void test_load(void)
{
	struct table_line line = { .vcpus = 4 };

	line.figures.cpu = 200;
	tap_is(column_load(COLUMN_CPU, &line), LOAD_NORMAL, "2 of 4 vCPUs are a normal load");
	line.figures.cpu = 380;
	tap_is(column_load(COLUMN_CPU, &line), LOAD_CRITICAL, "all vCPUs are a critical load");
	line.figures.waiting = 6;
	tap_is(column_load(COLUMN_WAITING, &line), LOAD_HIGH, "waiting for a CPU is a high load");
}

static void test_columns(void)
{
	bool unique = true;
	int i, j;

	for (i = 0; i < COLUMNS_OF_TABLE; i++) {
		for (j = 0; j < i; j++)
			unique &= strcmp(column_types[i].option, column_types[j].option) &&
				  (!column_types[i].key ||
				   column_types[i].key != column_types[j].key);
		unique &= column_of_option(column_types[i].option,
					   strlen(column_types[i].option)) == i;
	}
	tap_ok(unique, "each column has a name and a key of its own");
	tap_is(column_of_key('x'), -1, "a key without a column is reported");
	tap_is(column_of_key(0), -1, "columns without an order have no key");
}

/* ---- exits ---- */

static void test_kinds(void)
{
	static const struct {
		const char *stat;
		const char *kind;	/* NULL: not a kind of exits */
	} stats[] = {
		{ "io_exits", "io" }, { "irq_window_exits", "irq_window" }, { "exits", NULL },
		{ "sum_exits", NULL }, { "mmio_exit_user", "mmio_user" },
		{ "hvc_exit_stat", "hvc" }, { "exit_instruction", "instruction" },
		{ "exit_io", "io" }, { "exit_io_ns", NULL },
		{ "kvm_exit", NULL }, { "kvm_exit(HLT)", "HLT" }, { "kvm_entry", NULL },
		{ "pf_taken", "pf_taken" }, { "pf_fixed", NULL }, { "hypercalls", "hypercalls" },
		{ "kvm_userspace_exit", NULL }, { "halt_wakeup", NULL },
	};
	char name[EXIT_NAME_SIZE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stats); i++) {
		const char *kind = exit_kind_name(name, stats[i].stat) ? name : "none";
		const char *expected = stats[i].kind ? stats[i].kind : "none";

		tap_ok(!strcmp(kind, expected), "the kind of exits in %s is %s", stats[i].stat,
		       expected);
	}
}

static void test_tally(void)
{
	struct exit_tally sum = { 0 };
	struct exit_tally one = {
		.exits = 10, .has_exits = true, .polls = 4, .good_polls = 1, .kinds = 2,
		.kind = { { "io", 2 }, { "halt", 8 } },
	};
	struct figures figures;

	exit_tally_add_tally(&sum, &one);
	one.kind[0] = (struct exit_kind){ "mmio", 30 };
	exit_tally_add_tally(&sum, &one);
	sum.run_delay = 0.3e9;
	sum.vcpus = 2;
	figures_clear(&figures);
	figures.guest = 50;
	figures.kernel = 10;
	figures.user = 5;
	figures.waiting = 1;
	figures_set_exits(&figures, &sum);
	tap_ok(fabs(figures.waiting - 15) < 0.001,
	       "the run delay of vCPUs replaces the waiting time of /proc");
	tap_ok(fabs(figures.halted - 20) < 0.001, "the rest of the time is halted");
	tap_ok(fabs(figures.exits - 20) < 0.001, "exits are added up");
	tap_ok(fabs(figures.polls - 25) < 0.001, "the success of halt polling is a percentage");
	tap_ok(figures.faults < 0, "a statistic that does not exist is unknown");
	tap_ok(!strcmp(figures.kind[0].name, "mmio") && !strcmp(figures.kind[1].name, "halt") &&
	       fabs(figures.kind[1].rate - 16) < 0.001, "the most frequent kinds are first");
}

/* ---- history ---- */

static const char *drawn(const struct history *history, uint64_t second, int cells)
{
	static char buf[256];

	history_draw(buf, sizeof(buf), history, second * SECOND, cells, false);
	return buf;
}

static void test_history(void)
{
	struct history history = { 0 };

	text_is(drawn(&history, 100, 6), "      ", "an empty history is blank");
	history_add(&history, 60 * SECOND, 80 * SECOND, 70);
	history_add(&history, 80 * SECOND, 100 * SECOND, 0);
	text_is(drawn(&history, 100, 6), "  ##__", "a sample fills all of its seconds");
	text_is(drawn(&history, 120, 6), "##__  ", "the history moves with the time");
	history_add(&history, 110 * SECOND, 120 * SECOND, 70);
	text_is(drawn(&history, 120, 6), "##__ #", "a pause is blank");
	text_is(drawn(&history, 500, 6), "      ", "an old history is blank");
	history_add(&history, 400 * SECOND, 500 * SECOND, 7);
	text_is(drawn(&history, 500, 6), "######", "a long interval fills the whole minute");
	history_add(&history, 500 * SECOND, 500 * SECOND + 1, 14);
	history_add(&history, 500 * SECOND + 1, 500 * SECOND + 2, 28);
	tap_ok(fabs(history_mean(&history, 500 * SECOND, 59, 60) - 28) < 0.001,
	       "of several samples in a second the last one counts");
	tap_ok(fabs(history_mean(&history, 500 * SECOND, 58, 60) - 7) < 0.001,
	       "the other seconds do not change");
}

int main(void)
{
	test_widths();
	test_more_columns();
	test_cells();
	test_order();
	test_load();
	test_columns();
	test_kinds();
	test_tally();
	test_history();
	return tap_end();
}
