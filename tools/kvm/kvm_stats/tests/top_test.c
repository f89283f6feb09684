// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how top formats numbers and text, chooses columns, sorts and scrolls lines, adds statistics
 * up, and edits the answer to a prompt.
 */
#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "tap.h"
#include "top/screen.h"
#include "util.h"

static void text_is(const char *found, const char *expected, const char *what)
{
	if (!tap_ok(!strcmp(found, expected), "%s: %s", what, expected))
		printf("# found '%s'\n", found);
}

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
		text_is(buf, cases[i].text, "a number is formatted for its column");
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
		text_is(buf, cases[i].text, "an amount is formatted with its unit");
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
	struct top top = { .totals = &totals };

	snprintf(page->stat, sizeof(page->stat), "%s", total.name);
	page_begin(page);
	stats_update_histogram(&top, page);
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
	text_is(page.line[0]->name, "1.02us", "the lower bound of the first bar is correct");
	text_is(page.line[0]->below, "2.05us", "the upper bound of the first bar is correct");
	tap_is(page.line[1]->added, 7, "a bar has the number of new samples");
	text_is(page.summary, "100 samples, 7 new; p50 < 2.05us, p99 < 32.8us",
		"samples are counted, and percentiles found");
	memset(values, 0, sizeof(values));
	values[39] = 1;
	make_bars(&page, waits, values, deltas);
	tap_ok(page.lines == 1 && !*page.line[0]->below, "the last bucket has no upper bound");
	text_is(page.line[0]->name, "275s", "the lower bound of the last bucket is correct");
	values[39] = 0;
	make_bars(&page, waits, values, deltas);
	tap_ok(!page.lines && !*page.summary, "an empty histogram has no bars");
	values[1] = 3;
	make_bars(&page, kvmstats_schema_find(schema, "size_hist"), values, deltas);
	tap_is(page.lines, 1, "bars of a linear histogram are made");
	text_is(page.line[0]->name, "10", "the lower bound of a bar without a unit is correct");
	page_free(&page);
}

/* ---- statistics ---- */

struct event {
	const char *name;
	uint64_t value;
	uint64_t delta;
};

#define MAX_EVENTS	64

/* Makes a page of statistics that are all alike. */
static void make_events(struct page *page, const struct kvmstats_stat *stat,
			const struct event *event, size_t events, enum column_id column)
{
	struct total total[MAX_EVENTS], *all[MAX_EVENTS];
	struct totals totals = { .total = all, .totals = events };
	struct monitor monitor = { .time_before = SECOND, .time = 2 * SECOND };
	struct top top = { .totals = &totals, .monitor = &monitor, .kvm_stat = true,
			   .children = true };
	struct order order = { column, false };
	size_t i;

	for (i = 0; i < events; i++) {
		total[i] = (struct total){
			.name = event[i].name, .stat = stat, .counts_up = true, .present = true,
			.value = event[i].value, .delta = event[i].delta,
			.rate = (double)event[i].delta,
		};
		all[i] = &total[i];
	}
	page_begin(page);
	stats_update(&top, page);
	stats_set_shares(&top, page);
	page_finish(page, NULL, order);
}

static void order_is(const struct page *page, const char *expected, const char *what)
{
	char found[512] = "";
	size_t i;

	for (i = 0; i < page->lines; i++) {
		strcat(found, *found ? " " : "");
		strcat(found, page->line[i]->name);
	}
	text_is(found, expected, what);
}

static void test_order(const struct kvmstats_stat *stat)
{
	static const struct event events[] = {
		{ "slow", 500, 1 }, { "fast", 100, 50 }, { "b_still", 150, 0 },
		{ "a_still", 150, 0 }, { "exit(A)", 10, 1 }, { "exit(B)", 90, 9 },
		{ "exit", 100, 10 }, { "lost(C)", 5, 5 },
	};
	static const struct event classes[] = {
		{ "exits", 100, 10 }, { "exit_io", 60, 6 }, { "halt_wakeup", 300, 1 },
	};
	static const struct event reset[] = { { "exit", 0, 10 }, { "exit(A)", 0, 10 } };
	static const struct event names[] = { { "vcpu10", 1, 0 }, { "vcpu2", 1, 0 } };
	struct page page = { .kind = PAGE_STATISTICS };

	make_events(&page, stat, events, ARRAY_SIZE(events), COLUMN_RATE);
	order_is(&page, "fast exit B A slow a_still b_still", "lines are sorted by rate");
	tap_is(page.sum.number[COLUMN_VALUE], 1000,
	       "the total counts events, but not their children");
	tap_is(page.sum.number[COLUMN_RATE], 61,
	       "the rate of the total counts events, but not their children");
	tap_ok(fabs(page.line[0]->number[COLUMN_SHARE] - 10) < 0.001,
	       "the share of an event is relative to the total");
	tap_ok(fabs(page.line[2]->number[COLUMN_SHARE] - 90) < 0.001,
	       "the share of a child is relative to its parent");
	page.selected = page.line[0];
	make_events(&page, stat, events, ARRAY_SIZE(events), COLUMN_VALUE);
	order_is(&page, "slow a_still b_still exit B A fast", "lines are sorted by total");
	tap_is(page.at, 6, "the cursor stays on its line when the order changes");
	make_events(&page, stat, classes, 3, COLUMN_RATE);
	tap_ok(!page.selected, "the cursor leaves a line that ends");
	tap_is(page.sum.number[COLUMN_VALUE], 400,
	       "classes are not added to the exits that contain them");
	make_events(&page, stat, classes + 1, 1, COLUMN_RATE);
	tap_is(page.sum.number[COLUMN_VALUE], 60, "without the exits, the classes are added up");
	make_events(&page, stat, reset, 2, COLUMN_RATE);
	tap_ok(page.lines == 2 && page.line[1]->number[COLUMN_SHARE] < 0,
	       "a child of a parent that is 0 has no share");
	make_events(&page, stat, names, 2, COLUMN_RATE);
	order_is(&page, "vcpu2 vcpu10",
		 "equal lines are sorted by name, and numbers in names by value");
	make_events(&page, stat, NULL, 0, COLUMN_RATE);
	tap_ok(!page.lines && page.sum.number[COLUMN_VALUE] < 0, "an empty page works");
	page_free(&page);
}

/* The page grows while the cursor is on one of its lines. */
static void test_more_lines(const struct kvmstats_stat *stat)
{
	struct event events[MAX_EVENTS] = { 0 };
	struct page page = { .kind = PAGE_STATISTICS };
	char name[MAX_EVENTS][8];
	size_t i;

	for (i = 0; i < MAX_EVENTS; i++) {
		snprintf(name[i], sizeof(name[i]), "e%zu", i);
		events[i] = (struct event){ name[i], i + 1, 0 };
	}
	make_events(&page, stat, events, 2, COLUMN_VALUE);
	page.selected = page.line[1];
	make_events(&page, stat, events, MAX_EVENTS, COLUMN_VALUE);
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
	layout = column_layout(DEFAULT_COLUMNS & ~COLUMN_BIT(COLUMN_MISSING), 0, 80, 12);
	tap_ok(shows(&layout, COLUMN_EXITS) && shows(&layout, COLUMN_HISTORY),
	       "80 cells show the exits and their history");
	layout = column_layout(DEFAULT_COLUMNS, 0, 80, 12);
	tap_ok(shows(&layout, COLUMN_EXITS) && shows(&layout, COLUMN_MISSING),
	       "80 cells show the exits and what cannot be read");
	layout = column_layout(DEFAULT_COLUMNS & ~COLUMN_BIT(COLUMN_MISSING), 0, 140, 12);
	tap_ok(!layout.hidden, "140 cells show all columns");
	layout = column_layout(COLUMN_BIT(COLUMN_NAME) | COLUMN_BIT(COLUMN_CPU), 0, 80, 70);
	tap_is(layout.place[0].width, 70, "a long name is not cut next to empty space");
	layout = column_layout(COLUMN_BIT(COLUMN_NAME) | COLUMN_BIT(COLUMN_VALUE) |
			       COLUMN_BIT(COLUMN_SHARE) | COLUMN_BIT(COLUMN_RATE), 0, 30, 12);
	tap_ok(shows(&layout, COLUMN_RATE) && !shows(&layout, COLUMN_VALUE),
	       "in 30 cells, the rate is more important than the value");
	layout = column_layout(DEFAULT_COLUMNS, 0, 300, 12);
	tap_ok(end_of(&layout) > 200, "300 cells are used");
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

static const char *cell(enum column_id id, const struct line *line, int width)
{
	static char buf[CELL_SIZE];

	column_text(buf, id, line, width);
	return buf;
}

static void test_cells(void)
{
	struct line line = { .name = "web", .meaning = "" };
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		line.number[i] = -1;
	text_is(cell(COLUMN_CPU, &line, 6), "-", "an unknown number is a dash");
	text_is(cell(COLUMN_VCPUS, &line, 6), "", "a line without vCPUs has no number of vCPUs");
	text_is(cell(COLUMN_KINDS, &line, 30), "", "without exits there are no kinds of exits");
	line.number[COLUMN_CPU] = 123.45;
	line.number[COLUMN_EXITS] = 1234567;
	line.number[COLUMN_MEMORY] = 1.5 * 1024 * 1024 * 1024;
	line.number[COLUMN_VALUE] = 0x1p64;
	line.kind[0] = (struct exit_kind){ "io", 1200, 0 };
	line.kind[1] = (struct exit_kind){ "halt", 3, 0 };
	text_is(cell(COLUMN_CPU, &line, 6), "123", "a percentage is rounded");
	text_is(cell(COLUMN_EXITS, &line, 5), "1234k", "a rate is shortened to its column");
	text_is(cell(COLUMN_MEMORY, &line, 8), "1.5GiB", "memory has a unit");
	text_is(cell(COLUMN_VALUE, &line, 20), "18446744073709551615", "the largest value fits");
	text_is(cell(COLUMN_KINDS, &line, 30), "io 1200, halt 3.0",
		"the most frequent kinds of exits are listed");
	text_is(cell(COLUMN_KINDS, &line, 10), "io 1200",
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

/* ---- history ---- */

static void test_history(void)
{
	struct history history = { 0 };
	char buf[CELL_SIZE];
	uint64_t i;

	history_draw(buf, &history, 6);
	text_is(buf, "      ", "an empty history is blank");
	history_add(&history, 1, 2, 70);
	history_add(&history, 2, 3, 0);
	history_add(&history, 2, 3, 35);
	history_draw(buf, &history, 6);
	text_is(buf, "    #=", "an update of the last sample replaces its rate");
	history_add(&history, 5, 6, 70);
	history_draw(buf, &history, 6);
	text_is(buf, "  #= #", "samples that are missing are a gap");
	history_add(&history, 6, 7, 7);
	history_draw(buf, &history, 1);
	text_is(buf, "#", "the highest rate on the screen has the highest character");
	for (i = 0; i < HISTORY_SAMPLES; i++)
		history_add(&history, 7 + i, 8 + i, 0);
	history_draw(buf, &history, 6);
	text_is(buf, "______", "old samples are forgotten");
}

static void test_scrolling(void)
{
	tap_is(draw_first(0, 5, 100, 10), 0, "selecting a visible line does not scroll");
	tap_is(draw_first(0, 10, 100, 10), 1,
	       "selecting the line below the last one scrolls by one line");
	tap_is(draw_first(50, 20, 100, 10), 20,
	       "a selected line above the first one becomes the first");
	tap_is(draw_first(95, 99, 100, 10), 90, "the last screen is full");
	tap_is(draw_first(3, 3, 4, 0), 3, "without rows the selected line is the first one");
}

/* ---- what is missing ---- */

/* One vCPU cannot be read. The statistics of the VM come from debugfs. */
static void test_missing(void)
{
	struct source fds = { 0 }, debugfs = { 0 };
	struct target vcpu = { .source = &fds, .origin = ORIGIN_TAKEN };
	struct target vm = { .source = &debugfs, .origin = ORIGIN_DEBUGFS };
	struct target *targets[] = { &vcpu, &vm };
	struct vmm vmm = { .target = targets, .targets = 2, .unread = { .count = 1, .vcpus = 1 } };
	struct vmm *vmms[] = { &vmm };
	struct monitor monitor = { .vmm = vmms, .vmms = 1 };
	char text[128];

	draw_put_problems(text, sizeof(text), &monitor);
	text_is(text, ", 1 VM or vCPU missing",
		"a vCPU is missing if debugfs has only the statistics of the VM");
	debugfs.has_sums = true;
	draw_put_problems(text, sizeof(text), &monitor);
	text_is(text, "", "no vCPU is missing if debugfs has the sums over the vCPUs");
	vmm = (struct vmm){
		.target = targets, .targets = 1, .unread = { .count = 1, .fd_error = -EIO },
	};
	draw_put_problems(text, sizeof(text), &monitor);
	text_is(text, ", VM values of 1 guest missing",
		"missing values of a VM are not missing vCPUs");
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
	text_is(buf, "2.05µs", "microseconds are formatted in UTF-8");
	tap_is(draw_fit(buf, sizeof(buf), "größe", 10), 5,
	       "the width of UTF-8 text is counted in cells, not bytes");
	tap_is(draw_fit(buf, sizeof(buf), "größe", 4), 4,
	       "UTF-8 text is truncated to a number of cells");
	text_is(buf, "größ", "UTF-8 text is truncated between characters");
	tap_is(draw_fit(buf, sizeof(buf), "語語", 3), 2,
	       "a wide character that does not fit is omitted");
	tap_is(draw_fit(buf, sizeof(buf), "a\xff\x1b[0m", 10), 6,
	       "an unprintable byte takes one cell");
	text_is(buf, "a??[0m", "unprintable bytes are replaced");
	tap_is(draw_fit(buf, 4, "größe", 10), 2,
	       "text is truncated between characters if the buffer is too short");
}

static void test_ascii(void)
{
	char buf[64];

	setlocale(LC_CTYPE, "C");
	tap_is(draw_fit(buf, sizeof(buf), "a\xc3\xbc", 10), 3,
	       "in the locale C each byte takes one cell");
	text_is(buf, "a??", "in the locale C other bytes than ASCII are replaced");
	tap_is(draw_fit(buf, sizeof(buf), "", 0), 0, "empty text takes no cells");
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

	prompt_begin(&prompt, PROMPT_REGEX, "");
	type(&prompt, "exitsü");
	prompt_key(&prompt, KEY_BACKSPACE);
	text_is(prompt.text, "exits", "Backspace deletes a character of several bytes");
	prompt_key(&prompt, 'U' & 0x1f);
	text_is(prompt.text, "", "^U deletes the whole line");
	prompt_key(&prompt, KEY_BACKSPACE);
	prompt_key(&prompt, KEY_UP);
	text_is(prompt.text, "", "Backspace and Up have no effect in an empty line");
	for (i = 0; i < 1000; i++)
		prompt_key(&prompt, 'x');
	tap_is((long long)strlen(prompt.text), PROMPT_SIZE - 1,
	       "the length of the line is limited");
	prompt_begin(&prompt, PROMPT_FILTER, "web");
	prompt_key(&prompt, KEY_END);
	prompt_key(&prompt, 'x');
	text_is(prompt.text, "webx", "a prompt starts with an answer that can be edited");
	prompt_begin(&prompt, PROMPT_INTERVAL, "3");
	prompt_key(&prompt, '0');
	prompt_key(&prompt, '.');
	prompt_key(&prompt, '5');
	text_is(prompt.text, "0.5", "the first character replaces the answer");
	prompt_begin(&prompt, PROMPT_FILTER, "web");
	type(&prompt, "db");
	text_is(prompt.text, "db", "also that of the filter");
}

/* In another PID namespace, a VM has a number, and no PID. */
static void test_scopes(void)
{
	struct vmm two = { .id = 2, .guest = "vm 8" };
	const struct target target = { .vmm = &two };
	struct top_scope scope = { .vmm = 1 };

	tap_ok(!scope_selects(&target, &scope), "a page shows only the VM with its number");
	scope.vmm = 2;
	tap_ok(scope_selects(&target, &scope), "a page shows the VM with its number");
}

int main(void)
{
	struct kvmstats_schema *schema;

	if (kvmstats_schema_make(&schema, descs, ARRAY_SIZE(descs), sizeof(*descs)))
		return 1;
	test_numbers();
	test_amounts(schema);
	test_bars(schema);
	test_order(kvmstats_schema_find(schema, "exits"));
	test_more_lines(kvmstats_schema_find(schema, "exits"));
	test_intervals();
	test_widths();
	test_more_columns();
	test_cells();
	test_columns();
	test_kinds();
	test_history();
	test_scrolling();
	test_missing();
	test_utf8();
	test_ascii();
	test_prompt();
	test_scopes();
	kvmstats_schema_free(schema);
	return tap_end();
}
