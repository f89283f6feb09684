// SPDX-License-Identifier: GPL-2.0-only
/* Test the columns of kvm-stats log. */
#include <math.h>
#include <string.h>

#include "fake_host.h"
#include "read/columns.h"
#include "tap.h"

static const struct fake_stat vm_stats[] = {
	{ .name = "pages", .flags = KVM_STATS_TYPE_INSTANT, .size = 1 },
	{ .name = "most", .flags = KVM_STATS_TYPE_PEAK, .size = 1 },
};

static const struct fake_stat vcpu_stats[] = {
	{ .name = "exits", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
	{ .name = "io_exits", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
	{ .name = "mmio_exits", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
	{ .name = "wait_hist", .flags = KVM_STATS_TYPE_LOG_HIST, .size = 2 },
};

struct log_host {
	struct fake_host host;
	struct columns columns;
};

static void open_log(struct log_host *log, const char *regex)
{
	struct message why;

	*log = (struct log_host){ 0 };
	fake_host_open(&log->host, vm_stats, ARRAY_SIZE(vm_stats), vcpu_stats,
		       ARRAY_SIZE(vcpu_stats));
	log->host.options.processes = PROCESSES_OF_VCPUS;
	filter_set_regex(&log->host.filter, regex, &why);
}

/* Reads a sample of a guest with two VMs and three vCPUs, and sets the values of the columns. */
static void sample_log(struct log_host *log, const uint64_t *vcpu)
{
	static const uint64_t vm[2][2] = { { 10, 5 }, { 20, 7 } };

	fake_host_vm(&log->host, 1, 101, vm[0]);
	fake_host_vcpu(&log->host, 1, 0, vcpu);
	fake_host_vcpu(&log->host, 1, 1, vcpu);
	fake_host_vm(&log->host, 2, 101, vm[1]);
	fake_host_vcpu(&log->host, 2, 0, vcpu);
	if (fake_host_sample(&log->host))
		fake_host_fail("the sample cannot be read");
	if (!log->columns.columns)
		columns_make(&log->columns, log->host.monitor);
	columns_set(&log->columns, log->host.monitor->vmm[0]);
}

static void close_log(struct log_host *log)
{
	columns_free(&log->columns);
	fake_host_close(&log->host);
}

/* Returns NAN if there is no such column. */
static double value_of(const struct log_host *log, const char *name)
{
	size_t i;

	for (i = 0; i < log->columns.columns; i++) {
		if (!strcmp(log->columns.column[i].name, name))
			return log->columns.column[i].value;
	}
	return NAN;
}

static const uint64_t start[] = { 100, 10, 1, 0, 0 };
static const uint64_t later[] = { 150, 12, 2, 5, 5 };
static const uint64_t reset[] = { 7, 20, 2, 5, 5 };

static void test_default(void)
{
	struct log_host log;

	open_log(&log, NULL);
	sample_log(&log, start);
	tap_is(log.columns.columns, GUEST_VALUES, "there is a column for each value that matters");
	tap_ok(isnan(value_of(&log, "exits")), "rates are not known after the first sample");
	tap_ok(isnan(value_of(&log, "memory_mib")), "nor is the memory of another host's process");
	sample_log(&log, later);
	tap_ok(value_of(&log, "exits") == 150, "exits are the sum of the vCPUs of all VMs");
	tap_ok(value_of(&log, "io_exits") == 9, "accesses to devices are those of all kinds");
	tap_ok(!columns_are_zero(&log.columns), "columns with growth are not all 0");
	sample_log(&log, later);
	tap_ok(columns_are_zero(&log.columns), "columns without growth are");
	close_log(&log);
}

static void test_selected(void)
{
	struct log_host log;

	open_log(&log, "exits$|pages|most|hist");
	sample_log(&log, start);
	tap_is(log.columns.columns, 5, "each statistic has a column, except for histograms");
	tap_ok(!strcmp(log.columns.column[0].name, "exits"), "they are in the order of names");
	sample_log(&log, later);
	tap_ok(value_of(&log, "exits") == 150 && value_of(&log, "io_exits") == 6,
	       "a counter has its growth per second");
	tap_ok(value_of(&log, "pages") == 30, "an instantaneous value is the sum of the VMs");
	tap_ok(value_of(&log, "most") == 7, "a peak value is the largest one");
	tap_is(log.columns.resets, 0, "no value was reset");
	sample_log(&log, reset);
	tap_ok(log.columns.resets == 3 && !strcmp(log.columns.reset, "exits"),
	       "values that decrease were reset");
	tap_ok(isnan(value_of(&log, "exits")) && value_of(&log, "io_exits") == 24,
	       "their growth is not known");
	close_log(&log);
}

static void test_guest_statistics(void)
{
	struct log_host log;

	open_log(&log, "^(cpu_ns|exits)$");
	sample_log(&log, start);
	tap_is(log.columns.columns, 2, "statistics of the process can be selected");
	tap_ok(isnan(value_of(&log, "cpu_ns")), "they are not known of another host's process");
	close_log(&log);
}

int main(void)
{
	test_default();
	test_selected();
	test_guest_statistics();
	return tap_end();
}
