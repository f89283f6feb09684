// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats log */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "notice.h"
#include "options.h"
#include "read/columns.h"
#include "read/log_file.h"
#include "read/read.h"
#include "util.h"

#define DEFAULT_INTERVAL	(3 * SECOND)
#define HEADER_EVERY	20
#define MIN_WIDTH	8
#define STAMP_WIDTH	29
#define GUEST_SIZE	41	/* longer names are cut in tables */

static volatile sig_atomic_t reopen_requested;
static volatile sig_atomic_t stop_requested;

struct log_options {
	struct samples_options samples;
	const char *file;	/* NULL: standard output */
	bool csv;
	bool skip_zero;		/* omit lines in which all rates are 0 */
};

struct log {
	const struct log_options *options;
	struct monitor *monitor;
	struct columns columns;
	struct log_file file;
	struct notices notices;
	bool has_header;		/* the CSV header is written, so the columns are fixed */
	bool warned;			/* about statistics that have no column */
	unsigned int lines;		/* since the last header */
};

static void note_signal(int signal)
{
	if (signal == SIGHUP)
		reopen_requested = 1;
	else
		stop_requested = 1;
}

static void catch_signals(bool with_hangup)
{
	struct sigaction action = { .sa_handler = note_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (with_hangup)
		sigaction(SIGHUP, &action, NULL);
}

/* ---- lines ---- */

static int width_of(const struct column *column)
{
	int len = (int)strlen(column->heading);

	return len > MIN_WIDTH ? len : MIN_WIDTH;
}

static void put_header(const struct log *log, const struct vmm *vmm, FILE *to)
{
	bool csv = log->options->csv;
	size_t i;

	if (csv)
		fputs("timestamp,pid,guest", to);
	else
		fprintf(to, "%-*s %10s", STAMP_WIDTH, "TIME", "PID");
	for (i = 0; i < log->columns.columns; i++) {
		const struct column *column = &log->columns.column[i];

		if (csv)
			fprintf(to, ",%s", column->name);
		else
			fprintf(to, " %*s", width_of(column), column->heading);
	}
	fputs(csv ? "\n" : "  GUEST\n", to);
}

/* Quotes in CSV are doubled (RFC 4180). */
static void put_csv_name(const char *name, FILE *to)
{
	fputc('"', to);
	for (; *name; name++)
		fputs(*name == '"' ? "\"\"" : (char []){ *name, '\0' }, to);
	fputc('"', to);
}

static void put_csv(const struct log *log, const struct vmm *vmm, FILE *to)
{
	const char *name = vmm->guest ? vmm->guest : vmm->comm;
	char stamp[STAMP_SIZE], text[4096];
	size_t i;

	fprintf(to, "%s,%d,", monitor_stamp(log->monitor, stamp), (int)vmm->pid);
	put_csv_name(sanitize(name, text, sizeof(text)), to);
	for (i = 0; i < log->columns.columns; i++) {
		const struct column *column = &log->columns.column[i];

		if (isnan(column->value))
			fputc(',', to);
		else
			fprintf(to, column->is_rate ? ",%.3f" : ",%.0f", column->value);
	}
	fputc('\n', to);
}

static void put_row(const struct log *log, const struct vmm *vmm, FILE *to)
{
	const char *name = vmm->guest ? vmm->guest : vmm->comm;
	char stamp[STAMP_SIZE], text[GUEST_SIZE];
	size_t i;

	fprintf(to, "%-*s %10d", STAMP_WIDTH, monitor_stamp(log->monitor, stamp), (int)vmm->pid);
	for (i = 0; i < log->columns.columns; i++) {
		const struct column *column = &log->columns.column[i];

		if (isnan(column->value))
			fprintf(to, " %*s", width_of(column), "-");
		else
			fprintf(to, " %*.*f", width_of(column), column->is_rate, column->value);
	}
	fprintf(to, "  %s\n", sanitize(name, text, sizeof(text)));
}

/* Returns the line that @put writes. The caller frees it. Returns NULL if memory is exhausted. */
static char *line_of(const struct log *log, const struct vmm *vmm,
		     void (*put)(const struct log *log, const struct vmm *vmm, FILE *to))
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	put(log, vmm, to);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static bool write_line(struct log *log, const struct vmm *vmm,
		       void (*put)(const struct log *log, const struct vmm *vmm, FILE *to))
{
	char *line = line_of(log, vmm, put);
	bool good = line ? log_file_write(&log->file, line, strlen(line)) : out_of_memory();

	free(line);
	return good;
}

/* ---- columns ---- */

/*
 * An existing file is only continued if its columns are the same. One that is not regular, or that
 * cannot be read, counts as empty.
 */
static bool start_csv(struct log *log)
{
	char *header = line_of(log, NULL, put_header), *start = header ? strdup(header) : NULL;
	size_t len = start ? strlen(start) : 0;
	ssize_t n = 0;
	bool good;

	if (log->file.name && log_file_size(&log->file) > 0)
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
	/* Without a header to write, a write that has failed before says nothing about it. */
	log->has_header = good && (n > 0 || !log->file.failing);
	return good;
}

static bool start_columns(struct log *log)
{
	if (!columns_make(&log->columns, log->monitor))
		return out_of_memory();
	log->lines = 0;
	log->warned = false;
	return !log->columns.columns || !log->options->csv || start_csv(log);
}

/* A table may get new columns at any time, a CSV file may not. */
static bool update_columns(struct log *log)
{
	const struct columns *columns = &log->columns;

	if (columns->columns && (!columns->selected ||
				 columns->sets == log->monitor->sets.sets))
		return true;
	if (!log->has_header)
		return start_columns(log);
	if (!log->warned)
		complain("new statistics are not logged, because the columns of CSV are fixed. "
			 "Start a new log to include them.");
	log->warned = true;
	return true;
}

static bool reopen_file(struct log *log)
{
	reopen_requested = 0;
	log_file_reopen(&log->file);
	log->has_header = false;
	return !log->columns.columns || start_columns(log);
}

/* ---- records: a line for each guest ---- */

static bool write_guest(struct log *log, const struct vmm *vmm)
{
	bool csv = log->options->csv;

	if (!columns_set(&log->columns, vmm))
		return out_of_memory();
	if (log->options->skip_zero && columns_are_zero(&log->columns))
		return true;
	if (!csv && log->lines++ % HEADER_EVERY == 0 && !write_line(log, NULL, put_header))
		return false;
	return write_line(log, vmm, csv ? put_csv : put_row);
}

static void report_resets(struct log *log)
{
	const struct columns *columns = &log->columns;

	if (columns->resets == 1)
		complain("%s of one VM or vCPU decreased: it was reset. Its growth in this "
			 "interval is not included.", columns->reset);
	else if (columns->resets)
		complain("%zu values, the first one of %s, decreased: they were reset. Their "
			 "growth in this interval is not included.", columns->resets,
			 columns->reset);
	log->columns.resets = 0;
}

static bool write_record(struct log *log)
{
	size_t i;

	/* The disk may have been full. A file without a header gets no values. */
	if (log->options->csv && !log->has_header && !start_csv(log))
		return false;
	for (i = 0; i < log->monitor->vmms && (!log->options->csv || log->has_header); i++) {
		if (!write_guest(log, log->monitor->vmm[i]))
			return false;
	}
	report_resets(log);
	return true;
}

/*
 * Returns 1 after a sample, 0 if the log has to end, or -1 after an error. If the sample cannot be
 * read, the guests have the values of the last one.
 */
static int sample_guests(struct log *log, bool *sampled)
{
	int err = monitor_sample(log->monitor);

	*sampled = !err;
	if (err == -ENODATA)
		return 0;
	notices_print(&log->notices, log->monitor);
	if (err == -ENOMEM)
		return -1;
	return monitor_has_ended(log->monitor) ? 0 : 1;
}

/* Waits until @deadline, and returns what sample_guests() returns; 0 also after a signal. */
static int next_sample(struct log *log, uint64_t deadline, bool *sampled)
{
	bool waited;

	/* A signal may also have come during the last sample. */
	do {
		if (stop_requested)
			return 0;
		if (reopen_requested && !reopen_file(log))
			return -1;
		waited = samples_wait(log->monitor, deadline);
	} while (!waited);
	return sample_guests(log, sampled);
}

static int write_log(struct log *log)
{
	const struct samples_options *options = &log->options->samples;
	uint64_t deadline = log->monitor->time;
	unsigned long i;

	for (i = 0; !options->count || i < options->count; i++) {
		bool sampled = false;
		int ret;

		deadline += options->interval;
		if (deadline < clock_now())
			deadline = clock_now();
		ret = next_sample(log, deadline, &sampled);
		if (!ret)
			return STATUS_OK;
		if (ret < 0 || (sampled && (!update_columns(log) ||
					    (log->columns.columns && !write_record(log)))))
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* ---- the command ---- */

/* Without -p and -g, the log may start before there is a VM. */
static bool start_log(struct log *log)
{
	struct message why;

	if (!check_selected(log->monitor, &why) || !check_matches(log->monitor, &why)) {
		message_print(&why);
		return false;
	}
	log->notices.problem = log->monitor->problem;
	notices_print(&log->notices, log->monitor);
	log->monitor->options.event = notice_event;
	return log_file_open(&log->file, log->options->file);
}

static int run_log(const struct log_options *options)
{
	struct log log = { .options = options, .monitor = samples_open(&options->samples) };
	int status = STATUS_FAILED;

	if (log.monitor && start_log(&log)) {
		catch_signals(options->file);
		if (update_columns(&log))
			status = write_log(&log);
		if (!log_file_close(&log.file))
			status = STATUS_FAILED;
	}
	columns_free(&log.columns);
	monitor_close(log.monitor);
	return status;
}

static const char log_usage[] =
	"Usage: kvm-stats log [OPTION]...\n"
	"\n"
	"Prints a line for each guest after each interval: its use of CPUs, waiting and\n"
	"throttled vCPUs, memory, exits, accesses to devices, page faults and halts. With\n"
	"-f, the line has the selected statistics instead: their growth per second, or\n"
	"the value of those that do not count up.\n"
	"\n";

#define MEMBER(member)	offsetof(struct log_options, member)

int command_log(int argc, char **argv)
{
	static const struct command_option table[] = {
		{ 'i', "interval", "SEC", "interval in seconds (default: 3)",
		  .kind = OPTION_SECONDS, .member = MEMBER(samples.interval),
		  .min = MIN_INTERVAL },
		{ 'c', "count", "N", "stop after N intervals",
		  .kind = OPTION_COUNT, .member = MEMBER(samples.count) },
		{ 'o', "output", "FILE", "append to FILE; SIGHUP opens the file again",
		  .kind = OPTION_TEXT, .member = MEMBER(file) },
		{ FIRST_LONG_OPTION, "csv", NULL, "print comma-separated values",
		  .kind = OPTION_FLAG, .member = MEMBER(csv) },
		{ 'z', "skip-zeros", NULL, "omit lines in which all rates are 0",
		  .kind = OPTION_FLAG, .member = MEMBER(skip_zero) },
		EXITS_OPTION(MEMBER(samples.exits)),
		FROM_OPTION(MEMBER(samples.from)),
		AT_OPTION(MEMBER(samples.replay)), SINCE_OPTION(MEMBER(samples.replay)),
		UNTIL_OPTION(MEMBER(samples.replay)), DIR_OPTION(MEMBER(samples.replay)),
		VERBOSE_OPTION(MEMBER(samples.verbose)),
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "log", .usage = log_usage, .table = table,
	};
	struct log_options options = {
		.samples = { .interval = DEFAULT_INTERVAL, .processes = PROCESSES_OF_VCPUS },
	};
	int status = options_parse(argc, argv, &accepted, &options, &options.samples.filter);

	if (status < 0)
		status = run_log(&options);
	filter_free(&options.samples.filter);
	return status;
}
