// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how top formats numbers and text, chooses columns, sorts and scrolls lines, and edits the
 * answer to a prompt.
 */
#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "fake_host.h"
#include "options.h"
#include "sums.h"
#include "tap.h"
#include "top/screen.h"
#include "top/view.h"
#include "util.h"

/* ---- numbers ---- */

static void test_numbers(void)
{
	static const struct {
		enum unit unit;
		double number;
		int width;
		const char *text;
	} cases[] = {
		{ UNIT_COUNT, 0, 5, "0" },
		{ UNIT_COUNT, 99999, 5, "99999" },
		{ UNIT_COUNT, 100000, 5, "100k" },
		{ UNIT_COUNT, 12345678, 6, "12345k" },
		{ UNIT_COUNT, 12345678, 5, "12M" },
		{ UNIT_COUNT, 0x1p64, 20, "18446744073709551615" },
		{ UNIT_COUNT, 0x1p64, 13, "18446744073G" },
		{ UNIT_COUNT, 0x1p64, 1, "18E" },
		{ UNIT_RATE, 0, 9, "0" },
		{ UNIT_RATE, 0.01, 9, "<0.1" },
		{ UNIT_RATE, 0.05, 9, "0.1" },
		{ UNIT_RATE, 9.94, 9, "9.9" },
		{ UNIT_RATE, 9.96, 9, "10" },
		{ UNIT_RATE, 10.5, 9, "11" },
		{ UNIT_RATE, 1e10, 9, "10000000k" },
		{ UNIT_PERCENT, 12.34, 5, "12.3" },
		{ UNIT_PERCENT, 99.96, 5, "100" },
	};
	char buf[NUMBER_SIZE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		number_put(buf, cases[i].unit, cases[i].number, cases[i].width);
		tap_text(buf, cases[i].text, "a number is formatted for its column");
	}
}

static const struct kvmstats_desc descs[] = {
	{ .name = "ns", .type = KVMSTATS_TYPE_CUMULATIVE,
	  .unit = KVMSTATS_UNIT_SECONDS, .exponent = -9, .size = 1 },
	{ .name = "mib", .type = KVMSTATS_TYPE_CUMULATIVE,
	  .unit = KVMSTATS_UNIT_BYTES, .base = KVMSTATS_BASE_POW2, .exponent = 20, .size = 1 },
	{ .name = "wait_hist", .type = KVMSTATS_TYPE_LOG_HIST,
	  .unit = KVMSTATS_UNIT_SECONDS, .exponent = -9, .size = 40 },
	{ .name = "size_hist", .type = KVMSTATS_TYPE_LINEAR_HIST, .size = 4, .bucket_size = 10 },
	{ .name = "exits", .type = KVMSTATS_TYPE_CUMULATIVE, .size = 1 },
};

static void test_amounts(const struct kvmstats_schema *schema)
{
	static const struct {
		const char *stat;
		double value;
		const char *text;
	} cases[] = {
		{ "ns", 0, "0s" }, { "ns", 1, "1ns" }, { "ns", 0.25, "0.25ns" },
		{ "ns", 999, "999ns" }, { "ns", 1000, "1us" }, { "ns", 1024, "1.02us" },
		{ "ns", 12345, "12.3us" }, { "ns", 999499, "999us" }, { "ns", 999600, "1ms" },
		{ "ns", 37e6, "37ms" }, { "ns", 1.5e9, "1.5s" }, { "ns", 123456e9, "123456s" },
		{ "mib", 1, "1MiB" }, { "mib", 1536, "1.5GiB" }, { "mib", 1023, "1023MiB" },
	};
	char buf[NUMBER_SIZE];
	double factor;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_find(schema, cases[i].stat);

		enum unit unit = number_unit_of(stat, &factor);

		number_put(buf, unit, cases[i].value * factor, 0);
		tap_text(buf, cases[i].text, "an amount is formatted with its unit");
	}
	tap_is(number_unit_of(kvmstats_schema_find(schema, "exits"), &factor), UNIT_COUNT,
	       "a number of events has no unit");
}

/* ---- histograms ---- */

/* Makes the bars of one statistic. */
static void make_bars(struct page *page, const struct kvmstats_stat *stat, uint64_t *values,
		      uint64_t *deltas)
{
	struct total total = { .name = kvmstats_stat_name(stat), .stat = stat, .present = true,
			       .size = kvmstats_stat_size(stat), .values = values,
			       .deltas = deltas };
	struct total *all[] = { &total };
	struct totals totals = { .total = all, .totals = 1 };
	const struct sampler sampler = { .totals = totals };

	snprintf(page->stat, sizeof(page->stat), "%s", total.name);
	page_begin(page);
	stat_page_update_histogram(page, &sampler);
	page_finish(page, NULL, (struct order){ COLUMN_BAR, false });
}

static void test_bars(const struct kvmstats_schema *schema)
{
	const struct kvmstats_stat *waits = kvmstats_schema_find(schema, "wait_hist");
	uint64_t values[40] = { [11] = 50, [12] = 40, [15] = 10 };
	uint64_t deltas[40] = { [12] = 7 };
	struct page page = { .kind = PAGE_HISTOGRAM };

	make_bars(&page, waits, values, deltas);
	tap_is(page.lines, 5, "there are bars from the first to the last bucket that is not 0");
	tap_text(page.line[0]->name, "1.02us", "the lower bound of the first bar is correct");
	tap_text(page.line[0]->below, "2.05us", "the upper bound of the first bar is correct");
	tap_is(page.line[1]->added, 7, "a bar has the number of new samples");
	tap_text(page.summary, "100 samples, 7 new; p50 < 2.05us, p99 < 32.8us",
		 "samples are counted, and percentiles found");
	memset(values, 0, sizeof(values));
	values[39] = 1;
	make_bars(&page, waits, values, deltas);
	tap_ok(page.lines == 1 && !*page.line[0]->below, "the last bucket has no upper bound");
	tap_text(page.line[0]->name, "275s", "the lower bound of the last bucket is correct");
	values[39] = 0;
	make_bars(&page, waits, values, deltas);
	tap_ok(!page.lines && !*page.summary, "an empty histogram has no bars");
	values[1] = 3;
	make_bars(&page, kvmstats_schema_find(schema, "size_hist"), values, deltas);
	tap_is(page.lines, 1, "bars of a linear histogram are made");
	tap_text(page.line[0]->name, "10", "the lower bound of a bar without a unit is correct");
	page_free(&page);
}

/* ---- statistics ---- */

struct event {
	const char *name;
	uint64_t value;
	uint64_t rate;
};

#define MAX_EVENTS	64

/* Makes a page of statistics that are all alike. */
static void make_events(struct page *page, const struct event *event, size_t events,
			enum column_id column)
{
	size_t i;

	page_begin(page);
	for (i = 0; i < events; i++) {
		struct line *line = page_line(page, &page->scope, event[i].name);

		strcpy(line->name, event[i].name);
		line->number[COLUMN_VALUE] = (double)event[i].value;
		line->number[COLUMN_RATE] = (double)event[i].rate;
	}
	page_finish(page, NULL, (struct order){ column, false });
}

static void order_is(const struct page *page, const char *expected, const char *what)
{
	char found[512] = "";
	size_t i;

	for (i = 0; i < page->lines; i++) {
		strcat(found, *found ? " " : "");
		strcat(found, page->line[i]->name);
	}
	tap_text(found, expected, what);
}

static void test_order(void)
{
	static const struct event events[] = {
		{ "slow", 500, 1 }, { "fast", 100, 50 }, { "b_still", 150, 0 },
		{ "a_still", 150, 0 },
	};
	static const struct event names[] = { { "vcpu10", 1, 0 }, { "vcpu2", 1, 0 } };
	struct page page = { .kind = PAGE_STATISTICS };

	make_events(&page, events, ARRAY_SIZE(events), COLUMN_RATE);
	order_is(&page, "fast slow a_still b_still", "lines are sorted by rate");
	page.selected = page.line[0];
	make_events(&page, events, ARRAY_SIZE(events), COLUMN_VALUE);
	order_is(&page, "slow a_still b_still fast", "lines are sorted by total");
	tap_is(page.at, 3, "the cursor stays on its line when the order changes");
	make_events(&page, names, 2, COLUMN_RATE);
	tap_ok(page.at == 1 && page.selected == page.line[1],
	       "if the line of the cursor ends, it moves to the last one");
	order_is(&page, "vcpu2 vcpu10",
		 "equal lines are sorted by name, and numbers in names by value");
	make_events(&page, NULL, 0, COLUMN_RATE);
	tap_ok(!page.lines, "an empty page works");
	page_free(&page);
}

/* The page grows while the cursor is on one of its lines. */
static void test_more_lines(void)
{
	struct event events[MAX_EVENTS] = { 0 };
	struct page page = { .kind = PAGE_STATISTICS };
	char name[MAX_EVENTS][8];
	size_t i;

	for (i = 0; i < MAX_EVENTS; i++) {
		snprintf(name[i], sizeof(name[i]), "e%zu", i);
		events[i] = (struct event){ name[i], i + 1, 0 };
	}
	make_events(&page, events, 2, COLUMN_VALUE);
	page.selected = page.line[1];
	make_events(&page, events, MAX_EVENTS, COLUMN_VALUE);
	tap_ok(page.lines == MAX_EVENTS && page.line[page.at] == page.selected &&
	       !strcmp(page.selected->name, "e0"),
	       "the cursor stays on its line while lines are added");
	page_free(&page);
}

/* KVM adds to a time when it ends. */
static void test_intervals(void)
{
	double longer[TIME_PARTS] = { [TIME_GUEST] = 50, [TIME_HALTED] = 125 };
	double shorter[TIME_PARTS] = { [TIME_GUEST] = 25 };

	fit_interval(longer, false);
	tap_ok(fabs(longer[TIME_HALTED] - 50) < 0.001 && fabs(longer[TIME_GUEST] - 50) < 0.001,
	       "time from before the interval does not count");
	fit_interval(shorter, false);
	tap_ok(fabs(shorter[TIME_HALTED]) < 0.001, "time that KVM has not added yet is unknown");
	fit_interval(shorter, true);
	tap_ok(fabs(shorter[TIME_HALTED] - 75) < 0.001,
	       "the rest of the interval is halted if the vCPU is");
}

/* ---- columns ---- */

#define CHOICES	(LAST_CHOICE - FIRST_CHOICE + 1)

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
		good &= layout.places + layout.hidden == CHOICES + 1;
	}
	tap_ok(good, "the columns fit in any width, and all of them are shown or counted");
	layout = column_layout(DEFAULT_COLUMNS, 0, 80, 12);
	tap_ok(shows(&layout, COLUMN_STATE) && shows(&layout, COLUMN_THROTTLED) &&
	       shows(&layout, COLUMN_EXITS), "80 cells show the state, all times and the exits");
	layout = column_layout(DEFAULT_COLUMNS, 0, 155, 12);
	tap_ok(!layout.hidden, "155 cells show all columns");
	layout = column_layout(DEFAULT_COLUMNS, 0, 300, 500);
	tap_is(layout.place[0].width, 36, "a name of 500 characters does not take 500 cells");
	layout = column_layout(DEFAULT_COLUMNS, 0, 80, 500);
	tap_ok(layout.place[0].width == 12 && shows(&layout, COLUMN_EXITS),
	       "in 80 cells, a long name takes none from the columns of all lines");
	layout = column_layout(COLUMN_BIT(COLUMN_NAME) | COLUMN_BIT(COLUMN_CPU), 0, 80, 30);
	tap_is(layout.place[0].width, 30, "a name is not cut next to empty space");
	layout = column_layout(COLUMN_BIT(COLUMN_NAME) | COLUMN_BIT(COLUMN_VALUE) |
			       COLUMN_BIT(COLUMN_SHARE) | COLUMN_BIT(COLUMN_RATE), 0, 30, 12);
	tap_ok(shows(&layout, COLUMN_RATE) && !shows(&layout, COLUMN_VALUE),
	       "in 30 cells, the rate is more important than the value");
	layout = column_layout(DEFAULT_COLUMNS, 0, 300, 12);
	tap_ok(end_of(&layout) > 200, "300 cells are used");
}

/* Each heading fits, and none is below the mark of hidden columns. */
static void test_headings(void)
{
	struct table table = { .has_values = true };
	bool good = table_choose(&table, NULL, NULL);
	struct page page = { 0 };
	size_t i;
	int width;

	for (width = 40; width < 200; width++) {
		struct column_layout layout = table_layout(&table, &page, width);

		good &= !layout.hidden || end_of(&layout) < width;
		for (i = 0; i < layout.places; i++) {
			const struct column_place *place = &layout.place[i];

			good &= (int)strlen(column_heading(place->id, PAGE_GUESTS)) <= place->width;
		}
	}
	tap_ok(good, "no heading is cut from 40 to 200 cells");
}

static void test_no_values(void)
{
	struct table table = { 0 };
	struct page page = { .kind = PAGE_GUESTS };
	struct column_layout layout;

	table_choose(&table, NULL, NULL);
	layout = table_layout(&table, &page, 80);
	tap_ok(!layout.hidden && shows(&layout, COLUMN_WAITING) &&
	       shows(&layout, COLUMN_THROTTLED) && shows(&layout, COLUMN_MEMORY),
	       "without statistics, 80 cells show all that /proc has");
	tap_ok(!shows(&layout, COLUMN_EXITS) && !shows(&layout, COLUMN_HISTORY),
	       "without statistics, no column of them is shown");
}

static void test_more_columns(void)
{
	struct table table = { .columns = ALL_COLUMNS, .has_values = true };
	struct page page = { .kind = PAGE_GUESTS };
	struct column_layout layout;
	unsigned int seen = 0;
	int turns = 0;
	size_t i;

	do {
		layout = table_layout(&table, &page, 60);
		for (i = 0; i < layout.places; i++)
			seen |= COLUMN_BIT(layout.place[i].id);
		table_skip(&table, &page, 60);
	} while (table.skipped && ++turns < 20);
	tap_ok(seen == ALL_COLUMNS && !table.skipped, "all columns can be reached in 60 cells");
	for (turns = 0; turns < 100; turns++) {
		table_skip(&table, &page, 14);
		if (!table.skipped)
			break;
	}
	tap_ok(!table.skipped, "in a screen too small for two columns the search for more ends");
	table_skip(&table, &page, 400);
	tap_ok(!table.skipped, "if all columns fit, there are no more");
}

static const char *cell(enum column_id id, const struct line *line, int width)
{
	static char buf[CELL_SIZE];

	column_text(buf, id, line, width);
	return buf;
}

static void test_cells(void)
{
	struct line line = { .name = "web", .meaning = "", .state = "" };
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		line.number[i] = -1;
	tap_text(cell(COLUMN_CPU, &line, 6), "-", "an unknown number is a dash");
	tap_text(cell(COLUMN_VCPUS, &line, 6), "", "a line without vCPUs has no number of vCPUs");
	tap_text(cell(COLUMN_THROTTLED, &line, 6), "", "a guest without a limit is not throttled");
	tap_text(cell(COLUMN_KINDS, &line, 30), "", "without exits there are no kinds of exits");
	line.number[COLUMN_CPU] = 123.45;
	line.number[COLUMN_EXITS] = 1234567;
	line.number[COLUMN_MEMORY] = 1.5 * 1024 * 1024 * 1024;
	line.number[COLUMN_VALUE] = 0x1p64;
	line.kind[0] = (struct exit_kind){ "io", 1200, 0 };
	line.kind[1] = (struct exit_kind){ "halt", 3, 0 };
	tap_text(cell(COLUMN_CPU, &line, 6), "123", "a percentage is rounded");
	tap_text(cell(COLUMN_EXITS, &line, 5), "1234k", "a rate is shortened to its column");
	tap_text(cell(COLUMN_MEMORY, &line, 8), "1.5GiB", "memory has a unit");
	tap_text(cell(COLUMN_VALUE, &line, 20), "18446744073709551615", "the largest value fits");
	tap_text(cell(COLUMN_KINDS, &line, 30), "io 1200, halt 3.0",
		 "the most frequent kinds of exits are listed");
	tap_text(cell(COLUMN_KINDS, &line, 10), "io 1200",
		 "the second kind is omitted if it does not fit");
}

static void test_columns(void)
{
	bool unique = true;
	int i, j;

	for (i = FIRST_CHOICE; i <= LAST_CHOICE; i++) {
		for (j = FIRST_CHOICE; j < i; j++)
			unique &= strcmp(column_types[i].option, column_types[j].option) &&
				  (!column_types[i].key ||
				   column_types[i].key != column_types[j].key);
		unique &= column_of_option(column_types[i].option) == i;
	}
	tap_ok(unique, "each column has a name and a key of its own");
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
		{ "pf_taken", "pf_taken" }, { "pf_fixed", NULL }, { "hypercalls", "hypercalls" },
		{ "halt_wakeup", NULL }, { "thread_runtime_ns", NULL },
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

/* ---- history ---- */

static void test_history(void)
{
	struct history history = { 0 };
	char buf[CELL_SIZE];
	uint64_t i;

	history_draw(buf, &history, 6);
	tap_text(buf, "      ", "an empty history is blank");
	history_add(&history, 1, 2, 70);
	history_add(&history, 2, 3, 0);
	history_add(&history, 2, 3, 35);
	history_draw(buf, &history, 6);
	tap_text(buf, "    #=", "an update of the last sample replaces its rate");
	history_add(&history, 5, 6, 70);
	history_draw(buf, &history, 6);
	tap_text(buf, "  #= #", "samples that are missing are a gap");
	history_add(&history, 6, 7, 7);
	history_draw(buf, &history, 1);
	tap_text(buf, "#", "the highest rate on the screen has the highest character");
	history_add(&history, 4, 5, 7);
	history_draw(buf, &history, 6);
	tap_text(buf, "     #", "a step back in a recording forgets later samples");
	for (i = 0; i < HISTORY_SAMPLES; i++)
		history_add(&history, 7 + i, 8 + i, 0);
	history_draw(buf, &history, 6);
	tap_text(buf, "______", "old samples are forgotten");
}

static void test_scrolling(void)
{
	tap_is(first_of_rows(0, 5, 100, 10), 0, "selecting a visible line does not scroll");
	tap_is(first_of_rows(0, 10, 100, 10), 1,
	       "selecting the line below the last one scrolls by one line");
	tap_is(first_of_rows(50, 20, 100, 10), 20,
	       "a selected line above the first one becomes the first");
	tap_is(first_of_rows(95, 99, 100, 10), 90, "the last screen is full");
	tap_is(first_of_rows(3, 3, 4, 0), 3, "without rows the selected line is the first one");
}

/* ---- text ---- */

static void test_utf8(void)
{
	char buf[64];

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		tap_report(TAP_SKIP, "", "text in UTF-8", "no locale C.UTF-8");
		return;
	}
	number_put(buf, UNIT_SECONDS, 0.000002048, 0);
	tap_text(buf, "2.05µs", "microseconds are formatted in UTF-8");
	tap_is(screen_fit(buf, sizeof(buf), "größe", 10), 5,
	       "the width of UTF-8 text is counted in cells, not bytes");
	tap_is(screen_fit(buf, sizeof(buf), "größe", 4), 4,
	       "UTF-8 text is truncated to a number of cells");
	tap_text(buf, "grö…", "UTF-8 text is truncated between characters, before an ellipsis");
	tap_is(screen_fit(buf, sizeof(buf), "größe", 5), 5, "text that fits has no ellipsis");
	tap_is(screen_fit(buf, sizeof(buf), "語語", 3), 3,
	       "the ellipsis replaces a wide character");
	tap_is(screen_fit(buf, sizeof(buf), "a\xff\x1b[0m", 10), 6,
	       "an unprintable byte takes one cell");
	tap_text(buf, "a??[0m", "unprintable bytes are replaced");
	tap_is(screen_fit(buf, 4, "größe", 10), 2,
	       "text is truncated between characters if the buffer is too short");
}

static void test_ascii(void)
{
	char buf[64];

	setlocale(LC_CTYPE, "C");
	tap_is(screen_fit(buf, sizeof(buf), "a\xc3\xbc", 10), 3,
	       "in the locale C each byte takes one cell");
	tap_text(buf, "a??", "in the locale C other bytes than ASCII are replaced");
	screen_fit(buf, sizeof(buf), "abcdef", 4);
	tap_text(buf, "abc+", "in the locale C, '+' marks text that is truncated");
	tap_is(screen_fit(buf, sizeof(buf), "", 0), 0, "empty text takes no cells");
}

/* ---- prompts ---- */

static void type(struct prompt *prompt, const char *text)
{
	while (*text)
		prompt_key(prompt, (unsigned char)*text++);
}

static void test_prompt(void)
{
	struct prompt prompt;
	int i;

	prompt_begin(&prompt, PROMPT_SEARCH, "");
	type(&prompt, "exitsü");
	prompt_key(&prompt, KEY_BACKSPACE);
	tap_text(prompt.text, "exits", "Backspace deletes a character of several bytes");
	prompt_key(&prompt, 'U' & 0x1f);
	tap_text(prompt.text, "", "^U deletes the whole line");
	prompt_key(&prompt, KEY_BACKSPACE);
	prompt_key(&prompt, KEY_UP);
	tap_text(prompt.text, "", "Backspace and Up have no effect in an empty line");
	for (i = 0; i < 1000; i++)
		prompt_key(&prompt, 'x');
	tap_is((long long)strlen(prompt.text), PROMPT_SIZE - 1,
	       "the length of the line is limited");
	prompt_begin(&prompt, PROMPT_FILTER, "web");
	prompt_key(&prompt, KEY_END);
	prompt_key(&prompt, 'x');
	tap_text(prompt.text, "webx", "a prompt starts with an answer that can be edited");
	prompt_begin(&prompt, PROMPT_INTERVAL, "3");
	prompt_key(&prompt, '0');
	prompt_key(&prompt, '.');
	prompt_key(&prompt, '5');
	tap_text(prompt.text, "0.5", "the first character replaces the answer");
	prompt_begin(&prompt, PROMPT_FILTER, "web");
	type(&prompt, "db");
	tap_text(prompt.text, "db", "also that of the filter");
}

static void test_scopes(void)
{
	struct vmm two = { .id = 2 };
	struct target target = { .vmm = &two, .label = "vcpu0" }, *targets[] = { &target };
	struct vmm *vmms[] = { &two };
	const struct monitor monitor = { .vmm = vmms, .vmms = 1 };
	struct top_scope scope = { .vmm = 1 };

	two.target = targets;
	two.targets = 1;
	tap_ok(!scope_selects(&target, &scope) && scope_has_ended(&scope, &monitor),
	       "a page of another VMM does not show this one");
	scope.vmm = 2;
	tap_ok(scope_selects(&target, &scope) && !scope_has_ended(&scope, &monitor),
	       "a page of a VMM shows its vCPUs");
	strcpy(scope.label, "vcpu0");
	tap_ok(scope_target(&scope, &monitor) == &target, "a page of a vCPU shows it");
	strcpy(scope.label, "vcpu1");
	tap_ok(!scope_selects(&target, &scope) && scope_has_ended(&scope, &monitor),
	       "a page of another vCPU does not");
	scope = (struct top_scope){ 0 };
	tap_ok(!scope_has_ended(&scope, &monitor), "the page of all guests has no end");
}

/* ---- the whole screen, of a fake host ---- */

static const struct fake_stat fake_vm_stats[] = {
	{ "remote_tlb_flush", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0 },
};

#define COUNTER_NS	(KVM_STATS_TYPE_CUMULATIVE | KVM_STATS_UNIT_SECONDS)
#define INSTANT_NS	(KVM_STATS_TYPE_INSTANT | KVM_STATS_UNIT_SECONDS)

/* In each second, a vCPU gains @rate, or has @rate if that is not a counter. */
static const struct {
	struct fake_stat stat;
	uint64_t rate;
} fake_vcpu[] = {
	{ { "exits", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0 }, 1100 },
	{ { "exit_io", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0 }, 1000 },
	{ { "exit_io_ns", COUNTER_NS, -9, 1, 0 }, 40000000 },
	{ { "exit_cpuid", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0 }, 100 },
	{ { "exit_cpuid_ns", COUNTER_NS, -9, 1, 0 }, 10000000 },
	{ { "guest_ns", COUNTER_NS, -9, 1, 0 }, 400000000 },
	{ { "userspace_ns", COUNTER_NS, -9, 1, 0 }, 50000000 },
	{ { "halted_ns", COUNTER_NS, -9, 1, 0 }, 400000000 },
	{ { "run_delay_ns", COUNTER_NS, -9, 1, 0 }, 100000000 },
	{ { "thread_rq_clock_ns", INSTANT_NS, -9, 1, 0 }, 9400000000 },
	{ { "thread_last_arrival_ns", INSTANT_NS, -9, 1, 0 }, 1000000000 },
	{ { "thread_last_queued_ns", INSTANT_NS, -9, 1, 0 }, 7000000000 },
};

static void sample_fake_host(struct view *view, struct fake_host *host, uint64_t seconds)
{
	struct sampler *sampler = &view->sampler;
	uint64_t value[ARRAY_SIZE(fake_vcpu)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fake_vcpu); i++)
		value[i] = fake_vcpu[i].rate * (i < ARRAY_SIZE(fake_vcpu) - 3 ? seconds : 1);
	fake_host_vm(host, 1, 4711, NULL);
	fake_host_vcpu(host, 1, 0, value);
	value[ARRAY_SIZE(fake_vcpu) - 1] = 0;	/* it is not in a queue */
	fake_host_vcpu(host, 1, 1, value);
	fake_host_sample(host);
	sampler->monitor = host->monitor;
	sampler->exits.state = EXITS_ON;
	view->table.has_values = true;
	view_update(view);
}

/* Whether a line of the screen matches the extended regular expression. */
static bool screen_has(const char *expression)
{
	char text[2048];
	regex_t regex;
	bool has = false;
	int y;

	if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB))
		return false;
	for (y = 0; y < LINES && !has; y++) {
		mvinnstr(y, 0, text, sizeof(text) - 1);
		has = !regexec(&regex, text, 0, NULL, 0);
	}
	regfree(&regex);
	return has;
}

static void shows_line(const struct view *view, const char *expression, const char *what)
{
	char text[2048];
	int y;

	draw_view(view);
	if (tap_ok(screen_has(expression), "%s", what))
		return;
	for (y = 0; y < LINES; y++) {
		mvinnstr(y, 0, text, sizeof(text) - 1);
		printf("# %s\n", text);
	}
}

static void enter_line(struct view *view, size_t at)
{
	page_select(view_page(view), (long)at);
	view_enter(view);
}

static void test_table(struct view *view)
{
	static const int widths[] = { 80, 120 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		resizeterm(24, widths[i]);
		shows_line(view, "^1 guest, 1 VM, 2 vCPUs .*the host file.*every 3 s",
			   "the summary fits");
	}
	resizeterm(24, 80);
	shows_line(view, "^Guest +PID vCPU State +CPU% Guest% Kern% Halt% Wait% Throt% Exits/s>",
		   "in 80 columns, no heading of the table is cut");
	shows_line(view, "^\\? +4711 +2 .* 40\\.0 +5\\.0 +40\\.0 +10\\.0 +2200",
		   "a guest has the times of KVM");
	table_skip(&view->table, view_page(view), 80);
	shows_line(view, " io 2000, ", "the most frequent exits are classes");
	view->table.skipped = 0;
}

static void test_times(struct view *view)
{
	size_t known;

	resizeterm(24, 140);
	enter_line(view, 0);
	shows_line(view, "^Time \\[G{2,}E+V+H{2,}W+ *\\]",
		   "the page of a guest shows where the time of its vCPUs goes");
	shows_line(view, "^     Guest 40\\.0%  Exits 5\\.0%  VMM 5\\.0%  Halted 40\\.0%  "
		   "Waiting 10\\.0% *$", "the legend has the parts");
	view_page(view)->times.sum[TALLY_TIMES + TIME_WAITING] -= 10;
	view_page(view)->times.sum[TALLY_TIMES + TIME_THROTTLED] += 10;
	resizeterm(24, 80);
	shows_line(view, "^     Guest .* Waiting 5\\.0% Throttled 5\\.0% *$",
		   "the time of a limit is apart, and the legend fits into 80 columns");
	tap_ok(screen_has("^Time .*WT+ *\\]$"), "the bar has a part of its own for it");
	resizeterm(24, 140);
	shows_line(view, "^io +2000 +4\\.0 +40µs  cpuid +200 +1\\.0 +100µs",
		   "the classes of exits have count, time and mean, most time first");
	shows_line(view, "^vcpu0 +waiting ", "a vCPU that waits for a CPU has this state");
	resizeterm(9, 140);
	shows_line(view, "^Time \\[", "in few rows, there is the bar");
	tap_ok(!screen_has("^Exits"), "in few rows, there are no classes");
	resizeterm(4, 140);
	view_notice(view, "a notice");
	shows_line(view, "^a notice *$", "in four rows, a notice has the bottom row for itself");
	view->notice.until = 0;
	resizeterm(24, 140);
	known = view_page(view)->times.known[TALLY_TIMES];
	view_page(view)->times.known[TALLY_TIMES] = 0;
	view->sampler.exits.state = EXITS_OFF;
	shows_line(view, "^Exit statistics are off\\. Run 'echo 1 >",
		   "the page says how to switch exit statistics on");
	view_page(view)->times.known[TALLY_TIMES] = known;
	view->sampler.exits.state = EXITS_ON;
	enter_line(view, 1);
	shows_line(view, ", vcpu0 · waits for a CPU for 2\\.4s · since VM creation",
		   "the page of a vCPU shows for how long it has been waiting");
	shows_line(view, "^exit_io_ns +[0-9.]+ms +40ms ", "it has the statistics of the vCPU");
	view_leave(view);
	enter_line(view, 2);
	draw_view(view);
	tap_ok(!screen_has("waits for"), "a vCPU that does not wait does not say so");
	view_leave(view);
	view_leave(view);
}

static void test_states(struct view *view)
{
	resizeterm(24, 80);
	view->sampler.monitor->vmm[0]->process.state = PROCESS_PAUSED;
	view_update(view);
	shows_line(view, "^\\? +4711 +2 paused ", "a paused guest has this state");
	tap_ok(screen_has("^ paused: the VMM lets none of its vCPUs run"),
	       "what the state means is below the table");
	enter_line(view, 0);
	shows_line(view, "^vcpu0 +paused ", "none of its vCPUs waits");
	view_leave(view);
}

/* A vCPU has waited for a CPU for one of two seconds. */
static void test_verdict(struct view *view)
{
	struct evidence *evidence = &view->sampler.evidence;

	evidence->guest = calloc(1, sizeof(*evidence->guest));
	evidence->guest->thread = calloc(1, sizeof(*evidence->guest->thread));
	evidence->guests = 1;
	evidence->guest->vmm = view->sampler.monitor->vmm[0]->id;
	evidence->guest->samples_taken = 2;
	evidence->guest->age = UINT64_MAX;
	evidence->guest->threads = 1;
	evidence->guest->thread[0] = (struct thread_evidence){
		.thread = { .tid = 10000, .group = THREAD_VCPU }, .sum[0] = {
			[SUM_TIME] = 2 * SECOND, [SUM_RUNTIME] = SECOND, [SUM_WAITING] = SECOND,
			[SUM_WAITED] = 10, [SUM_INTERVALS] = 10,
		},
	};
	resizeterm(24, 200);
	view_update(view);
	shows_line(view, "^Guest .* Verdict ", "a wide screen has the column of verdicts");
	shows_line(view, "^\\? +4711 +2 .* waits ", "it has the name of the verdict on a guest");
	enter_line(view, 0);
	shows_line(view, "^ Why: waits for a CPU: 50 %; too few samples .*; certain, since > 2\\.0",
		   "Enter shows the evidence");
	tap_ok(screen_has("^ To do: give the guest other CPUs"), "and what to do");
	view_leave(view);
	evidence_free(evidence);
}

static void test_problem(struct view *view)
{
	struct monitor *monitor = view->sampler.monitor;

	resizeterm(24, 80);
	message_set(&monitor->problem, "no host file is published");
	message_advice(&monitor->problem, "Run 'kvm-stats publish' as root");
	view->table.has_values = false;
	shows_line(view, "^ no host file is published\\. Run 'kvm-stats publish' as root\\.",
		   "a line says why there are no statistics");
	tap_ok(!screen_has("Exits/s") && screen_has("Wait% Throt% +Memory *$"),
	       "the table has only what /proc shows");
}

/* ---- a recording ---- */

#define RECORDING	TEST_DATA "/../../../../tests/cli/guests.zst"

static void press(struct view *view, int key)
{
	ungetch(key);
	input_read(view, 10);
}

/* Opens the line of this name. */
static void enter_name(struct view *view, const char *name)
{
	page_search(view_page(view), name, 0);
	press(view, '\r');
}

/* Returns the value of a statistic, or 0 if its page does not have it. */
static double value_of(struct view *view, const char *name)
{
	struct page *page = view_page(view);

	return page_search(page, name, 0) ? page->selected->number[COLUMN_VALUE] : 0;
}

static bool open_recording(struct view *view, const char *at)
{
	static const struct filter filter;
	struct monitor_options options = { .filter = &filter, .from = RECORDING };
	struct message why;

	*view = (struct view){ .interval = 3 * SECOND };
	table_choose(&view->table, NULL, NULL);
	if (parse_time("--at", at, &options.replay.at, &why) && view_open(view, options, &why))
		return true;
	tap_report(TAP_SKIP, "", "a recording", why.what);
	return false;
}

static void test_search_for_verdicts(struct view *view)
{
	if (!open_recording(view, "2026-11-29T03:58:02Z"))
		return;
	resizeterm(24, 100);
	shows_line(view, "^mail .* waits *$", "a recording begins with the verdicts of its time");
	press(view, 'v');
	shows_line(view, "^mail .* starved *$", "v shows the next sample with another verdict");
	press(view, 'v');
	shows_line(view, "^No later sample has another verdict",
		   "or reports that no sample has one");
	view_close(view);
	if (!open_recording(view, "2026-11-29T03:58:02Z"))
		return;
	view->table.skipped = 1;
	ungetch(KEY_RESIZE);
	press(view, 'v');
	tap_is(view->table.skipped, 0, "a new size of the screen is used after a search");
	view_close(view);
}

static void test_recording(void)
{
	static struct view view;
	uint64_t wall;

	test_search_for_verdicts(&view);
	if (!open_recording(&view, "2026-11-29T03:58:04Z"))
		return;
	resizeterm(24, 80);
	enter_name(&view, "mail");
	enter_name(&view, "vcpu0");
	tap_ok(value_of(&view, "exits") > 1000, "statistics count since the creation of the VM");
	press(&view, 'r');
	press(&view, ',');
	tap_ok(value_of(&view, "exits") == 0, "nothing is counted before the reset");
	press(&view, '.');
	press(&view, '.');
	tap_ok(value_of(&view, "exits") > 0 && value_of(&view, "exits") < 100,
	       "values count from the reset on");
	wall = view.sampler.monitor->wall;
	press(&view, 'v');
	tap_ok(view.sampler.monitor->wall == wall, "v does not search on a page without verdicts");
	view_page(&view)->scope.vmm = UINT64_MAX;
	shows_line(&view, " has ended   2026-11-29T.* 1 sample/step ",
		   "the title of a recording says that a guest has ended");
	view.sampler.monitor->time_before = 0;
	view_leave(&view);
	enter_name(&view, "vcpu0");
	page_search(view_page(&view), "exits", 0);
	tap_ok(view_page(&view)->selected->number[COLUMN_RATE] < 0,
	       "after a gap, no rate is known");
	view_close(&view);
}

static void test_screen(void)
{
	static struct view view = { .interval = 3 * SECOND };
	struct fake_stat vcpu_stats[ARRAY_SIZE(fake_vcpu)];
	FILE *null = fopen("/dev/null", "r+");
	struct fake_host host;
	SCREEN *screen;
	size_t i;

	setenv("LINES", "24", 1);
	setenv("COLUMNS", "80", 1);
	screen = setlocale(LC_CTYPE, "C.UTF-8") ? newterm("xterm", null, null) : NULL;
	if (!screen) {
		tap_report(TAP_SKIP, "", "the screen", "the terminal xterm is not known here");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(fake_vcpu); i++)
		vcpu_stats[i] = fake_vcpu[i].stat;
	fake_host_open(&host, fake_vm_stats, 1, vcpu_stats, ARRAY_SIZE(vcpu_stats));
	host.options.processes = PROCESSES_OF_VCPUS;
	table_choose(&view.table, NULL, NULL);
	for (i = 1; i <= 2; i++)
		sample_fake_host(&view, &host, i);
	test_table(&view);
	test_times(&view);
	test_states(&view);
	test_verdict(&view);
	test_problem(&view);
	view.sampler.monitor = NULL;
	view_close(&view);
	fake_host_close(&host);
	test_recording();
	endwin();
	delscreen(screen);
	fclose(null);
}

int main(void)
{
	struct kvmstats_schema *schema;

	/* A key that ends the search for a verdict must not come from the user. */
	if (!freopen("/dev/null", "r", stdin))
		return 1;
	if (kvmstats_schema_make(&schema, descs, ARRAY_SIZE(descs), sizeof(*descs)))
		return 1;
	test_numbers();
	test_amounts(schema);
	test_bars(schema);
	test_order();
	test_more_lines();
	test_intervals();
	test_widths();
	test_headings();
	test_no_values();
	test_more_columns();
	test_cells();
	test_columns();
	test_kinds();
	test_history();
	test_scrolling();
	test_utf8();
	test_ascii();
	test_prompt();
	test_scopes();
	test_screen();
	kvmstats_schema_free(schema);
	return tap_end();
}
