// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/output.h"
#include "messages/notice.h"
#include "messages/require.h"
#include "messages/search.h"
#include "options/status.h"
#include "serve/http.h"
#include "serve/notify.h"
#include "serve/sampler.h"
#include "serve/serve.h"
#include "serve/textfile.h"

/*
 * Statistics fds keep the memory of a VM in the kernel. Without requests the monitor is
 * refreshed at this interval, to close the fds of VMs that have ended.
 */
#define REFRESH_INTERVAL	(5 * SECOND)

struct serve {
	const struct serve_options *options;
	struct sampler sampler;
	struct http *http;		/* NULL: no HTTP */
	int listener;			/* the socket of @http */
	struct web_config web;
	int signals;
	uint64_t next_refresh;
	uint64_t next_textfile;		/* UINT64_MAX: no textfile */
	bool textfile_written;		/* at least once, so it must be removed at the end */
	bool textfile_failed;		/* the last write failed, and the error was reported */
};

static void count_clients(struct serve *serve)
{
	serve->sampler.clients = serve->http ? http_clients(serve->http) : 0;
}

static void refresh(struct serve *serve, uint64_t now)
{
	count_clients(serve);
	sampler_refresh(&serve->sampler);
	serve->next_refresh = now + REFRESH_INTERVAL;
	if (serve->http)
		http_drop_cache(serve->http);
}

static int expose(enum exposition_format format, struct text *text, void *arg)
{
	struct serve *serve = arg;

	count_clients(serve);
	return sampler_expose(&serve->sampler, format, true, text);
}

/* ---- the textfile ---- */

static bool write_to_stdout(const struct text *text)
{
	return fwrite(text->data, 1, text->size, stdout) == text->size && flush_output();
}

/* node_exporter has metrics about its own process, with the same names, so these are left out. */
static bool write_text(struct serve *serve)
{
	const char *name = serve->options->textfile;
	struct text text = { 0 };
	bool success;

	count_clients(serve);
	success = !sampler_expose(&serve->sampler, PROMETHEUS_TEXT_0_0_4, false, &text);
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
		{ .fd = monitor_fd(serve->sampler.monitor), .events = POLLIN },
		{ .fd = serve->http ? http_fd(serve->http) : -1, .events = POLLIN },
	};
	struct timespec timeout = clock_until(next_deadline(serve));

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
		uint64_t now = clock_now();

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

/* nohup(1) and shells let programs ignore signals. A signalfd would report them nevertheless. */
static bool is_ignored(int signal)
{
	struct sigaction action;

	return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_IGN;
}

static int open_signals(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(ending); i++) {
		if (!is_ignored(ending[i]))
			sigaddset(&set, ending[i]);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Requests wait until the statistics can be read. */
static bool listen_for_http(struct serve *serve)
{
	const struct serve_options *options = serve->options;

	if (!options->listen)
		return true;
	if (options->web_config && !web_config_read(&serve->web, options->web_config))
		return false;
	serve->listener = address_listen(&options->address, options->listen);
	if (serve->listener < 0)
		return false;
	serve->http = http_open(serve->listener, &serve->web, expose, serve);
	return serve->http;
}

static void announce(const struct serve *serve)
{
	char buf[ADDRESS_URL_SIZE];

	if (serve->http)
		complain("serving %s/metrics",
			 address_url(serve->listener, serve->web.cert ? "https" : "http", buf));
	notice_start(serve->sampler.monitor);
	notify_manager("READY=1");
}

static int serve_until_signal(struct serve *serve)
{
	int status;

	serve->signals = open_signals();
	if (serve->signals < 0) {
		complain("cannot wait for signals: %s", strerror(errno));
		return STATUS_FAILED;
	}
	serve->next_refresh = clock_now() + REFRESH_INTERVAL;
	serve->next_textfile = serve->options->textfile ? clock_now() : UINT64_MAX;
	announce(serve);
	status = run(serve);
	notify_manager("STOPPING=1");
	remove_textfile(serve);
	close(serve->signals);
	return status;
}

/* The search for VMMs can take long, and prints messages about them. */
static bool check_options(struct serve *serve)
{
	const char *textfile = serve->options->textfile;

	return (!textfile || textfile_check(textfile)) && listen_for_http(serve);
}

int serve_run(const struct serve_options *options)
{
	struct serve serve = { .options = options };
	int status = STATUS_FAILED;

	if (check_options(&serve) &&
	    sampler_open(&serve.sampler, &options->filter, &options->exposed)) {
		bool matches = require_matches(serve.sampler.monitor, &serve.sampler.missing);

		if (options->once) {
			explain_no_kvm_yet(serve.sampler.monitor);
			status = write_text(&serve) && matches ? STATUS_OK : STATUS_FAILED;
		} else {
			status = serve_until_signal(&serve);
		}
	}
	http_close(serve.http);
	sampler_close(&serve.sampler);
	web_config_free(&serve.web);
	return status;
}
