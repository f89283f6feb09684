// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "commands/samples.h"
#include "notice.h"
#include "options/filter.h"
#include "options/number.h"
#include "options/status.h"
#include "unread.h"
#include "util.h"

#define MIN_INTERVAL	0.01

bool samples_option(struct samples_options *options, int option, const char *value)
{
	switch (option) {
	case 'i':
		return parse_seconds("-i", value, MIN_INTERVAL, &options->interval);
	case 'c':
		return parse_count("-c", value, &options->count);
	default:
		return filter_option(&options->filter, option, value);
	}
}

struct samples {
	const struct samples_options *options;
	const struct samples_printer *printer;
	void *arg;
	struct monitor *monitor;
	bool complete;		/* everything that is selected has been read so far */
};

/* Returns 0, -ESRCH if all VMMs of -p have ended, or another error. */
static int sample(struct samples *samples)
{
	int err = monitor_sample(samples->monitor);

	if (!err && monitor_has_ended(samples->monitor))
		err = -ESRCH;
	if (!err)
		samples->complete &= report_unread(samples->monitor);
	return err;
}

static int print(struct samples *samples, unsigned long interval)
{
	samples->printer->print(samples->monitor, interval, samples->arg);
	return flush_output() ? 0 : -EIO;
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

static int repeat(struct samples *samples)
{
	const struct samples_options *options = samples->options;
	uint64_t start = clock_now();
	unsigned long i;
	int err = flush_output() ? 0 : -EIO;

	for (i = 1; !err && (!options->count || i <= options->count); i++) {
		err = wait_until(samples->monitor, start + i * options->interval);
		if (!err)
			err = sample(samples);
		if (!err)
			err = print(samples, i);
	}
	return err;
}

static int read_all(struct samples *samples)
{
	int err = sample(samples);

	if (err)
		return err;
	if (!samples->printer->start(samples->monitor, samples->arg))
		return -ECANCELED;
	if (!samples->options->interval)
		return print(samples, 0);
	samples->monitor->options.event = notice_search;
	samples->monitor->options.arg = samples->monitor;
	return repeat(samples);
}

static int finish(const struct samples *samples, int err)
{
	const struct samples_options *options = samples->options;
	char buf[128];

	if (err == -ESRCH) {
		if (options->filter.pids == 1)
			complain("PID %d has ended", (int)options->filter.pid[0]);
		else
			complain("all selected VMMs have ended");
		if (options->count || !options->interval)
			return STATUS_FAILED;
	} else if (err && err != -EIO && err != -ECANCELED) {
		complain("cannot read statistics: %s", kvmstats_strerror(err, buf, sizeof(buf)));
	}
	if (err && err != -ESRCH)
		return STATUS_FAILED;
	return samples->complete ? STATUS_OK : STATUS_FAILED;
}

static int run(struct samples *samples)
{
	if (!require_statistics(samples->monitor) ||
	    !require_matches(samples->monitor))
		return STATUS_FAILED;
	return finish(samples, read_all(samples));
}

int samples_run(struct samples_options *options, const struct samples_printer *printer, void *arg)
{
	struct monitor_options monitor_options = { .filter = &options->filter };
	struct samples samples = {
		.options = options,
		.printer = printer,
		.arg = arg,
		.complete = true,
	};
	int status = STATUS_FAILED;

	if (options->count && !options->interval)
		options->interval = SECOND;
	samples.monitor = require_monitor(&monitor_options);
	if (samples.monitor)
		status = run(&samples);
	monitor_close(samples.monitor);
	return status;
}
