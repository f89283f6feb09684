// SPDX-License-Identifier: GPL-2.0-only
/* Test the totals, baselines and columns of sample values. */
#include <stdlib.h>
#include <string.h>

#include "read/read.h"
#include "model.h"
#include "sums.h"
#include "tap.h"
#include "util.h"

#define VALUES	7

static const struct kvmstats_desc descs[] = {
	{ .name = "exits", .size = 1 },
	{ .name = "exits(HLT)", .size = 1 },
	{ .name = "wait_hist", .type = KVMSTATS_TYPE_LOG_HIST, .size = 3 },
	{ .name = "pages", .type = KVMSTATS_TYPE_INSTANT, .size = 1 },
	{ .name = "most", .type = KVMSTATS_TYPE_PEAK, .size = 1 },
};

/* Two fake VMs, whose values the test sets. */
struct world {
	struct filter filter;
	struct monitor monitor;
	struct vmm vmm[2];
	struct vmm *vmms[2];
	struct totals *totals;
};

static int read_nothing(struct target *target)
{
	(void)target;
	return 0;
}

static const struct source fake_source = { .read = read_nothing };

/* Replaces the targets of VMM @i by a VM with the statistics of @desc. */
static void set_vm(struct world *w, int i, const struct kvmstats_desc *desc, size_t count)
{
	struct target vm = { .source = &fake_source, .scope = SCOPE_VM, .vcpu = -1 };
	struct kvmstats_schema *schema;

	kvmstats_schema_make(&schema, desc, count, sizeof(*desc));
	vm.set = stat_set_get(&w->monitor.sets, schema, true);
	w->vmms[i] = &w->vmm[i];
	w->vmm[i].vms = 1;
	targets_begin(&w->vmm[i]);
	target_add(&w->vmm[i], &vm);
	targets_end(&w->vmm[i]);
	w->monitor.generation++;
}

static void begin(struct world *w, const char *regex)
{
	memset(w, 0, sizeof(*w));
	filter_set_regex(&w->filter, regex);
	w->monitor.options.filter = &w->filter;
	w->monitor.sets.filter = &w->filter;
	set_vm(w, 0, descs, ARRAY_SIZE(descs));
	set_vm(w, 1, descs, ARRAY_SIZE(descs));
	w->monitor.vmm = w->vmms;
	w->monitor.vmms = 2;
	w->totals = totals_open(&w->monitor, NULL, NULL);
}

static void end(struct world *w)
{
	int i;

	totals_close(w->totals);
	for (i = 0; i < 2; i++)
		targets_free(&w->vmm[i]);
	stat_sets_free(&w->monitor.sets);
	filter_free(&w->filter);
}

/* Does what monitor_sample() does: the VMs have these values, one second after the last sample. */
static void sample(struct world *w, const uint64_t first[VALUES], const uint64_t second[VALUES])
{
	const uint64_t *values[] = { first, second };
	size_t i;

	w->monitor.time_before = w->monitor.time;
	w->monitor.time += SECOND;
	for (i = 0; i < w->monitor.vmms; i++) {
		targets_read(w->monitor.vmm[i]);
		kvmstats_sample_set(w->monitor.vmm[i]->target[0]->now, values[i], VALUES,
				    w->monitor.time);
	}
	totals_update(w->totals);
}

static const struct total *total_of(const struct world *w, const char *name)
{
	size_t i;

	for (i = 0; i < w->totals->totals; i++) {
		if (!strcmp(w->totals->total[i]->name, name))
			return w->totals->total[i];
	}
	return NULL;
}

static const uint64_t start[VALUES] = { 100, 40, 1, 2, 3, 10, 5 };
static const uint64_t later[VALUES] = { 150, 60, 1, 5, 3, 8, 9 };
static const uint64_t cleared[VALUES] = { 7, 70, 0, 6, 3, 8, 9 };

static void test_totals(void)
{
	const struct total *exits, *hist;
	struct world w;

	begin(&w, NULL);
	sample(&w, start, start);
	exits = total_of(&w, "exits");
	hist = total_of(&w, "wait_hist");
	tap_is(exits->value, 200, "the total of a counter is the sum of all VMs");
	tap_is(exits->delta, 0, "the first sample has no growth");
	tap_is(total_of(&w, "most")->value, 5, "the total of a peak value is the largest one");
	tap_is(total_of(&w, "pages")->value, 20,
	       "the total of an instantaneous value is the sum of all VMs");
	tap_is(hist->values[1], 4, "the total of a bucket is the sum of all VMs");
	sample(&w, later, start);
	tap_is(exits->delta, 50, "the growth of a total is the sum of all VMs");
	tap_ok(exits->rate == 50,
	       "the rate of a total is the growth per second, found %f", exits->rate);
	tap_is(hist->delta, 3, "the growth of a histogram is the number of new samples");
	tap_is(total_of(&w, "most")->value, 9,
	       "the total of a peak value follows the VM with the largest one");
	tap_ok(!exits->cleared, "a total that has grown is not reported as cleared");
	sample(&w, cleared, later);
	tap_ok(exits->cleared, "a counter that has decreased is reported as cleared");
	tap_is(exits->delta, 50, "the growth of a cleared counter is that of the other VM");
	tap_is(exits->value, 157, "the total of a cleared counter is the sum of the new values");
	tap_ok(hist->cleared && hist->deltas[1] == 4,
	       "a bucket that has decreased is reported as cleared");
	tap_ok(!total_of(&w, "exits(HLT)")->cleared && !total_of(&w, "pages")->cleared,
	       "other counters and instantaneous values are not reported as cleared");
	end(&w);
}

static void test_changes(void)
{
	const struct total *exits;
	struct world w;

	begin(&w, NULL);
	sample(&w, start, start);
	sample(&w, later, later);
	exits = total_of(&w, "exits");
	w.monitor.vmms = 1;
	w.monitor.generation++;
	sample(&w, later, later);
	tap_is(exits->value, 150, "a VM that has ended is not part of the total");
	tap_is(exits->delta, 0, "a VM that has ended does not contribute to the growth");
	w.monitor.vmms = 0;
	w.monitor.generation++;
	totals_update(w.totals);
	tap_ok(!exits->present && !exits->value, "a total without VMs remains, with the value 0");
	w.monitor.vmms = 2;
	end(&w);
}

/* Takes a sample with these exits. Returns how many the total counts since the baselines. */
static uint64_t growth(struct world *w, uint64_t first, uint64_t second)
{
	const uint64_t one[VALUES] = { first }, two[VALUES] = { second };

	sample(w, one, two);
	baselines_update(&w->monitor);
	totals_update(w->totals);
	return total_of(w, "exits")->growth[0];
}

static void test_baselines(void)
{
	struct world w;

	begin(&w, NULL);
	w.monitor.vmms = 1;
	sample(&w, start, NULL);
	tap_ok(baselines_start(&w.monitor), "the first sample sets the baselines");
	totals_update(w.totals);
	tap_is(total_of(&w, "exits")->growth[0], 0, "totals start at 0");
	tap_is(total_of(&w, "exits")->value, 100,
	       "totals including the past start at the value of the statistic");
	/* A new VM before the second sample must not reset the baselines. */
	w.monitor.vmms = 2;
	w.monitor.generation++;
	baselines_update(&w.monitor);
	totals_update(w.totals);
	tap_is(total_of(&w, "exits")->growth[0], 0, "a new VM without a sample changes no total");
	tap_is(growth(&w, 130, 7), 37,
	       "an old VM counts from the first sample, and a new one from 0");
	tap_is(growth(&w, 4, 7), 11, "a cleared statistic counts from 0");
	tap_is(growth(&w, 5000, 7), 5007, "a cleared statistic continues to grow");
	baselines_start(&w.monitor);
	tap_is(growth(&w, 5001, 7), 1, "totals start at 0 after a reset");
	w.monitor.vmms = 0;
	tap_ok(baselines_start(&w.monitor), "all VMs can disappear");
	w.monitor.vmms = 2;
	end(&w);
}

static void test_filter(void)
{
	struct world w;

	begin(&w, "pages|HLT");
	sample(&w, start, start);
	sample(&w, later, cleared);
	tap_is(w.totals->totals, 3,
	       "the filter selects statistics and the parents of selected children");
	tap_is(total_of(&w, "exits(HLT)")->delta, 50,
	       "the filter does not change the growth of a total");
	tap_is(total_of(&w, "pages")->value, 16,
	       "the filter does not change the total of a later statistic");
	end(&w);
}

static const struct column *column_of(const struct columns *columns, const char *name)
{
	size_t i;

	for (i = 0; i < columns->columns; i++) {
		if (!strcmp(columns->column[i].name, name))
			return &columns->column[i];
	}
	return NULL;
}

static void test_columns(void)
{
	struct columns columns = { 0 };
	struct world w;

	begin(&w, NULL);
	sample(&w, start, start);
	columns_set(&columns, w.totals);
	tap_is(columns.columns, 4, "there is a column for each statistic except histograms");
	tap_ok(columns_all_zero(&columns), "all columns are 0 before the second sample");
	sample(&w, later, start);
	tap_is(column_of(&columns, "exits")->total->change, 50,
	       "the column of a counter has its growth");
	tap_is(column_of(&columns, "pages")->total->change, -2,
	       "the column of an instantaneous value has its difference");
	tap_ok(!columns_all_zero(&columns), "columns with growth are not all 0");
	sample(&w, later, start);
	tap_ok(columns_all_zero(&columns), "all columns are 0 if nothing has changed");
	columns_free(&columns);
	end(&w);
}

/* Statistics in another order than those in descs, and one more. */
static const struct kvmstats_desc other_descs[] = {
	{ .name = "pages", .type = KVMSTATS_TYPE_INSTANT, .size = 1 },
	{ .name = "exits", .size = 1 },
	{ .name = "exit_io", .size = 1 },
};

static void sample_both(struct world *w, uint64_t exits, uint64_t io)
{
	const uint64_t first[VALUES] = { exits }, second[] = { 10, exits, io };

	targets_read(&w->vmm[0]);
	targets_read(&w->vmm[1]);
	kvmstats_sample_set(w->vmm[0].target[0]->now, first, VALUES, exits);
	kvmstats_sample_set(w->vmm[1].target[0]->now, second, ARRAY_SIZE(second), exits);
	totals_update(w->totals);
}

static void test_different_statistics(void)
{
	struct columns columns = { 0 };
	struct world w;

	begin(&w, NULL);
	sample(&w, start, start);
	columns_set(&columns, w.totals);
	set_vm(&w, 1, other_descs, ARRAY_SIZE(other_descs));
	sample_both(&w, 200, 30);
	sample_both(&w, 210, 35);
	tap_is(total_of(&w, "exits")->value, 420,
	       "a total includes VMs that have the statistic in another place");
	tap_is(total_of(&w, "exits")->delta, 20, "so does its growth");
	tap_ok(total_of(&w, "exit_io")->value == 35 && total_of(&w, "exit_io")->delta == 5,
	       "a statistic of one VM only has a total");
	tap_ok(columns_differ(&columns, w.totals) && columns_set(&columns, w.totals) &&
	       column_of(&columns, "exit_io"), "a new statistic gets a column");
	columns_free(&columns);
	end(&w);
}

int main(void)
{
	test_totals();
	test_changes();
	test_baselines();
	test_filter();
	test_columns();
	test_different_statistics();
	return tap_end();
}
