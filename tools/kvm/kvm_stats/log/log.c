// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/column.h"
#include "log/file.h"
#include "log/log.h"
#include "notice.h"
#include "options/status.h"
#include "print/stamp.h"
#include "unread.h"
#include "util.h"

#define HEADER_EVERY	20
#define MIN_WIDTH	9
#define STAMP_WIDTH	29
#define KVM_STAT_STAMP_WIDTH	19

static volatile sig_atomic_t reopen_requested;
static volatile sig_atomic_t stop_requested;

struct log {
	const struct log_options *options;
	struct monitor *monitor;
	struct totals *totals;
	struct columns columns;
	struct log_file file;
	bool has_header;		/* the CSV header is written, so the columns are fixed */
	bool warned;			/* about statistics that have no column */
	unsigned int lines;		/* since the last header */
};

static void on_signal(int signal)
{
	if (signal == SIGHUP)
		reopen_requested = 1;
	else
		stop_requested = 1;
}

static void catch_signals(bool with_hangup)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (with_hangup)
		sigaction(SIGHUP, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

/* ---- lines ---- */

static int width_of(const struct column *column)
{
	int len = (int)strlen(column->name);

	return len > MIN_WIDTH ? len : MIN_WIDTH;
}

static void put_header(const struct log *log, FILE *to)
{
	bool csv = log->options->csv;
	size_t i;

	if (csv)
		fputs("timestamp", to);
	else
		fprintf(to, "%*s", log->options->kvm_stat_stamps ? KVM_STAT_STAMP_WIDTH :
						STAMP_WIDTH, "");
	for (i = 0; i < log->columns.columns; i++) {
		const struct column *column = &log->columns.column[i];

		if (csv)
			fprintf(to, ",%s", column->name);
		else
			fprintf(to, " %*s", width_of(column), column->name);
	}
	fputc('\n', to);
}

static void put_values(const struct log *log, FILE *to)
{
	uint64_t time = log->monitor->time;
	char stamp[STAMP_SIZE];
	size_t i;

	fputs(log->options->kvm_stat_stamps ? stamp_of_kvm_stat(time, stamp) :
	      stamp_of(time, stamp), to);
	for (i = 0; i < log->columns.columns; i++) {
		const struct column *column = &log->columns.column[i];

		if (log->options->csv)
			fprintf(to, ",%" PRId64, column->change);
		else
			fprintf(to, " %*" PRId64, width_of(column), column->change);
	}
	fputc('\n', to);
}

static bool write_line(struct log *log, void (*put)(const struct log *log, FILE *to))
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	bool good;

	if (!to)
		return false;
	put(log, to);
	good = !fclose(to) && log_file_write(&log->file, text, size);
	free(text);
	return good;
}

/* ---- columns ---- */

/* An existing file is only continued if its columns are the same. */
static bool check_columns(struct log *log, const char *first_line)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	bool same;

	if (!to)
		return false;
	put_header(log, to);
	fclose(to);
	text[strcspn(text, "\n")] = '\0';
	same = !strcmp(text, first_line);
	free(text);
	if (!same)
		complain("%s has other columns than the selected statistics; use another file",
			 log->file.name);
	return same;
}

static bool start_csv(struct log *log)
{
	char *first = log->file.name ? log_file_first_line(&log->file) : NULL;
	bool good = first ? check_columns(log, first) : write_line(log, put_header);

	free(first);
	return good;
}

static bool start_columns(struct log *log)
{
	if (!columns_set(&log->columns, log->totals)) {
		complain("out of memory");
		return false;
	}
	log->lines = 0;
	log->warned = false;
	log->has_header = log->options->csv;
	return !log->options->csv || start_csv(log);
}

/* A table may get new columns at any time, a CSV file may not. */
static bool update_columns(struct log *log)
{
	if (!columns_differ(&log->columns, log->totals))
		return true;
	if (!log->has_header || !log->options->csv)
		return start_columns(log);
	if (!log->warned) {
		complain("new statistics are not logged, because the columns of CSV are fixed");
		complain("Start a new log to include them.");
	}
	log->warned = true;
	return true;
}

/* ---- the loop ---- */

static bool reopen(struct log *log)
{
	reopen_requested = 0;
	log_file_reopen(&log->file);
	log->has_header = false;
	return !log->columns.columns || start_columns(log);
}

static bool write_record(struct log *log)
{
	if (log->options->skip_zero && columns_all_zero(&log->columns))
		return true;
	if (!log->options->csv && log->lines % HEADER_EVERY == 0 && !write_line(log, put_header))
		return false;
	log->lines++;
	return write_line(log, put_values);
}

static bool sample(struct log *log)
{
	char buf[128];
	int err = monitor_sample(log->monitor);

	if (!err)
		err = totals_update(log->totals);
	report_unread(log->monitor);
	notice_exits(log->monitor);
	if (!err)
		return true;
	complain("cannot read statistics: %s", kvmstats_strerror(err, buf, sizeof(buf)));
	return false;
}

static bool record(struct log *log)
{
	if (!sample(log))
		return false;
	columns_report_cleared(log->totals);
	columns_update(&log->columns);
	if (!update_columns(log))
		return false;
	return !log->columns.columns || write_record(log);
}

/* Returns 1 at @deadline, 0 if the log has to end, or -1 after an error. */
static int wait_until(struct log *log, uint64_t deadline)
{
	for (;;) {
		int err = monitor_wait(log->monitor, deadline);

		if (stop_requested)
			return 0;
		if (reopen_requested && !reopen(log))
			return -1;
		if (!err)
			return 1;
		if (err == -ESRCH)
			return 0;
		if (err != -EINTR)
			return -1;
	}
}

static int run(struct log *log)
{
	uint64_t deadline;
	unsigned long i;

	if (!sample(log) || !update_columns(log))
		return STATUS_FAILED;
	deadline = log->monitor->time;
	for (i = 0; !log->options->count || i < log->options->count; i++) {
		int ret;

		deadline += log->options->interval;
		if (deadline < clock_now())
			deadline = clock_now();
		ret = wait_until(log, deadline);
		if (!ret)
			return STATUS_OK;
		if (ret < 0 || !record(log))
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static bool prepare(struct log *log)
{
	const struct filter *filter = log->options->filter;

	/* Without -p and -g, the log may start before there is a VM. */
	if ((log->monitor->vmms || filter_names_vmms(filter)) && !require_statistics(log->monitor))
		return false;
	if (monitor_targets(log->monitor) && !require_matches(log->monitor))
		return false;
	log->totals = totals_open(log->monitor, NULL, NULL);
	if (!log->totals)
		return out_of_memory();
	return log_file_open(&log->file, log->options->file);
}

int log_write(const struct log_options *options, struct monitor *monitor)
{
	struct log log = { .options = options, .monitor = monitor };
	int status = STATUS_FAILED;

	if (prepare(&log)) {
		catch_signals(options->file);
		notice_start(monitor);
		status = run(&log);
		if (!log_file_close(&log.file))
			status = STATUS_FAILED;
	}
	columns_free(&log.columns);
	totals_close(log.totals);
	return status;
}
