// SPDX-License-Identifier: GPL-2.0-only
/* Test the totals and baselines of sample values. */
#include <stdlib.h>
#include <string.h>

#include "fake_host.h"
#include "sums.h"
#include "tap.h"

#define VALUES	6

static const struct fake_stat stats[] = {
	{ .name = "exits", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
	{ .name = "wait_hist", .flags = KVM_STATS_TYPE_LOG_HIST, .size = 3 },
	{ .name = "pages", .flags = KVM_STATS_TYPE_INSTANT, .size = 1 },
	{ .name = "most", .flags = KVM_STATS_TYPE_PEAK, .size = 1 },
};

static const struct fake_stat vcpu_stats[] = {
	{ .name = "halts", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
};

/* Two fake VMs, whose values the test sets. */
struct world {
	struct fake_host host;
	struct totals totals;
};

static void begin(struct world *w, const char *regex)
{
	struct message why;

	w->totals = (struct totals){ 0 };
	fake_host_open(&w->host, stats, ARRAY_SIZE(stats), vcpu_stats, ARRAY_SIZE(vcpu_stats));
	filter_set_regex(&w->host.filter, regex, &why);
}

static void end(struct world *w)
{
	totals_free(&w->totals);
	fake_host_close(&w->host);
}

/* Reads a sample, without totals. A VM whose values are NULL does not exist. */
static void read_sample(struct world *w, const uint64_t *first, const uint64_t *second)
{
	if (first)
		fake_host_vm(&w->host, 1, 101, first);
	if (second)
		fake_host_vm(&w->host, 2, 102, second);
	if (fake_host_sample(&w->host))
		fake_host_fail("the sample cannot be read");
}

static void sample(struct world *w, const uint64_t *first, const uint64_t *second)
{
	read_sample(w, first, second);
	totals_update(&w->totals, w->host.monitor, NULL, NULL);
}

static const struct total *total_of(const struct world *w, const char *name)
{
	size_t i;

	for (i = 0; i < w->totals.totals; i++) {
		if (!strcmp(w->totals.total[i]->name, name))
			return w->totals.total[i];
	}
	return NULL;
}

static const uint64_t start[VALUES] = { 100, 1, 2, 3, 10, 5 };
static const uint64_t later[VALUES] = { 150, 1, 5, 3, 8, 9 };
static const uint64_t cleared[VALUES] = { 7, 0, 6, 3, 8, 9 };

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
	tap_ok(!total_of(&w, "pages")->cleared,
	       "instantaneous values are not reported as cleared");
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
	sample(&w, later, NULL);
	tap_is(exits->value, 150, "a VM that has ended is not part of the total");
	tap_is(exits->delta, 0, "a VM that has ended does not contribute to the growth");
	sample(&w, NULL, NULL);
	tap_ok(!exits->present && !exits->value, "a total without VMs remains, with the value 0");
	end(&w);
}

/* Takes a sample with these exits. Returns how many the total counts since the baselines. */
static uint64_t growth(struct world *w, uint64_t first, uint64_t second)
{
	const uint64_t one[VALUES] = { first }, two[VALUES] = { second };

	read_sample(w, one, two);
	baselines_update(w->host.monitor);
	totals_update(&w->totals, w->host.monitor, NULL, NULL);
	return total_of(w, "exits")->growth[0];
}

static void test_baselines(void)
{
	struct world w;

	begin(&w, NULL);
	read_sample(&w, start, NULL);
	tap_ok(baselines_start(w.host.monitor), "the first sample sets the baselines");
	totals_update(&w.totals, w.host.monitor, NULL, NULL);
	tap_is(total_of(&w, "exits")->growth[0], 0, "totals start at 0");
	tap_is(total_of(&w, "exits")->value, 100,
	       "totals including the past start at the value of the statistic");
	tap_is(growth(&w, 130, 7), 37,
	       "an old VM counts from the first sample, and a new one from 0");
	tap_is(growth(&w, 4, 7), 11, "a cleared statistic counts from 0");
	tap_is(growth(&w, 5000, 7), 5007, "a cleared statistic continues to grow");
	baselines_start(w.host.monitor);
	tap_is(growth(&w, 5001, 7), 1, "totals start at 0 after a reset");
	sample(&w, NULL, NULL);
	tap_ok(baselines_start(w.host.monitor), "all VMs can disappear");
	end(&w);
}

static void test_filter(void)
{
	struct world w;

	begin(&w, "pages");
	sample(&w, start, start);
	sample(&w, later, cleared);
	tap_is(w.totals.totals, 1, "the filter selects statistics");
	tap_is(total_of(&w, "pages")->value, 16,
	       "the filter does not change the total of a later statistic");
	end(&w);
}

/* Statistics in another order than those above, and one more */
static const struct fake_stat other_stats[] = {
	{ .name = "pages", .flags = KVM_STATS_TYPE_INSTANT, .size = 1 },
	{ .name = "exits", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
	{ .name = "exit_io", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
};

/* As after an update of the kernel's module, which is published again */
static void test_different_statistics(void)
{
	static const uint64_t first[] = { 10, 200, 30 }, second[] = { 10, 210, 35 };
	struct world w;

	begin(&w, NULL);
	sample(&w, start, start);
	fake_host_set_stats(&w.host, other_stats, ARRAY_SIZE(other_stats), vcpu_stats,
			    ARRAY_SIZE(vcpu_stats));
	sample(&w, first, first);
	tap_ok(total_of(&w, "exits")->value == 400 && !total_of(&w, "exits")->delta,
	       "a total continues with VMs that have the statistic in another place");
	tap_ok(!total_of(&w, "most")->present, "a statistic that no VM has is not present");
	sample(&w, second, first);
	tap_is(total_of(&w, "exits")->delta, 10, "its growth continues");
	tap_ok(total_of(&w, "exit_io")->value == 65 && total_of(&w, "exit_io")->delta == 5,
	       "a new statistic has a total");
	end(&w);
}

int main(void)
{
	test_totals();
	test_changes();
	test_baselines();
	test_filter();
	test_different_statistics();
	return tap_end();
}
