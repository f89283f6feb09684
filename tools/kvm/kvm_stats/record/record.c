// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats record */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "notice.h"
#include "record/capture.h"
#include "record/frame.h"
#include "record/record.h"
#include "record/recording.h"
#include "record/store.h"
#include "replay.h"

#define DEFAULT_INTERVAL	(10 * SECOND)
#define DEFAULT_AGE		(7 * 24 * 3600 * SECOND)
#define DEFAULT_SIZE		2147483648u

static volatile sig_atomic_t stop_requested;

struct record_options {
	const char *dir;
	const char *from;		/* see monitor_options */
	uint64_t interval;
	unsigned long count;		/* of samples; 0: until a signal */
	struct store_limits limits;
	const char *extract;		/* a file to make, NULL: record */
	struct replay_options replay;	/* what of it */
};

struct recorder {
	const struct record_options *options;
	struct monitor *monitor;
	struct store *store;
	struct sample sample;
	struct notices notices;
	bool has_samples;
	bool has_lost;			/* a sample */
};

static void request_stop(int signal)
{
	(void)signal;
	stop_requested = 1;
}

/* ---- recording ---- */

/* What cannot be read now can be read later, so the recorder goes on. */
static int record_sample(struct recorder *recorder)
{
	int err = capture_sample(recorder->monitor, recorder->options->interval,
				 &recorder->sample);
	struct message notice;

	notices_print(&recorder->notices, recorder->monitor);
	recorder->has_lost |= err && err != -ENODATA;
	if (err)
		return err;
	if (store_append(recorder->store, &recorder->sample, &notice))
		recorder->has_samples = true;
	else
		recorder->has_lost = true;
	message_print(&notice);
	return 0;
}

static bool wait_until(const struct monitor *monitor, uint64_t deadline)
{
	const struct timespec until = {
		.tv_sec = (time_t)(deadline / SECOND), .tv_nsec = (long)(deadline % SECOND),
	};

	while (!monitor->is_copy && !stop_requested &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
	return !stop_requested;
}

static void record_samples(struct recorder *recorder)
{
	const struct record_options *options = recorder->options;
	uint64_t deadline = clock_now();
	unsigned long i;

	for (i = 1; !stop_requested; i++) {
		/* A copy has an end. */
		if (record_sample(recorder) == -ENODATA || i == options->count)
			break;
		deadline += options->interval;
		/* After a suspension, the samples that are missing are not made up for. */
		if (deadline < clock_now())
			deadline = clock_now();
		if (!wait_until(recorder->monitor, deadline))
			break;
	}
}

static int run_recorder(const struct record_options *options)
{
	static const struct filter everything;
	const struct monitor_options monitor = {
		.filter = &everything, .from = options->from, .processes = PROCESSES_ALL,
	};
	const struct sigaction action = { .sa_handler = request_stop };
	struct recorder recorder = { .options = options };
	struct message why;
	bool good;

	if (options->from && replay_is_recording(options->from)) {
		complain("%s is a recording: copy it with --extract", options->from);
		return STATUS_FAILED;
	}
	recorder.store = store_open(options->dir, &options->limits, &why);
	good = recorder.store && !monitor_open(&recorder.monitor, &monitor, &why);
	if (good) {
		sigaction(SIGINT, &action, NULL);
		sigaction(SIGTERM, &action, NULL);
		record_samples(&recorder);
		good = (recorder.has_samples && !(options->count && recorder.has_lost)) ||
		       stop_requested;
	} else {
		message_print(&why);
	}
	store_close(recorder.store);
	monitor_close(recorder.monitor);
	sample_free(&recorder.sample);
	return good ? STATUS_OK : STATUS_FAILED;
}

/* ---- extracts ---- */

static void print_notice(const struct message *notice, void *arg)
{
	(void)arg;
	message_print(notice);
}

/* Returns false with errno. */
static bool write_bytes(int fd, const void *data, size_t size)
{
	ssize_t n = data ? write(fd, data, size) : -1;

	if (n >= 0 && n != (ssize_t)size)
		errno = ENOSPC;
	return n == (ssize_t)size;
}

/* Writes the samples up to @until, and stores the time of the first and last one. */
static bool write_samples(int fd, struct frame_writer *writer, struct recording *recording,
			  const struct replay_options *replay, uint64_t times[2])
{
	const struct sample *sample;
	const void *data;
	bool good = true;
	size_t size;

	while (good && (sample = recording_next(recording))) {
		if (replay->until && sample->time > replay->until)
			break;
		times[times[0] != 0] = sample->time;
		data = frame_writer_add(writer, sample, &size);
		good = write_bytes(fd, data, size);
	}
	data = frame_writer_end(writer, &size);
	return good && write_bytes(fd, data, size);
}

static int extract(const struct record_options *options)
{
	const char *from = options->from ? options->from : options->dir;
	char begin[STAMP_SIZE], end[STAMP_SIZE];
	struct frame_writer *writer = frame_writer_new();
	struct recording *recording;
	uint64_t times[2] = { 0, 0 };
	struct message why;
	bool good = false;
	int fd = -1;

	recording = recording_open(from, print_notice, NULL, &why);
	if (!recording) {
		message_print(&why);
	} else if (!writer) {
		out_of_memory();
	} else if (recording_seek(recording, options->replay.since)) {
		complain("%s: the recording has no samples", from);
	} else {
		/* A file that exists may be what is read. */
		fd = open(options->extract, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
		good = fd >= 0 && write_samples(fd, writer, recording, &options->replay, times);
		if (!good)
			complain("cannot write to %s: %s", options->extract, strerror(errno));
	}
	if (good && !times[0]) {
		complain("%s: the recording has no samples in this time. Change --since or "
			 "--until", from);
		good = false;
	} else if (good) {
		printf("%s: from %s to %s\n", options->extract, stamp_of_wall(times[0], begin),
		       stamp_of_wall(times[1] ? times[1] : times[0], end));
	}
	if (fd >= 0 && close(fd))
		good = false;
	if (fd >= 0 && !good)
		unlink(options->extract);
	frame_writer_free(writer);
	recording_close(recording);
	return good ? STATUS_OK : STATUS_FAILED;
}

/* ---- the command ---- */

static const char record_usage[] =
	"Usage: kvm-stats record [OPTION]...\n"
	"\n"
	"Records what all guests do, in files of a directory. The commands list, read,\n"
	"query, log, why and top show it later, with --at or --since.\n"
	"\n";

/* Parses "2G", and stores it in bytes. */
static bool parse_size(const char *text, uint64_t *size, struct message *why)
{
	static const char units[] = "KMGT";
	char *end;
	double number = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;

	if (end != text && number > 0 && number < 1e6 && (!*end || (unit && !end[1]))) {
		number *= (double)(UINT64_C(1) << (unit ? 10 * (unit - units + 1) : 0));
		*size = (uint64_t)number;
		return true;
	}
	return message_set(why, "--max-size must be a size such as 512M or 2G, not '%s'", text);
}

enum { OPTION_MAX_AGE = FIRST_LONG_OPTION, OPTION_MAX_SIZE, OPTION_EXTRACT };

static bool set_limit(int option, const char *value, void *arg, struct message *why)
{
	struct record_options *options = arg;
	uint64_t age;

	if (option == OPTION_MAX_SIZE)
		return parse_size(value, &options->limits.size, why);
	age = parse_duration(value);
	if (!age)
		return message_set(why, "--max-age must be a time such as 36h or 7d, not '%s'",
				   value);
	options->limits.age = age;
	return true;
}

#define MEMBER(member)	offsetof(struct record_options, member)

int command_record(int argc, char **argv)
{
	static const struct command_option table[] = {
		{ LONG_OPTION_DIR, "dir", "DIR", "write to DIR (default: " RECORDING_DIR ")",
		  .kind = OPTION_TEXT, .member = MEMBER(dir) },
		{ 'i', "interval", "SEC", "interval in seconds (default: 10)",
		  .kind = OPTION_SECONDS, .member = MEMBER(interval), .min = MIN_INTERVAL },
		{ 'c', "count", "N", "stop after N samples",
		  .kind = OPTION_COUNT, .member = MEMBER(count) },
		{ OPTION_MAX_AGE, "max-age", "AGE", "remove what is older (default: 7d)",
		  .kind = OPTION_OTHER },
		{ OPTION_MAX_SIZE, "max-size", "SIZE",
		  "remove the oldest samples of more than SIZE (default: 2G)",
		  .kind = OPTION_OTHER },
		FROM_OPTION(MEMBER(from)),
		{ OPTION_EXTRACT, "extract", "FILE",
		  "record nothing, but copy what was recorded to FILE",
		  .kind = OPTION_TEXT, .member = MEMBER(extract) },
		{ LONG_OPTION_SINCE, "since", "TIME", "with --extract: from this time on",
		  .kind = OPTION_TIME, .member = MEMBER(replay.since) },
		{ LONG_OPTION_UNTIL, "until", "TIME", "and up to this time",
		  .kind = OPTION_TIME, .member = MEMBER(replay.until) },
		{ 0 },
	};
	static const struct command_options accepted = {
		.command = "record", .usage = record_usage, .table = table, .set = set_limit,
	};
	struct record_options options = {
		.dir = RECORDING_DIR, .interval = DEFAULT_INTERVAL,
		.limits = { .age = DEFAULT_AGE, .size = DEFAULT_SIZE },
	};
	int status = options_parse(argc, argv, &accepted, &options, NULL);

	if (status < 0)
		status = options.extract ? extract(&options) : run_recorder(&options);
	return status;
}
