// SPDX-License-Identifier: GPL-2.0-only
/* The columns of a log, and kvm-stats -1 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notice.h"
#include "options.h"
#include "read/read.h"
#include "unread.h"
#include "util.h"

/* ---- columns ---- */

static bool has_column(const struct total *total)
{
	return !kvmstats_stat_is_hist(total->stat) && total->size == 1;
}

static size_t count(const struct totals *totals)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < totals->totals; i++)
		n += has_column(totals->total[i]);
	return n;
}

bool columns_differ(const struct columns *columns, const struct totals *totals)
{
	return count(totals) != columns->columns;
}

static int by_name(const void *a, const void *b)
{
	const struct column *x = a, *y = b;
	int order = strcmp(x->total->name, y->total->name);

	return order ? order : (x->total->origin > y->total->origin) -
			       (x->total->origin < y->total->origin);
}

static bool same_name(const struct column *a, const struct column *b)
{
	return !strcmp(a->total->name, b->total->name);
}

static void set_names(struct columns *columns)
{
	size_t i;

	for (i = 0; i < columns->columns; i++) {
		struct column *column = &columns->column[i];
		bool several = (i && same_name(column, column - 1)) ||
			       (i + 1 < columns->columns && same_name(column, column + 1));

		snprintf(column->name, sizeof(column->name), "%s%s%s", column->total->name,
			 several ? "@" : "", several ? origin_name(column->total->origin) : "");
	}
}

bool columns_set(struct columns *columns, const struct totals *totals)
{
	struct columns fresh = { calloc(count(totals) + 1, sizeof(*fresh.column)), 0 };
	size_t i;

	if (!fresh.column)
		return out_of_memory();
	for (i = 0; i < totals->totals; i++) {
		if (has_column(totals->total[i]))
			fresh.column[fresh.columns++].total = totals->total[i];
	}
	qsort(fresh.column, fresh.columns, sizeof(*fresh.column), by_name);
	set_names(&fresh);
	columns_free(columns);
	*columns = fresh;
	return true;
}

bool columns_all_zero(const struct columns *columns)
{
	size_t i;

	for (i = 0; i < columns->columns; i++) {
		if (columns->column[i].total->change)
			return false;
	}
	return true;
}

void columns_free(struct columns *columns)
{
	free(columns->column);
	*columns = (struct columns){ 0 };
}

void columns_report_cleared(const struct totals *totals)
{
	const char *name = NULL;
	size_t count = 0;
	size_t i;

	for (i = 0; i < totals->totals; i++) {
		if (totals->total[i]->cleared && !count++)
			name = totals->total[i]->name;
	}
	if (count == 1)
		complain("%s was reset; growth in this interval is not included", name);
	else if (count)
		complain("%s and %zu more were reset; growth in this interval is not included",
			 name, count - 1);
}

bool sample_totals(struct monitor *monitor, struct totals *totals)
{
	int err = monitor_sample(monitor);

	if (!err)
		err = totals_update(totals);
	if (err)
		complain("cannot read statistics: %s", error_text(err));
	return !err;
}

/* ---- kvm-stats -1 ---- */

static void print_column(const struct column *column, bool include_past)
{
	const struct total *total = column->total;
	/* For a statistic that does not count up, only its value is meaningful. */
	uint64_t value = include_past || !total->counts_up ? total->value : total->delta;

	/* A blank stays in front of a value that fills its column. */
	printf("%-41s %9" PRIu64 " %9" PRId64 "\n", column->name, value, total->change);
}

static bool print_once(const struct kvm_stat_options *options, struct monitor *monitor,
		       struct totals *totals)
{
	struct columns columns = { 0 };
	size_t i;

	if (!sample_totals(monitor, totals))
		return false;
	while (monitor_wait(monitor, monitor->time + SECOND) == -EINTR)
		;
	if (!sample_totals(monitor, totals) || !columns_set(&columns, totals))
		return false;
	for (i = 0; i < columns.columns; i++)
		print_column(&columns.column[i], options->include_past);
	columns_report_cleared(totals);
	columns_free(&columns);
	return true;
}

/* Like kvm_stat, omits "kvm_exit(HLT)": it comes with kvm_exit. */
static bool print_names(struct monitor *monitor, struct totals *totals)
{
	struct columns columns = { 0 };
	bool good = sample_totals(monitor, totals) && columns_set(&columns, totals);
	size_t i;

	for (i = 0; i < columns.columns; i++) {
		if (!strchr(columns.column[i].name, '('))
			printf("  %s\n", columns.column[i].name);
	}
	columns_free(&columns);
	return good;
}

static bool run_once(const struct kvm_stat_options *options, struct monitor *monitor)
{
	bool names = options->list_names, good = true;
	struct totals *totals;

	if (!require_statistics(monitor) || (!names && !require_matches(monitor)))
		return false;
	if (!names) {
		notice_start(monitor);
		good = report_unread(monitor);
	}
	totals = totals_open(monitor, NULL, NULL);
	if (!totals)
		good = out_of_memory();
	else if (names)
		good = print_names(monitor, totals);
	else
		good &= print_once(options, monitor, totals);
	totals_close(totals);
	return (names || report_unread(monitor)) && good;
}

int once_print(const struct kvm_stat_options *options)
{
	const struct monitor_options monitor_options = {
		.filter = &options->filter, .sources = options->log.sources,
	};
	struct monitor *monitor = require_monitor(&monitor_options);
	bool good = monitor && run_once(options, monitor);

	monitor_close(monitor);
	return good ? STATUS_OK : STATUS_FAILED;
}
