// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how top formats numbers, bars and text, sorts and scrolls the table, chooses the layout,
 * and edits the answer to a prompt.
 */
#include <errno.h>
#include <curses.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "monitor/monitor.h"
#include "tap.h"
#include "top/bars.h"
#include "top/draw.h"
#include "top/event_text.h"
#include "top/layout.h"
#include "top/number.h"
#include "top/prompt.h"
#include "top/stat_lines.h"
#include "top/summary.h"
#include "top/text.h"
#include "top/view.h"
#include "values/baseline.h"

static void text_is(const char *found, const char *expected, const char *what)
{
	if (!tap_ok(!strcmp(found, expected), "%s: %s", what, expected))
		printf("# found '%s'\n", found);
}

/* ---- numbers ---- */

static void test_counts(void)
{
	static const struct {
		uint64_t value;
		int width;
		const char *text;
	} cases[] = {
		{ 0, 5, "0" },
		{ 99999, 5, "99999" },
		{ 100000, 5, "100k" },
		{ 12345678, 6, "12345k" },
		{ 12345678, 5, "12M" },
		{ UINT64_MAX, 20, "18446744073709551615" },
		{ UINT64_MAX, 13, "18446744073G" },
		{ UINT64_MAX, 1, "18E" },
	};
	char buf[NUMBER_SIZE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		number_count(buf, cases[i].width, cases[i].value);
		text_is(buf, cases[i].text, "a count is shortened to the width of its column");
	}
}

static void test_rates(void)
{
	static const struct {
		double rate;
		const char *text;
	} cases[] = {
		{ 0, "0" }, { 0.01, "<0.1" }, { 0.05, "0.1" }, { 0.5, "0.5" }, { 9.94, "9.9" },
		{ 9.96, "10" }, { 10.5, "11" }, { 123456, "123456" }, { 1e10, "10000000k" },
	};
	char buf[NUMBER_SIZE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		number_rate(buf, 9, cases[i].rate);
		text_is(buf, cases[i].text, "a rate is formatted");
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		number_amount(buf, kvmstats_schema_find(schema, cases[i].stat), cases[i].value,
			      false);
		text_is(buf, cases[i].text, "an amount is formatted with its unit");
	}
	number_amount(buf, kvmstats_schema_find(schema, "ns"), 2048, true);
	text_is(buf, "2.05µs", "an amount is formatted in UTF-8");
	tap_ok(!number_has_unit(kvmstats_schema_find(schema, "exits")),
	       "a number of events has no unit");
}

/* ---- bars ---- */

static void test_lengths(void)
{
	tap_is(bar_eighths(0, 100, 10), 0, "the bar of 0 is empty");
	tap_is(bar_eighths(100, 100, 10), 80, "the bar of the largest value has the full width");
	tap_is(bar_eighths(50, 100, 10), 40,
	       "the bar of half the largest value has half the width");
	tap_is(bar_eighths(1, 1000000, 10), 1, "the bar of a small value is not empty");
	tap_is(bar_eighths(5, 5, 0), 0, "a bar of width 0 is empty");
	tap_is(bar_eighths(UINT64_MAX, UINT64_MAX, 100), 800,
	       "the bar of the largest 64-bit value has the full width");
}

static void test_bars(const struct kvmstats_schema *schema)
{
	uint64_t values[40] = { [11] = 50, [12] = 40, [15] = 10 };
	uint64_t deltas[40] = { [12] = 7 };
	struct bars bars = { 0 };

	tap_ok(bars_make(&bars, kvmstats_schema_find(schema, "wait_hist"), values, deltas, false),
	       "bars of a logarithmic histogram are made");
	tap_is(bars.bars, 5, "there are bars from the first to the last bucket that is not 0");
	text_is(bars.bar[0].from, "1.02us", "the lower bound of the first bar is correct");
	text_is(bars.bar[0].to, "2.05us", "the upper bound of the first bar is correct");
	tap_is(bars.samples, 100, "the number of samples is counted");
	tap_is(bars.largest, 50, "the largest bucket is found");
	tap_is(bars.bar[1].delta, 7, "a bar has the number of new samples");
	tap_is(bars.median, 0, "the median is in the first bar");
	tap_is(bars.p99, 4, "the 99th percentile is in the last bar");
	memset(values, 0, sizeof(values));
	values[39] = 1;
	tap_ok(bars_make(&bars, kvmstats_schema_find(schema, "wait_hist"), values, deltas, false) &&
	       bars.bars == 1 && !*bars.bar[0].to, "the last bucket has no upper bound");
	text_is(bars.bar[0].from, "275s", "the lower bound of the last bucket is correct");
	values[39] = 0;
	tap_ok(bars_make(&bars, kvmstats_schema_find(schema, "wait_hist"), values, deltas, false) &&
	       !bars.bars && !bars.samples, "an empty histogram has no bars");
	values[1] = 3;
	tap_ok(bars_make(&bars, kvmstats_schema_find(schema, "size_hist"), values, deltas, false) &&
	       bars.bars == 1, "bars of a linear histogram are made");
	text_is(bars.bar[0].from, "10", "the lower bound of a bar without a unit is correct");
	text_is(bars.bar[0].to, "20", "the upper bound of a bar without a unit is correct");
	bars_free(&bars);
}

/* ---- the table ---- */

static void add(struct view *view, const char *stat, enum view_kind kind, uint64_t value,
		uint64_t delta)
{
	struct view_line *line = view_add(view);
	const char *part = strchr(stat, '(');

	snprintf(line->name, sizeof(line->name), "%s", part ? part + 1 : stat);
	snprintf(line->stat, sizeof(line->stat), "%s", stat);
	line->kind = kind;
	line->child = part;
	line->value = value;
	line->delta = delta;
}

static void order_is(const struct view *view, const char *expected, const char *what)
{
	char found[512] = "";
	size_t i;

	for (i = 0; i < view->lines; i++) {
		strcat(found, *found ? " " : "");
		strcat(found, view->line[i].name);
	}
	text_is(found, expected, what);
}

static void fill(struct view *view)
{
	view_clear(view);
	add(view, "level", VIEW_GAUGES, 900, 0);
	add(view, "slow", VIEW_EVENTS, 500, 1);
	add(view, "fast", VIEW_EVENTS, 100, 50);
	add(view, "b_still", VIEW_EVENTS, 150, 0);
	add(view, "a_still", VIEW_EVENTS, 150, 0);
	add(view, "time", VIEW_AMOUNTS, 1000000, 99999);
	add(view, "hist", VIEW_HISTOGRAMS, 5000, 5000);
	add(view, "exit(A)", VIEW_EVENTS, 10, 1);
	add(view, "exit(B)", VIEW_EVENTS, 90, 9);
	add(view, "exit", VIEW_EVENTS, 100, 10);
	add(view, "lost(C)", VIEW_EVENTS, 5, 5);
}

static void test_order(void)
{
	struct view_options options = { 0 };
	struct view view = { 0 };

	fill(&view);
	tap_ok(view_finish(&view, &options), "the table is sorted");
	order_is(&view, "fast exit B) A) slow a_still b_still time hist level",
		 "lines are sorted by rate");
	tap_is(view.sum.value, 1000, "the total counts events, but not their children");
	tap_is(view.sum.delta, 61, "the growth of the total counts events, but not their children");
	tap_ok(fabs(view.line[0].share - 10) < 0.001,
	       "the share of an event is relative to the total");
	tap_ok(fabs(view.line[2].share - 90) < 0.001,
	       "the share of a child is relative to its parent");
	tap_ok(view.line[7].share < 0 && view.line[9].share < 0,
	       "statistics with a unit have no share");
	options.by_total = true;
	fill(&view);
	view_finish(&view, &options);
	order_is(&view, "slow a_still b_still exit B) A) fast time hist level",
		 "lines are sorted by total");
	view_clear(&view);
	add(&view, "exits", VIEW_EVENTS, 100, 10);
	add(&view, "exit_io", VIEW_EVENTS, 60, 6);
	add(&view, "halt_wakeup", VIEW_EVENTS, 300, 1);
	view_finish(&view, &options);
	tap_is(view.sum.value, 400, "classes are not added to the exits that contain them");
	view_clear(&view);
	add(&view, "exit_hlt", VIEW_EVENTS, 40, 4);
	add(&view, "exit_io", VIEW_EVENTS, 60, 6);
	view_finish(&view, &options);
	tap_is(view.sum.value, 100, "without the exits, the classes are added up");
	view_clear(&view);
	add(&view, "exit", VIEW_EVENTS, 0, 10);
	add(&view, "exit(A)", VIEW_EVENTS, 0, 10);
	view_finish(&view, &options);
	tap_ok(view.lines == 2 && view.line[1].share < 0,
	       "a child of a parent that is 0 has no share");
	view_clear(&view);
	add(&view, "vcpu10", VIEW_EVENTS, 1, 0);
	add(&view, "vcpu2", VIEW_EVENTS, 1, 0);
	view_finish(&view, &options);
	order_is(&view, "vcpu2 vcpu10",
		 "equal lines are sorted by name, and numbers in names by value");
	view_clear(&view);
	tap_ok(view_finish(&view, &options) && !view.lines && !view.sum.value,
	       "sorting an empty table works");
	view_free(&view);
}

static void test_layout(void)
{
	bool good = true;
	int width;

	for (width = 1; width < 300; width++) {
		struct top_layout layout = layout_table(width);
		struct bars_layout bars = layout_bars(width);

		good &= layout.name > 0 &&
			layout.name + layout.total + layout.share + layout.rate <= width;
		good &= bars.from + bars.to + bars.count + bars.share + bars.bar <= width;
	}
	tap_ok(good, "the columns fit in any width");
	tap_ok(layout_table(80).share && layout_table(80).total && layout_table(80).rate,
	       "a table of 80 cells has all columns");
	tap_ok(!layout_table(45).share && layout_table(45).total && layout_table(45).rate,
	       "a table of 45 cells has no column for shares");
	tap_ok(!layout_table(30).total && layout_table(30).rate,
	       "a table of 30 cells has a column for rates only");
	tap_ok(layout_bars(80).bar > 30 && layout_bars(80).share,
	       "bars and shares fit in 80 cells");
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

/* ---- baselines ---- */

struct world {
	struct monitor monitor;
	struct vmm vmm;
	struct vmm *vmms[1];
	struct target target[2];
	struct target *targets[2];
	struct stat_set set;
	const struct kvmstats_stat *exits;
};

static uint64_t time_now = 1000;

static size_t count_values(const struct kvmstats_schema *schema)
{
	size_t count = 0, i;

	for (i = 0; i < kvmstats_schema_count(schema); i++)
		count += kvmstats_stat_size(kvmstats_schema_stat(schema, i));
	return count;
}

static void add_sample(struct target *target, uint64_t exits)
{
	struct kvmstats_sample *oldest = target->before;
	uint64_t values[64] = { 0 };
	size_t place = kvmstats_stat_offset(target->set->stat[0]) / sizeof(uint64_t);

	values[place] = exits;
	target->before = target->now;
	target->now = oldest;
	time_now += 1000;
	if (kvmstats_sample_set(target->now, values, target->set->values, time_now))
		tap_ok(false, "a sample can be set");
}

static void create_world(struct world *world, struct kvmstats_schema *schema)
{
	int i;

	*world = (struct world){ 0 };
	world->exits = kvmstats_schema_find(schema, "exits");
	world->set = (struct stat_set){
		.schema = schema, .stat = &world->exits, .stats = 1,
		.values = count_values(schema),
	};
	world->vmm.target = world->targets;
	world->vmms[0] = &world->vmm;
	world->monitor.vmm = world->vmms;
	world->monitor.vmms = 1;
	for (i = 0; i < 2; i++) {
		world->targets[i] = &world->target[i];
		world->target[i] = (struct target){ .vmm = &world->vmm, .set = &world->set };
		if (kvmstats_sample_new(&world->target[i].now, schema) ||
		    kvmstats_sample_new(&world->target[i].before, schema))
			tap_ok(false, "samples can be allocated");
	}
}

static void free_world(struct world *world)
{
	int i;

	for (i = 0; i < 2; i++) {
		kvmstats_sample_free(world->target[i].now);
		kvmstats_sample_free(world->target[i].before);
		free(world->target[i].baseline);
	}
}

static uint64_t growth(const struct world *world, int i, bool past)
{
	return baseline_growth(world->targets[i], world->exits, 0, past);
}

static void test_bases(struct kvmstats_schema *schema)
{
	struct world world;

	create_world(&world, schema);
	world.vmm.targets = 1;
	add_sample(&world.target[0], 100);
	tap_ok(baselines_start(&world.monitor),
	       "the first sample sets the baselines");
	tap_is(growth(&world, 0, false), 0, "totals start at 0");
	tap_is(growth(&world, 0, true), 100,
	       "totals including the past start at the value of the statistic");
	/* A new target before the second sample must not reset the baselines. */
	world.vmm.targets = 2;
	baselines_update(&world.monitor);
	tap_is(growth(&world, 0, false), 0, "a new target does not change the totals of others");
	tap_is(growth(&world, 1, false), 0, "the total of a target that has not been read is 0");
	add_sample(&world.target[0], 130);
	add_sample(&world.target[1], 7);
	baselines_update(&world.monitor);
	tap_is(growth(&world, 0, false), 30,
	       "the total of an old target counts from the first sample");
	tap_is(growth(&world, 1, false), 7, "the total of a new target counts from 0");
	add_sample(&world.target[0], 4);
	baselines_update(&world.monitor);
	tap_is(growth(&world, 0, false), 4, "the total of a cleared statistic counts from 0");
	add_sample(&world.target[0], 5000);
	baselines_update(&world.monitor);
	tap_is(growth(&world, 0, false), 5000,
	       "the total of a cleared statistic continues to grow");
	baselines_start(&world.monitor);
	add_sample(&world.target[0], 5001);
	baselines_update(&world.monitor);
	tap_is(growth(&world, 0, false), 1, "totals start at 0 after a reset");
	world.vmm.targets = 0;
	tap_ok(baselines_start(&world.monitor), "all targets can disappear");
	free_world(&world);
}

/* ---- what is missing ---- */

/* One vCPU cannot be read. The statistics of the VM come from debugfs. */
static void test_missing(void)
{
	struct source fds = { 0 }, debugfs = { 0 };
	struct target vcpu = { .source = &fds, .origin = ORIGIN_TAKEN };
	struct target vm = { .source = &debugfs, .origin = ORIGIN_DEBUGFS };
	struct target *targets[] = { &vcpu, &vm };
	struct vmm vmm = { .target = targets, .targets = 2, .missing = 1, .missing_vcpus = 1 };
	struct vmm *vmms[] = { &vmm };
	struct monitor monitor = { .vmm = vmms, .vmms = 1 };

	tap_is((long long)summary_of(&monitor).missing, 1,
	       "a vCPU is missing if debugfs has only the statistics of the VM");
	debugfs.has_sums = true;
	tap_is((long long)summary_of(&monitor).missing, 0,
	       "no vCPU is missing if debugfs has the sums over the vCPUs");
	vmm = (struct vmm){ .target = targets, .targets = 1, .missing = 1, .fd_error = -EIO };
	tap_ok(!summary_of(&monitor).missing && summary_of(&monitor).no_vm_values == 1,
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
	tap_ok(text_is_utf8(), "C.UTF-8 is detected as UTF-8");
	tap_is(text_fit(buf, sizeof(buf), "größe", 10), 5,
	       "the width of UTF-8 text is counted in cells, not bytes");
	tap_is(text_fit(buf, sizeof(buf), "größe", 4), 4,
	       "UTF-8 text is truncated to a number of cells");
	text_is(buf, "größ", "UTF-8 text is truncated between characters");
	tap_is(text_fit(buf, sizeof(buf), "語語", 3), 2,
	       "a wide character that does not fit is omitted");
	tap_is(text_fit(buf, sizeof(buf), "a\xff\x1b[0m", 10), 6,
	       "an unprintable byte takes one cell");
	text_is(buf, "a??[0m", "unprintable bytes are replaced");
	tap_is(text_fit(buf, 4, "größe", 10), 2,
	       "text is truncated between characters if the buffer is too short");
}

static void test_ascii(void)
{
	char buf[64];

	setlocale(LC_CTYPE, "C");
	tap_ok(!text_is_utf8(), "the locale C is not detected as UTF-8");
	tap_is(text_fit(buf, sizeof(buf), "a\xc3\xbc", 10), 3,
	       "in the locale C each byte takes one cell");
	text_is(buf, "a??", "in the locale C other bytes than ASCII are replaced");
	tap_is(text_fit(buf, sizeof(buf), "", 0), 0, "empty text takes no cells");
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
	tap_is(prompt.len, 0, "Backspace and Up have no effect in an empty line");
	for (i = 0; i < 1000; i++)
		prompt_key(&prompt, 'x');
	tap_is(prompt.len, PROMPT_SIZE - 1, "the length of the line is limited");
	prompt_begin(&prompt, PROMPT_FILTER, "web ü");
	prompt_key(&prompt, KEY_LEFT);
	prompt_key(&prompt, 'x');
	text_is(prompt.text, "web xü", "a prompt starts with an answer that can be edited");
	prompt_key(&prompt, KEY_DC);
	text_is(prompt.text, "web x", "Delete deletes the character at the cursor");
	prompt_key(&prompt, 'W' & 0x1f);
	text_is(prompt.text, "web ", "^W deletes the word before the cursor");
	prompt_key(&prompt, KEY_HOME);
	prompt_key(&prompt, 'a');
	prompt_key(&prompt, KEY_END);
	prompt_key(&prompt, 'z');
	text_is(prompt.text, "aweb z", "Home and End move the cursor");
	prompt_begin(&prompt, PROMPT_INTERVAL, "3");
	prompt_key(&prompt, '0');
	prompt_key(&prompt, '.');
	prompt_key(&prompt, '5');
	text_is(prompt.text, "0.5", "the first character replaces the answer");
	tap_is(prompt_key(&prompt, '\r'), PROMPT_DONE, "Enter confirms the prompt");
	tap_is(prompt_key(&prompt, 27), PROMPT_CANCELLED, "Esc cancels the prompt");
}

/* Statistics that are new make the list of histories grow, while the lines stay on the screen. */
static void test_histories(const struct kvmstats_schema *schema)
{
	const struct kvmstats_stat *stat = kvmstats_schema_find(schema, "exits");
	struct total total[64], *all[64];
	struct totals totals = { .total = all, .totals = 1 };
	const struct view_options options = { .include_past = true };
	const struct stat_order order = { .column = STAT_NAME };
	struct stat_lines lines = { 0 };
	char name[64][24];
	int i;

	for (i = 0; i < 64; i++) {
		snprintf(name[i], sizeof(name[i]), "exits%d", i);
		total[i] = (struct total){ .name = name[i], .stat = stat, .counts_up = true,
					   .present = true, .value = 5, .rate = 7 };
		all[i] = &total[i];
	}
	stat_lines_remember(&lines, &totals, 0, SECOND);
	stat_lines_make(&lines, &totals, NULL, &order, &options);
	totals.totals = 64;
	stat_lines_remember(&lines, &totals, SECOND, 2 * SECOND);
	tap_ok(lines.lines == 1 && history_mean(stat_lines_history(&lines, &lines.line[0].view),
						2 * SECOND, 59, 60) > 6,
	       "a line has its history after others were added");
	stat_lines_free(&lines);
}

/* In another PID namespace, a VM has a number, and no PID. */
static void test_numbers(void)
{
	const struct vmm one = { .number = 7, .guest = "vm 7", .vms = 1, .vcpus = 2 };
	const struct vmm two = { .number = 8, .guest = "vm 8", .vms = 1, .vcpus = 2 };
	const struct top_scope scope = scope_of_vmm(&one);
	struct monitor monitor = { 0 };
	char text[128];

	text_is(event_text(text, sizeof(text), &monitor, MONITOR_ENDED, &one),
		"vm 7 has ended or closed its VM: 1 VM, 2 vCPUs", "an event without a PID");
	tap_ok(scope_selects_vmm(&scope, &one) && !scope_selects_vmm(&scope, &two),
	       "a page shows the VM with its number");
}

int main(void)
{
	struct kvmstats_schema *schema;

	if (kvmstats_schema_make(&schema, descs, ARRAY_SIZE(descs), sizeof(*descs)))
		return 1;
	test_counts();
	test_rates();
	test_amounts(schema);
	test_lengths();
	test_bars(schema);
	test_order();
	test_layout();
	test_scrolling();
	test_bases(schema);
	test_missing();
	test_utf8();
	test_ascii();
	test_prompt();
	test_histories(schema);
	test_numbers();
	kvmstats_schema_free(schema);
	return tap_end();
}
