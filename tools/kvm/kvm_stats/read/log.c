// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats log, kvm-stats -l */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "notice.h"
#include "options.h"
#include "read/read.h"
#include "unread.h"
#include "util.h"

/*
 * ---- files ----
 *
 * A file to which records are appended. If a record cannot be written, because the disk is full,
 * it is lost, and the file still ends with a whole record.
 */

struct log_file {
	const char *name;	/* NULL: standard output */
	int fd;
	bool failing;		/* the last record is lost */
	size_t lost;		/* records since the file was opened */
};

static int open_for_append(const char *name)
{
	int fd = open_readable(name, O_RDWR | O_APPEND);

	/* A pipe or terminal may be writable only. */
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		fd = open(name, O_WRONLY | O_APPEND | O_CLOEXEC);
	return fd;
}

/* Prints a message and returns false if it fails. */
static bool log_file_open(struct log_file *file, const char *name)
{
	*file = (struct log_file){ .name = name, .fd = STDOUT_FILENO };
	if (!name)
		return true;
	file->fd = open_for_append(name);
	if (file->fd >= 0)
		return true;
	complain("cannot open %s for appending: %s", name, strerror(errno));
	return false;
}

static off_t size_of(const struct log_file *file)
{
	struct stat st;

	return fstat(file->fd, &st) || !S_ISREG(st.st_mode) ? -1 : st.st_size;
}

/* Writes all of @text, or nothing if the file is a regular one. Returns 0 or -errno. */
static int write_whole(const struct log_file *file, const char *text, size_t size)
{
	off_t start = size_of(file);

	while (size) {
		ssize_t n = write(file->fd, text, size);
		int err = errno;

		if (n >= 0) {
			text += n;
			size -= (size_t)n;
		} else if (err != EINTR) {
			if (start >= 0 && size_of(file) > start && ftruncate(file->fd, start))
				complain("the log ends with a partial record, which cannot be "
					 "removed: %s", strerror(errno));
			return -err;
		}
	}
	return 0;
}

/*
 * Appends the record @text. Returns false if the log cannot continue: standard output cannot be
 * written, or the file is a pipe without a reader.
 */
static bool log_file_write(struct log_file *file, const char *text, size_t size)
{
	int err = write_whole(file, text, size);

	if (!file->name) {
		if (err && err != -EPIPE)
			complain("cannot write the output: %s", strerror(-err));
		return !err;
	}
	if (err && !file->failing)
		complain("cannot write to %s: %s. Lines are lost until writing works.",
			 file->name, strerror(-err));
	else if (!err && file->failing)
		complain("can write to %s again; %zu line%s could not be written", file->name,
			 file->lost, plural(file->lost));
	file->lost += !!err;
	file->failing = err;
	return err != -EPIPE;
}

/* Opens the file by its name again, for log rotation. If that fails, keeps the old file. */
static void log_file_reopen(struct log_file *file)
{
	int fd;

	if (!file->name)
		return;
	fd = open_for_append(file->name);
	if (fd < 0) {
		complain("cannot open %s again: %s. Lines still go to the previous file.",
			 file->name, strerror(errno));
		return;
	}
	close(file->fd);
	file->fd = fd;
}

/* Prints a message and returns false if records are lost. */
static bool log_file_close(struct log_file *file)
{
	if (file->failing)
		complain("%zu line%s could not be written to %s", file->lost, plural(file->lost),
			 file->name);
	if (!file->name || !close(file->fd))
		return !file->lost;
	complain("cannot write to %s: %s", file->name, strerror(errno));
	return false;
}

/* ---- the log ---- */

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
			fprintf(to, ",%" PRId64, column->total->change);
		else
			fprintf(to, " %*" PRId64, width_of(column), column->total->change);
	}
	fputc('\n', to);
}

/* Returns the line that @put writes. The caller frees it. Returns NULL if memory is exhausted. */
static char *line_of(const struct log *log, void (*put)(const struct log *log, FILE *to))
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	put(log, to);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static bool write_line(struct log *log, void (*put)(const struct log *log, FILE *to))
{
	char *line = line_of(log, put);
	bool good = line ? log_file_write(&log->file, line, strlen(line)) : out_of_memory();

	free(line);
	return good;
}

/*
 * An existing file is only continued if its columns are the same. One that is not regular, or that
 * cannot be read, counts as empty.
 */
static bool start_csv(struct log *log)
{
	char *header = line_of(log, put_header), *start = header ? strdup(header) : NULL;
	size_t len = start ? strlen(start) : 0;
	ssize_t n = 0;
	bool good;

	if (log->file.name && size_of(&log->file) > 0)
		n = pread(log->file.fd, start, len, 0);
	if (!start) {
		good = out_of_memory();
	} else if (n <= 0) {
		good = log_file_write(&log->file, header, len);
	} else {
		good = (size_t)n == len && !memcmp(start, header, len);
		if (!good)
			complain("%s has other columns than the selected statistics; use another "
				 "file", log->file.name);
	}
	free(header);
	free(start);
	log->has_header = good && !log->file.failing;
	return good;
}

static bool start_columns(struct log *log)
{
	if (!columns_set(&log->columns, log->totals))
		return false;
	log->lines = 0;
	log->warned = false;
	return !log->options->csv || start_csv(log);
}

/* A table may get new columns at any time, a CSV file may not. */
static bool update_columns(struct log *log)
{
	if (!columns_differ(&log->columns, log->totals))
		return true;
	if (!log->has_header)
		return start_columns(log);
	if (!log->warned) {
		complain("new statistics are not logged, because the columns of CSV are fixed");
		complain("Start a new log to include them.");
	}
	log->warned = true;
	return true;
}

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
	/* The disk may have been full. */
	if (log->options->csv && !log->has_header && !start_csv(log))
		return false;
	if (!log->options->csv && log->lines % HEADER_EVERY == 0 && !write_line(log, put_header))
		return false;
	log->lines++;
	return write_line(log, put_values);
}

static bool sample(struct log *log)
{
	bool good = sample_totals(log->monitor, log->totals);

	report_unread(log->monitor);
	notice_exits(log->monitor);
	return good;
}

static bool record(struct log *log)
{
	if (!sample(log))
		return false;
	columns_report_cleared(log->totals);
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

static int run_log(struct log *log)
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
	if (monitor_has_targets(log->monitor) && !require_matches(log->monitor))
		return false;
	log->totals = totals_open(log->monitor, NULL, NULL);
	if (!log->totals)
		return out_of_memory();
	return log_file_open(&log->file, log->options->file);
}

int log_write(const struct log_options *options)
{
	const struct monitor_options monitor_options = {
		.filter = options->filter, .sources = options->sources,
	};
	struct log log = { .options = options, .monitor = require_monitor(&monitor_options) };
	int status = STATUS_FAILED;

	if (log.monitor && prepare(&log)) {
		catch_signals(options->file);
		notice_start(log.monitor);
		status = run_log(&log);
		if (!log_file_close(&log.file))
			status = STATUS_FAILED;
	}
	columns_free(&log.columns);
	totals_close(log.totals);
	monitor_close(log.monitor);
	return status;
}

/* ---- kvm-stats log ---- */

#define DEFAULT_INTERVAL	(3 * SECOND)

enum {
	OPTION_CSV = FIRST_LONG_OPTION,
	OPTION_TRACEPOINTS,
};

static const char usage[] =
	"Usage: kvm-stats log [OPTION]...\n"
	"\n"
	"Prints after each interval how much each statistic grew, summed over all VMs and\n"
	"vCPUs.\n"
	"\n";

#define MEMBER(member)	offsetof(struct log_options, member)

static const struct command_option table[] = {
	{ 'i', "interval", "SEC", "interval in seconds (default: 3)",
	  .kind = OPTION_SECONDS, .member = MEMBER(interval), .min = MIN_INTERVAL },
	{ 'c', "count", "N", "stop after N intervals",
	  .kind = OPTION_COUNT, .member = MEMBER(count) },
	{ 'o', "output", "FILE", "append to FILE; SIGHUP opens the file again",
	  .kind = OPTION_TEXT, .member = MEMBER(file) },
	{ OPTION_CSV, "csv", NULL, "print comma-separated values",
	  .kind = OPTION_FLAG, .member = MEMBER(csv) },
	{ 'z', "skip-zeros", NULL, "omit lines in which all values are 0",
	  .kind = OPTION_FLAG, .member = MEMBER(skip_zero) },
	{ 'd', "debugfs", NULL, "read the statistics from debugfs",
	  .kind = OPTION_SOURCE, .member = MEMBER(sources), .source = SOURCES_DEBUGFS },
	{ OPTION_TRACEPOINTS, "tracepoints", NULL, "count tracepoints; with -d, do both",
	  .kind = OPTION_SOURCE, .member = MEMBER(sources), .source = SOURCES_TRACEPOINTS },
	{ 0 },
};

int command_log(int argc, char **argv)
{
	static const struct command_options accepted = {
		.command = "log", .usage = usage, .table = table,
	};
	struct filter filter = { 0 };
	struct log_options options = { .filter = &filter, .interval = DEFAULT_INTERVAL };
	int status = options_parse(argc, argv, &accepted, &options, &filter);

	if (status < 0)
		status = log_write(&options);
	filter_free(&filter);
	return status;
}
