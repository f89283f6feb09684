// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats serve */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/output.h"
#include "commands/command.h"
#include "messages/explain.h"
#include "messages/notice.h"
#include "messages/require.h"
#include "openmetrics/exposition.h"
#include "serve/fd_reserve.h"
#include "serve/http.h"
#include "serve/notify.h"
#include "serve/options.h"
#include "serve/textfile.h"

#define SECOND		UINT64_C(1000000000)
/*
 * Statistics fds keep the memory of a VM in the kernel. Without requests the monitor is
 * refreshed at this interval, to close the fds of VMs that have ended.
 */
#define REFRESH_INTERVAL	(5 * SECOND)

struct serve {
	const struct serve_options *options;
	struct monitor *monitor;
	struct openmetrics *metrics;
	struct sampling sampling;
	struct http *http;		/* NULL: no HTTP */
	struct fd_reserve reserve;
	int signals;
	uint64_t next_refresh;
	uint64_t next_textfile;		/* UINT64_MAX: no textfile */
	bool textfile_written;		/* at least once, so it must be removed at the end */
	bool textfile_failed;		/* the last write failed, and the error was reported */
	bool refresh_failed;		/* the last refresh failed, and the error was reported */
};

/* ---- the monitor, which must leave fds to HTTP clients ---- */

static void reserve_fds(struct serve *serve)
{
	fd_reserve_fill(&serve->reserve, serve->http ? http_clients(serve->http) : 0);
}

static bool open_monitor(struct serve *serve)
{
	struct monitor_options options = {
		.filter = &serve->options->filter, .sources = SOURCES_AUTO,
	};

	reserve_fds(serve);
	serve->monitor = require_monitor(&options);
	fd_reserve_release(&serve->reserve);
	if (serve->monitor)
		explain_search_error(serve->monitor);
	return serve->monitor;
}

static int sample_monitor(struct serve *serve)
{
	int err;

	reserve_fds(serve);
	err = monitor_sample(serve->monitor);
	fd_reserve_release(&serve->reserve);
	return err;
}

/* An error can be temporary, so it is reported once and does not end the service. */
static void refresh(struct serve *serve, uint64_t now)
{
	char buf[128];
	int err;

	reserve_fds(serve);
	err = monitor_refresh(serve->monitor);
	fd_reserve_release(&serve->reserve);
	serve->next_refresh = now + REFRESH_INTERVAL;
	if (serve->http)
		http_drop_cache(serve->http);
	if (err && !serve->refresh_failed)
		complain("cannot update the list of VMs: %s",
			 kvmstats_strerror(err, buf, sizeof(buf)));
	serve->refresh_failed = err;
}

/* ---- the exposition ---- */

static uint64_t epoch_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static int sample(struct serve *serve)
{
	uint64_t start = monitor_now();
	int err = sample_monitor(serve);

	serve->sampling.number++;
	serve->sampling.time = epoch_now();
	serve->sampling.duration = monitor_now() - start;
	return err;
}

static int expose(enum exposition_format format, struct text *text, void *arg)
{
	struct serve *serve = arg;
	char buf[128];
	int err = sample(serve);

	if (!err)
		err = openmetrics_write(serve->metrics, format, &serve->sampling, text);
	if (err)
		complain("cannot read the statistics: %s",
			 kvmstats_strerror(err, buf, sizeof(buf)));
	return err;
}

/* ---- the textfile ---- */

static bool write_to_stdout(const struct text *text)
{
	return fwrite(text->data, 1, text->size, stdout) == text->size && flush_output();
}

static bool write_text(struct serve *serve)
{
	const char *name = serve->options->textfile;
	struct text text = { 0 };
	bool success = !expose(PROMETHEUS_TEXT_0_0_4, &text, serve);

	if (success)
		success = name ? textfile_write(name, &text, !serve->textfile_failed)
			    : write_to_stdout(&text);
	text_free(&text);
	return success;
}

static void write_textfile(struct serve *serve, uint64_t now)
{
	bool success = write_text(serve);

	if (success && serve->textfile_failed)
		complain("%s: writing succeeds again", serve->options->textfile);
	serve->textfile_failed = !success;
	serve->textfile_written |= success;
	serve->next_textfile += serve->options->interval;
	if (serve->next_textfile < now)
		serve->next_textfile = now + serve->options->interval;
}

/* Readers of the file would mistake outdated values for those of an idle VM. */
static void remove_textfile(const struct serve *serve)
{
	const char *name = serve->options->textfile;

	if (serve->textfile_written && unlink(name) && errno != ENOENT)
		complain("%s: cannot remove: %s", name, strerror(errno));
}

/* ---- the loop ---- */

static uint64_t next_deadline(const struct serve *serve)
{
	uint64_t next = serve->next_refresh;

	if (serve->next_textfile < next)
		next = serve->next_textfile;
	if (serve->http && http_deadline(serve->http) < next)
		next = http_deadline(serve->http);
	return next;
}

/* Returns 1 if there is work to do, 0 if a signal ends the service, and -1 on errors. */
static int wait_for_work(struct serve *serve)
{
	struct pollfd fds[] = {
		{ .fd = serve->signals, .events = POLLIN },
		{ .fd = monitor_fd(serve->monitor), .events = POLLIN },
		{ .fd = serve->http ? http_fd(serve->http) : -1, .events = POLLIN },
	};
	uint64_t deadline = next_deadline(serve), now = monitor_now();
	uint64_t remaining = deadline > now ? deadline - now : 0;
	struct timespec timeout = { (time_t)(remaining / SECOND), (long)(remaining % SECOND) };

	if (ppoll(fds, 3, &timeout, NULL) < 0 && errno != EINTR) {
		complain("cannot wait for requests: %s", strerror(errno));
		return -1;
	}
	if (fds[0].revents)
		return 0;
	if (fds[1].revents)
		serve->next_refresh = 0;
	return 1;
}

static int run(struct serve *serve)
{
	for (;;) {
		int result = wait_for_work(serve);
		uint64_t now = monitor_now();

		if (result <= 0)
			return result ? STATUS_FAILED : STATUS_OK;
		if (now >= serve->next_refresh)
			refresh(serve, now);
		if (now >= serve->next_textfile)
			write_textfile(serve, now);
		if (serve->http)
			http_run(serve->http);
	}
}

/* ---- start and end ---- */

static int open_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool listen_for_http(struct serve *serve)
{
	const struct serve_options *options = serve->options;
	char buf[ADDRESS_URL_SIZE];
	int fd;

	if (!options->listen)
		return true;
	fd = address_listen(&options->address, options->listen);
	if (fd < 0)
		return false;
	serve->http = http_open(fd, expose, serve);
	if (!serve->http)
		return false;
	complain("serving %s/metrics", address_url(fd, buf));
	return true;
}

static int serve_until_signal(struct serve *serve)
{
	int status;

	serve->signals = open_signals();
	if (serve->signals < 0) {
		complain("cannot wait for signals: %s", strerror(errno));
		return STATUS_FAILED;
	}
	serve->next_refresh = monitor_now() + REFRESH_INTERVAL;
	serve->next_textfile = serve->options->textfile ? monitor_now() : UINT64_MAX;
	if (!listen_for_http(serve))
		return STATUS_FAILED;
	notice_start(serve->monitor);
	notify_manager("READY=1");
	status = run(serve);
	notify_manager("STOPPING=1");
	http_close(serve->http);
	remove_textfile(serve);
	close(serve->signals);
	return status;
}

static int serve_vms(const struct serve_options *options)
{
	struct serve serve = { .options = options };
	int status = STATUS_FAILED;

	if (open_monitor(&serve))
		serve.metrics = openmetrics_open(serve.monitor);
	if (serve.metrics && options->once)
		status = write_text(&serve) ? STATUS_OK : STATUS_FAILED;
	else if (serve.metrics)
		status = serve_until_signal(&serve);
	else if (serve.monitor)
		complain("out of memory");
	openmetrics_close(serve.metrics);
	monitor_close(serve.monitor);
	return status;
}

int command_serve(int argc, char **argv)
{
	struct serve_options options;
	int status = STATUS_USAGE;

	if (serve_options_parse(&options, argc, argv)) {
		if (options.help)
			status = fputs(serve_options_help, stdout) < 0 ? STATUS_FAILED : STATUS_OK;
		else
			status = serve_vms(&options);
	}
	filter_free(&options.filter);
	return status;
}
