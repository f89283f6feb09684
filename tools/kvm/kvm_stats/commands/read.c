// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats read */
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/output.h"
#include "commands/command.h"
#include "messages/notice.h"
#include "messages/require.h"
#include "options/filter.h"
#include "options/number.h"
#include "options/options.h"
#include "options/status.h"
#include "print/heading.h"
#include "print/query_stats.h"
#include "print/table.h"

#define MIN_INTERVAL	0.01

struct read_options {
	uint64_t interval;	/* in ns; 0: one sample, no rates */
	unsigned long count;	/* of intervals; 0: until all VMMs of -p end */
	bool base_units;
	bool json;
	struct filter filter;
};

static const char usage[] =
	"Usage: kvm-stats read [OPTION]...\n"
	"\n"
	"Prints the statistics of VMs and vCPUs. With -i, prints them after each interval,\n"
	"with their growth per second.\n"
	"\n"
	"  -i, --interval=SEC  interval in seconds, for example 1 or 0.5\n"
	"  -c, --count=N       stop after N intervals (default: when all VMMs of -p end)\n"
	"  -j, --json          print the format of QEMU's query-stats, one line per sample\n"
	"  -b, --base-units    print seconds and bytes, not ns and KiB\n"
	FILTER_HELP
	"  -h, --help          print this help\n";

static void print_all(const struct report *report, const struct monitor *monitor, bool headings)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		const struct vmm *vmm = monitor->vmm[i];

		if (!vmm->targets)
			continue;
		if (headings)
			print_heading(vmm);
		report_print(report, vmm);
	}
}

static void print_interval(const struct read_options *options, struct report *report,
			   const struct monitor *monitor, unsigned long i)
{
	bool many = monitor->vmms > 1 || !monitor->named.count;

	if (options->json) {
		query_stats_print(monitor);
		return;
	}
	printf("%s# after %.1f s\n", i > 1 ? "\n" : "", (double)(i * options->interval) / 1e9);
	report_measure(report, monitor);
	print_all(report, monitor, many);
}

/* SIGSTOP and SIGCONT interrupt the wait, but do not end it. */
static int wait_until(struct monitor *monitor, uint64_t deadline)
{
	int err;

	do {
		err = monitor_wait(monitor, deadline);
	} while (err == -EINTR);
	return err;
}

static int watch(const struct read_options *options, struct report *report,
		 struct monitor *monitor)
{
	uint64_t start = clock_now();
	unsigned long i;
	int err;

	if (!flush_output())
		return -EIO;
	for (i = 1; !options->count || i <= options->count; i++) {
		err = wait_until(monitor, start + i * options->interval);
		if (!err)
			err = monitor_sample(monitor);
		if (!err && monitor_has_ended(monitor))
			err = -ESRCH;
		if (err)
			return err;
		print_interval(options, report, monitor, i);
		if (!flush_output())
			return -EIO;
	}
	return 0;
}

static int finish(const struct read_options *options, int err)
{
	char buf[128];

	if (!flush_output())
		return STATUS_FAILED;
	if (err == -ESRCH) {
		if (options->filter.pids == 1)
			complain("PID %d has ended", (int)options->filter.pid[0]);
		else
			complain("all selected VMMs have ended");
		return options->count ? STATUS_FAILED : STATUS_OK;
	}
	if (!err)
		return STATUS_OK;
	complain("cannot read statistics: %s", kvmstats_strerror(err, buf, sizeof(buf)));
	return STATUS_FAILED;
}

static int show(const struct read_options *options, struct monitor *monitor)
{
	struct report report = {
		.rates = options->interval,
		.base_units = options->base_units,
	};
	int err;

	if (!require_statistics(monitor) || !require_matches(monitor))
		return STATUS_FAILED;
	if (options->json && !query_stats_require_one(monitor))
		return STATUS_FAILED;
	if (options->json)
		query_stats_warn_unknown(monitor);
	report_measure(&report, monitor);
	err = monitor_sample(monitor);
	if (err || monitor_has_ended(monitor))
		return finish(options, err ? err : -ESRCH);
	if (options->interval) {
		if (monitor->named.count == 1 && !options->json)
			print_heading(monitor->vmm[0]);
		monitor->options.event = notice_search;
		monitor->options.arg = monitor;
		err = watch(options, &report, monitor);
	} else if (options->json) {
		query_stats_print(monitor);
	} else {
		print_all(&report, monitor, true);
	}
	return finish(options, err);
}

static bool set_option(int option, const char *value, void *arg)
{
	struct read_options *options = arg;

	switch (option) {
	case 'i':
		return parse_seconds("-i", value, MIN_INTERVAL, &options->interval);
	case 'c':
		return parse_count("-c", value, &options->count);
	case 'j':
		return options->json = true;
	case 'b':
		return options->base_units = true;
	default:
		return filter_option(&options->filter, option, value);
	}
}

static int parse(int argc, char **argv, struct read_options *options)
{
	static const struct option table[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'c' },
		{ "json", no_argument, NULL, 'j' },
		{ "base-units", no_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static const struct command_options accepted = {
		.letters = "i:c:jbh", .table = table, .usage = usage, .set = set_option,
	};
	int status = options_parse(argc, argv, &accepted, options);

	if (options->count && !options->interval)
		options->interval = SECOND;
	return status;
}

int command_read(int argc, char **argv)
{
	struct read_options options = { 0 };
	struct monitor_options monitor_options = { .filter = &options.filter };
	struct monitor *monitor;
	int status = parse(argc, argv, &options);

	if (status < 0) {
		monitor = require_monitor(&monitor_options);
		status = monitor ? show(&options, monitor) : STATUS_FAILED;
		monitor_close(monitor);
	}
	filter_free(&options.filter);
	return status;
}
