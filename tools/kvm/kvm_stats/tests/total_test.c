// SPDX-License-Identifier: GPL-2.0-only
/* Rows, sums and columns of numbers that are made up, and what tracepoints are split by. */
#include <stdlib.h>
#include <string.h>

#include "column.h"
#include "exit_reason.h"
#include "row.h"
#include "target.h"
#include "tap.h"
#include "total.h"

#define SECOND	UINT64_C(1000000000)
#define VALUES	7

static const struct kvmstats_desc descs[] = {
	{ .name = "exits", .size = 1 },
	{ .name = "exits(HLT)", .size = 1 },
	{ .name = "wait_hist", .type = KVMSTATS_LOG_HIST, .size = 3 },
	{ .name = "pages", .type = KVMSTATS_INSTANT, .size = 1 },
	{ .name = "most", .type = KVMSTATS_PEAK, .size = 1 },
};

/* Two VMs, whose numbers the test sets. */
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

static void let_go(struct target *target)
{
	(void)target;
}

static const struct source made_up = { .read = read_nothing, .detach = let_go };

static void add_vm(struct world *w, int i)
{
	struct target_key key = { .source = &made_up, .scope = SCOPE_VM, .vcpu = -1, .vmm_fd = i };

	w->vmms[i] = &w->vmm[i];
	w->vmm[i].state = calloc(1, sizeof(*w->vmm[i].state));
	w->vmm[i].vms = 1;
	targets_begin(&w->vmm[i]);
	target_add(&w->vmm[i], &key, w->monitor.sets.set[0])->origin = ORIGIN_OPENED;
	targets_end(&w->vmm[i]);
}

static void begin(struct world *w, const char *regex)
{
	struct kvmstats_schema *schema;
	const struct stat_set *set;

	memset(w, 0, sizeof(*w));
	filter_set_regex(&w->filter, regex);
	stat_sets_init(&w->monitor.sets, &w->filter);
	kvmstats_schema_make(&schema, descs, sizeof(descs) / sizeof(*descs));
	stat_sets_add(&w->monitor.sets, schema, &set);
	add_vm(w, 0);
	add_vm(w, 1);
	w->monitor.vmm = w->vmms;
	w->monitor.vmms = 2;
	w->monitor.generation = 1;
	totals_open(&w->totals, &w->monitor, NULL, NULL);
}

static void end(struct world *w)
{
	int i;

	totals_close(w->totals);
	for (i = 0; i < 2; i++) {
		targets_drop(&w->vmm[i]);
		free(w->vmm[i].state->list.target);
		free(w->vmm[i].state->old.target);
		free(w->vmm[i].state);
	}
	stat_sets_free(&w->monitor.sets);
	filter_free(&w->filter);
}

/* What monitor_sample() does, with these numbers, a second later. */
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
	tap_is(exits->value, 200, "counts are added up");
	tap_is(exits->delta, 0, "without a sample before there is no growth");
	tap_is(total_of(&w, "most")->value, 5, "of peaks the largest counts");
	tap_is(total_of(&w, "pages")->value, 20, "what is so now is added up");
	tap_is(hist->values[1], 4, "buckets are");
	sample(&w, later, start);
	tap_is(exits->delta, 50, "growth is");
	tap_ok(exits->rate == 50, "and has a rate: %f", exits->rate);
	tap_is(hist->delta, 3, "so do histograms");
	tap_is(total_of(&w, "most")->value, 9, "a peak of one VM is the peak");
	tap_ok(!exits->cleared, "nothing was cleared");
	sample(&w, cleared, later);
	tap_ok(exits->cleared, "a count that falls back is told");
	tap_is(exits->delta, 50, "and only the other one's growth counts");
	tap_is(exits->value, 157, "its value is what it is");
	tap_ok(hist->cleared && hist->deltas[1] == 4, "so are buckets");
	tap_ok(!total_of(&w, "exits(HLT)")->cleared && !total_of(&w, "pages")->cleared,
	       "others are not, nor what may fall");
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
	tap_is(exits->value, 150, "a VM that has gone is in no sum");
	tap_is(exits->delta, 0, "and makes no growth");
	w.monitor.vmms = 0;
	w.monitor.generation++;
	totals_update(w.totals);
	tap_ok(!exits->present && !exits->value, "a statistic that nobody has stays, as nothing");
	w.monitor.vmms = 2;
	end(&w);
}

static void test_filter(void)
{
	struct world w;

	begin(&w, "pages|HLT");
	sample(&w, start, start);
	sample(&w, later, cleared);
	tap_is(w.totals->totals, 3, "a part brings the whole, and the filter keeps the rest away");
	tap_is(total_of(&w, "exits(HLT)")->delta, 50, "sums of some are those of all");
	tap_is(total_of(&w, "pages")->value, 16, "also across what is left out");
	end(&w);
}

static void test_rows(void)
{
	const struct kvmstats_stat *exits, *hist, *pages;
	struct target *target;
	struct row row;
	struct world w;

	begin(&w, NULL);
	target = w.vmm[0].target[0];
	exits = target->set->stat[0];
	hist = target->set->stat[2];
	pages = target->set->stat[3];
	row_get(&row, target, exits);
	tap_ok(!row.values && row.growth == GROWTH_UNKNOWN, "a row has nothing before a sample");
	sample(&w, start, start);
	row_get(&row, target, exits);
	tap_ok(row.value == 100 && row.growth == GROWTH_UNKNOWN, "with one it has a value");
	sample(&w, later, later);
	row_get(&row, target, exits);
	tap_ok(row.growth == GROWTH_KNOWN && row.delta == 50 && row.rate == 50,
	       "with two it has growth");
	row_get(&row, target, hist);
	tap_ok(row.value == 9 && row.delta == 3, "a histogram has the number of its samples");
	row_get_element(&row, target, hist, 1);
	tap_ok(row.value == 5 && row.delta == 3, "and each bucket is a row");
	row_get(&row, target, pages);
	tap_ok(row.growth == GROWTH_NONE && !row.delta, "what does not count up does not grow");
	sample(&w, cleared, later);
	row_get(&row, target, exits);
	tap_ok(row.growth == GROWTH_CLEARED && !row.delta && row.rate == 0,
	       "a count that falls back has no rate");
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
	tap_is(columns.columns, 4, "histograms have no column");
	tap_ok(columns_all_zero(&columns), "before a second sample all is zero");
	sample(&w, later, start);
	columns_update(&columns);
	tap_is(column_of(&columns, "exits")->change, 50, "then counts have their growth");
	tap_is(column_of(&columns, "pages")->change, -2, "and the rest its difference");
	tap_ok(!columns_all_zero(&columns), "which is not zero");
	sample(&w, later, start);
	columns_update(&columns);
	tap_ok(columns_all_zero(&columns), "and zero when nothing happens");
	columns_free(&columns);
	end(&w);
}

static const char *reason(const char *event, const char *machine, int svm, unsigned int number)
{
	const struct exit_reasons *reasons = exit_reasons_for(event, machine, svm);
	size_t i;

	for (i = 0; reasons && i < reasons->reasons; i++) {
		if (reasons->reason[i].number == number)
			return reasons->reason[i].name;
	}
	return "";
}

static void test_reasons(void)
{
	tap_ok(!strcmp(reason("kvm_exit", "x86_64", 0, 12), "HLT"), "VMX exits have names");
	tap_ok(!strcmp(reason("kvm_exit", "i686", 1, 0x78), "HLT"), "SVM exits have");
	tap_ok(!strcmp(reason("kvm_exit", "aarch64", 0, 0x24), "DABT"), "arm64 ones have");
	tap_ok(!strcmp(reason("kvm_userspace_exit", "s390x", 0, 13), "S390_SIEIC"),
	       "those to user space have, everywhere");
	tap_ok(!exit_reasons_for("kvm_exit", "ppc64le", 0), "others are not split");
	tap_ok(!exit_reasons_for("kvm_entry", "x86_64", 0), "nor are other tracepoints");
}

int main(void)
{
	test_totals();
	test_changes();
	test_filter();
	test_rows();
	test_columns();
	test_reasons();
	return tap_end();
}
