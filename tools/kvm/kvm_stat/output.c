// SPDX-License-Identifier: GPL-2.0-only
/* The output without a screen: names, keys with values, and the log. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kvm_stat.h"

#define HEADER_EVERY	20	/* lines of the log */

static int finish_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	complain("cannot write the output: %s", strerror(errno));
	return 1;
}

static bool read_or_complain(struct stats *stats)
{
	if (stats_read(stats))
		return true;
	complain("%s", stats->problem);
	return false;
}

/* Prints what the user should know before the output. */
static bool prepare(struct stats *stats)
{
	if (*stats->notice)
		complain("%s", stats->notice);
	if (stats->count)
		return read_or_complain(stats);
	complain("no statistic matches '%s'. Run 'kvm_stat -f help' for the names.", stats->regex);
	return false;
}

/* ---- -f help ---- */

int print_names(struct stats *stats)
{
	size_t i;

	stats_list(stats);
	for (i = 0; i < stats->count; i++) {
		if (!strchr(stats->shown[i]->name, '('))
			printf("  %s\n", stats->shown[i]->name);
	}
	return finish_output();
}

/* ---- -1 ---- */

int print_once(struct stats *stats)
{
	size_t i;

	if (!prepare(stats))
		return 1;
	sleep(1);
	if (!read_or_complain(stats))
		return 1;
	for (i = 0; i < stats->count; i++) {
		const struct statistic *stat = stats->shown[i];

		printf("%-42s%10" PRId64 "%10" PRId64 "\n", stat->name, stat->value,
		       statistic_growth(stat));
	}
	return finish_output() || *stats->notice;
}

/* ---- the file of the log ---- */

struct log {
	const struct log_options *options;
	struct stats *stats;
	int fd;
};

static const char *log_name(const struct log *log)
{
	return log->options->file ? log->options->file : "the output";
}

/* Other users may read the file, whatever the umask is. */
static bool open_log(struct log *log)
{
	mode_t mask;

	log->fd = STDOUT_FILENO;
	if (!log->options->file)
		return true;
	mask = umask(022);
	log->fd = open(log->options->file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	umask(mask);
	if (log->fd >= 0)
		return true;
	complain("cannot open %s for appending: %s", log->options->file, strerror(errno));
	return false;
}

/* Returns the size of a regular file, or -1. */
static off_t log_size(const struct log *log)
{
	struct stat st;

	return fstat(log->fd, &st) || !S_ISREG(st.st_mode) ? -1 : st.st_size;
}

/* Appends a line, or nothing of it if the file is a regular one. Frees the line. */
static bool append(const struct log *log, char *line)
{
	size_t size = strlen(line), done = 0;
	off_t start = log_size(log);
	int err = 0;

	while (done < size && !err) {
		ssize_t n = write(log->fd, line + done, size - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			err = errno;
	}
	free(line);
	if (!err)
		return true;
	if (done && start >= 0 && ftruncate(log->fd, start))
		complain("%s ends with a part of a line: %s", log_name(log), strerror(errno));
	complain("cannot write to %s: %s", log_name(log), strerror(err));
	return false;
}

/* ---- lines of the log ---- */

static void put_header(const struct log *log, FILE *to)
{
	const struct stats *stats = log->stats;
	size_t i;

	if (log->options->csv)
		fputs("timestamp", to);
	for (i = 0; i < stats->count; i++)
		fprintf(to, log->options->csv ? ",%s" : "%s ", stats->shown[i]->name);
}

static void put_values(const struct log *log, FILE *to)
{
	const struct stats *stats = log->stats;
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;
	size_t i;

	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &tm);
	fputs(stamp, to);
	for (i = 0; i < stats->count; i++)
		fprintf(to, log->options->csv ? ",%" PRId64 : " %9" PRId64,
			statistic_growth(stats->shown[i]));
}

/* Returns the line with the names, or with values. The caller frees it. */
static char *log_line(const struct log *log, bool is_header)
{
	char *line = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&line, &size);

	if (to) {
		if (is_header)
			put_header(log, to);
		else
			put_values(log, to);
		fputc('\n', to);
	}
	if (to && !fclose(to))
		return line;
	complain("out of memory");
	exit(1);
}

static bool all_zero(const struct stats *stats)
{
	size_t i = 0;

	while (i < stats->count && !statistic_growth(stats->shown[i]))
		i++;
	return i == stats->count;
}

/* A file of comma-separated values has one header, and lines of other columns cannot follow it. */
static bool continues_csv(const struct log *log)
{
	char *header = log_line(log, true);
	size_t len = strlen(header);
	char *found = resize_array(NULL, len, 1);
	ssize_t n = pread(log->fd, found, len, 0);
	/* What cannot be read, cannot be compared. */
	bool good = n < 0 || ((size_t)n == len && !memcmp(found, header, len));

	free(header);
	free(found);
	if (!good)
		complain("%s has other columns than the selected statistics. Use another file.",
			 log->options->file);
	return good;
}

static bool start_log(struct log *log)
{
	if (!open_log(log))
		return false;
	if (log->options->file && log->options->csv && log_size(log) > 0)
		return continues_csv(log);
	return append(log, log_line(log, true));
}

/* ---- -l and -L ---- */

static volatile sig_atomic_t reopen_requested;
static volatile sig_atomic_t stop_requested;

static void on_signal(int signal)
{
	if (signal == SIGHUP)
		reopen_requested = 1;
	else
		stop_requested = 1;
}

/* The signals are blocked except while the log waits, so that none is missed. */
static void catch_signals(bool with_hangup, sigset_t *original)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (with_hangup) {
		sigaddset(&blocked, SIGHUP);
		sigaction(SIGHUP, &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &blocked, original);
}

/* Returns false if the log has to end. Signals arrive even if the deadline has passed. */
static bool wait_until(uint64_t deadline, const sigset_t *mask)
{
	do {
		uint64_t now = clock_now(), left = deadline > now ? deadline - now : 0;
		struct timespec timeout = {
			.tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND),
		};

		pselect(0, NULL, NULL, NULL, &timeout, mask);
	} while (!stop_requested && clock_now() < deadline);
	return !stop_requested;
}

/* A program such as logrotate has renamed the file. */
static bool reopen_log(struct log *log)
{
	reopen_requested = 0;
	close(log->fd);
	return start_log(log);
}

static bool run_log(struct log *log, const sigset_t *mask)
{
	bool repeats = !log->options->csv || !log->options->file;
	unsigned int lines = 0;
	uint64_t delay = (uint64_t)(log->options->delay * (double)SECOND);
	uint64_t deadline = clock_now();

	for (;;) {
		deadline += delay;
		/* A reading can take longer than the delay. */
		if (deadline < clock_now())
			deadline = clock_now() + delay;
		if (!wait_until(deadline, mask))
			return true;
		if (!read_or_complain(log->stats))
			return false;
		if (reopen_requested) {
			lines = 0;
			if (!reopen_log(log))
				return false;
		}
		if (log->options->skip_zeros && all_zero(log->stats))
			continue;
		if (lines && lines % HEADER_EVERY == 0 && repeats &&
		    !append(log, log_line(log, true)))
			return false;
		lines++;
		if (!append(log, log_line(log, false)))
			return false;
	}
}

int write_log(struct stats *stats, const struct log_options *options)
{
	struct log log = { .options = options, .stats = stats };
	sigset_t mask;
	bool good;

	if (!prepare(stats))
		return 1;
	catch_signals(options->file, &mask);
	good = start_log(&log) && run_log(&log, &mask);
	if (options->file && log.fd >= 0 && close(log.fd)) {
		complain("cannot write to %s: %s", options->file, strerror(errno));
		good = false;
	}
	return !good;
}
