// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/once.h"
#include "log/column.h"
#include "notice.h"
#include "options/status.h"
#include "unread.h"
#include "util.h"

static bool sample(struct monitor *monitor, struct totals *totals)
{
	char buf[128];
	int err = monitor_sample(monitor);

	if (!err)
		err = totals_update(totals);
	if (err)
		complain("cannot read statistics: %s", kvmstats_strerror(err, buf, sizeof(buf)));
	return !err;
}

static void print_column(const struct column *column, bool include_past)
{
	/* For a statistic that does not count up, only its value is meaningful. */
	bool absolute = include_past || !column->total->counts_up;
	uint64_t value = absolute ? column->last : (uint64_t)column->change;

	printf("%-42s%10" PRIu64 "%10" PRId64 "\n", column->name, value, column->change);
}

static bool print(const struct kvm_stat_options *options, struct monitor *monitor,
		  struct totals *totals)
{
	struct columns columns = { 0 };
	size_t i;

	if (!sample(monitor, totals) || !columns_set(&columns, totals))
		return false;
	while (monitor_wait(monitor, monitor->time + SECOND) == -EINTR)
		;
	if (!sample(monitor, totals) || !columns_set(&columns, totals))
		return false;
	columns_update(&columns);
	for (i = 0; i < columns.columns; i++)
		print_column(&columns.column[i], options->include_past);
	columns_report_cleared(totals);
	columns_free(&columns);
	return true;
}

int once_print(const struct kvm_stat_options *options, struct monitor *monitor)
{
	struct totals *totals;
	bool good;

	if (!require_statistics(monitor) || !require_matches(monitor))
		return STATUS_FAILED;
	notice_start(monitor);
	good = report_unread(monitor);
	totals = totals_open(monitor, NULL, NULL);
	if (!totals) {
		out_of_memory();
		return STATUS_FAILED;
	}
	good &= print(options, monitor, totals);
	good &= report_unread(monitor);
	totals_close(totals);
	return good ? STATUS_OK : STATUS_FAILED;
}

/* Like kvm_stat, omits "kvm_exit(HLT)": it comes with kvm_exit. */
int names_print(struct monitor *monitor)
{
	struct columns columns = { 0 };
	struct totals *totals;
	bool good;
	size_t i;

	if (!require_statistics(monitor))
		return STATUS_FAILED;
	totals = totals_open(monitor, NULL, NULL);
	if (!totals) {
		out_of_memory();
		return STATUS_FAILED;
	}
	good = sample(monitor, totals) && columns_set(&columns, totals);
	for (i = 0; i < columns.columns; i++) {
		if (!strchr(columns.column[i].name, '('))
			printf("  %s\n", columns.column[i].name);
	}
	columns_free(&columns);
	totals_close(totals);
	return good ? STATUS_OK : STATUS_FAILED;
}
