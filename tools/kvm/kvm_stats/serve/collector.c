// SPDX-License-Identifier: GPL-2.0-only
/* The process of kvm-stats serve that reads the statistics. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "notice.h"
#include "options.h"
#include "serve/serve.h"
#include "util.h"

/* Verdicts are about one to two minutes: some samples, whatever the interval of scrapes is. */
#define VERDICT_WINDOW	(60 * SECOND)

struct collector {
	const struct serve_options *options;
	struct monitor *monitor;
	struct notices notices;
	struct exposition *exposition;
	struct host host;
	struct evidence evidence;
	struct sampling sampling;
	struct process_use process;
	struct http_process http;
	int signals;
	uint64_t next_textfile;		/* UINT64_MAX: no textfile */
	bool textfile_written;		/* at least once, so it must be removed at the end */
	bool textfile_failed;		/* the last write failed, and the error was reported */
};

/* ---- what this process uses ---- */

static uint64_t count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	uint64_t count = 0;

	while (dir && (entry = readdir(dir)))
		count += *entry->d_name != '.';
	if (dir)
		closedir(dir);
	return count ? count - 1 : 0;	/* without that of the directory */
}

static void read_process(struct process_use *use)
{
	uint64_t page_size = sysconf(_SC_PAGESIZE), virtual, resident;
	struct rlimit limit;
	char text[128];

	if (proc_read(text, sizeof(text), "self/statm") &&
	    sscanf(text, "%" SCNu64 " %" SCNu64, &virtual, &resident) == 2) {
		use->virtual = virtual * page_size;
		use->resident = resident * page_size;
	}
	use->open_fds = count_fds();
	use->max_fds = getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur;
	use->cpu_time = clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- samples ---- */

/* The first sample finds what the user selected. Prints a message and returns false on failure. */
static bool open_monitor(struct collector *collector)
{
	const struct serve_options *options = collector->options;
	struct monitor_options monitor_options = {
		.filter = &options->filter,
		.processes = options->exposed.metrics == METRICS_MINIMAL ? PROCESSES_OF_VCPUS :
									   PROCESSES_STATES,
	};
	struct message why;

	if (monitor_open(&collector->monitor, &monitor_options, &why)) {
		message_print(&why);
		return false;
	}
	collector->exposition = exposition_new(collector->monitor, &options->exposed);
	if (!collector->exposition)
		out_of_memory();
	return collector->exposition;
}

/* Reads a sample, and prints what has changed since the last one. Returns false if that fails. */
static bool take_sample(struct collector *collector)
{
	struct sampling *sampling = &collector->sampling;
	uint64_t start = clock_now();
	bool read = !monitor_sample(collector->monitor), good;

	if (collector->options->once)
		message_print(&collector->monitor->problem);
	else
		notices_print(&collector->notices, collector->monitor);
	host_update(&collector->host);
	good = read && !exposition_update(collector->exposition) &&
	       evidence_update(&collector->evidence, collector->monitor, &collector->host);
	if (read && !good)
		out_of_memory();
	sampling->time = clock_read(CLOCK_REALTIME);
	sampling->duration = clock_now() - start;
	return good;
}

/*
 * Reads a sample and returns its text, which the caller frees, with metrics about this process if
 * @process is set. Prints a message and returns NULL if that fails.
 */
static char *expose(struct collector *collector, enum exposition_format format, bool process,
		    size_t *size)
{
	struct sampling *sampling = &collector->sampling;
	bool good = take_sample(collector);
	char *text = NULL;
	FILE *to;

	sampling->number++;
	sampling->failed += !good;
	if (!good)
		return NULL;
	read_process(&collector->process);
	sampling->process = process ? &collector->process : NULL;
	sampling->evidence = &collector->evidence;
	to = open_memstream(&text, size);
	good = to && !exposition_write(collector->exposition, format, sampling, to);
	if (to && fclose(to))
		good = false;
	if (good)
		return text;
	sampling->failed++;
	out_of_memory();
	free(text);
	return NULL;
}

/* ---- the file for node_exporter ---- */

/*
 * Another user can own the directory and put a symbolic link there, so write only to a file that
 * this function created. Does not call fsync(), because the statistics are useless after a
 * crash of the machine. Returns 0 or -errno.
 */
static int write_new(const char *name, const char *text, size_t size)
{
	ssize_t written;
	int fd, err;

	if (unlink(name) && errno != ENOENT)
		return -errno;
	fd = open_readable(name, O_WRONLY | O_EXCL | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	written = write(fd, text, size);
	err = written < 0 ? -errno : 0;
	/* The part that fits */
	if (written >= 0 && (size_t)written < size)
		err = -ENOSPC;
	/* Some file systems report only here that the disk is full. */
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlink(name);
	return err;
}

/*
 * Replaces the file atomically: a reader sees either the previous or the new text. If that fails,
 * keeps the previous file, and prints an error unless it has been reported.
 */
static bool replace_textfile(struct collector *collector, const char *text, size_t size)
{
	const char *name = collector->options->textfile;
	char *new_name;
	int err;

	/* node_exporter ignores names that do not end in .prom. */
	if (asprintf(&new_name, "%s.new", name) < 0) {
		out_of_memory();
		return false;
	}
	err = write_new(new_name, text, size);
	if (!err && rename(new_name, name)) {
		err = -errno;
		unlink(new_name);
	}
	free(new_name);
	if (err && !collector->textfile_failed)
		complain("%s: cannot write: %s. %s.", name, strerror(-err),
			 collector->textfile_written ? "The previous file is kept" :
			 "Choose a file in a directory that kvm-stats can write to");
	return !err;
}

/* Writes to standard output if there is no file. */
static bool write_text(struct collector *collector)
{
	/* node_exporter has metrics about its own process, with the same names. */
	size_t size;
	char *text = expose(collector, PROMETHEUS_TEXT_0_0_4, false, &size);
	bool success = text;

	if (success && collector->options->textfile)
		success = replace_textfile(collector, text, size);
	else if (success)
		success = fwrite(text, 1, size, stdout) == size && flush_output();
	free(text);
	return success;
}

/* Returns false if no write has succeeded yet: it is not likely that one does later. */
static bool write_textfile(struct collector *collector, uint64_t now)
{
	bool success = write_text(collector);

	if (success && collector->textfile_failed)
		complain("%s: writing succeeds again", collector->options->textfile);
	collector->textfile_failed = !success;
	collector->textfile_written |= success;
	collector->next_textfile += collector->options->interval;
	if (collector->next_textfile < now)
		collector->next_textfile = now + collector->options->interval;
	return collector->textfile_written;
}

/* Readers of the file would mistake outdated values for those of an idle VM. */
static void remove_textfile(const struct collector *collector)
{
	const char *name = collector->options->textfile;

	if (collector->textfile_written && unlink(name) && errno != ENOENT)
		complain("%s: cannot remove: %s", name, strerror(errno));
}

/* ---- the process that serves HTTP ---- */

static bool send_to_http(const struct collector *collector, const void *data, size_t size)
{
	return send(collector->http.fd, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* Returns false if the process has ended, does not receive, or asks for what does not exist. */
static bool handle_http(struct collector *collector)
{
	unsigned char format;
	uint64_t announced;
	size_t size;
	char *text;
	bool success;

	if (recv(collector->http.fd, &format, 1, 0) != 1 || format >= EXPOSITION_FORMATS)
		return false;
	text = expose(collector, format, true, &size);
	announced = text ? size : 0;
	success = send_to_http(collector, &announced, sizeof(announced)) &&
		  send_to_http(collector, text, announced);
	free(text);
	return success;
}

/* ---- the service manager ---- */

/* As sd_notify(3) does. @state is "READY=1" or "STOPPING=1". */
static void notify_manager(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || (*path != '/' && *path != '@') || len >= sizeof(name.sun_path))
		return;
	memcpy(name.sun_path, path, len);
	if (*path == '@')
		name.sun_path[0] = '\0';
	len += offsetof(struct sockaddr_un, sun_path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&name,
			     (socklen_t)len) < 0)
		complain("cannot send %s to the service manager: %s", state, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* ---- the loop ---- */

/* Returns the exit status, or -1 to continue. */
static int run_once(struct collector *collector)
{
	struct pollfd fds[] = {
		{ .fd = collector->signals, .events = POLLIN },
		{ .fd = collector->http.fd, .events = POLLIN },
	};
	bool waits = collector->next_textfile != UINT64_MAX;
	struct timespec timeout = clock_until(collector->next_textfile);
	uint64_t now;

	if (ppoll(fds, ARRAY_SIZE(fds), waits ? &timeout : NULL, NULL) < 0 && errno != EINTR) {
		complain("cannot wait for requests: %s", strerror(errno));
		return STATUS_FAILED;
	}
	now = clock_now();
	if (fds[0].revents)
		return STATUS_OK;
	if (now >= collector->next_textfile)
		write_textfile(collector, now);
	if (fds[1].revents && !handle_http(collector)) {
		complain("%s has ended or does not work, so kvm-stats serve ends", HTTP_PROGRAM);
		return STATUS_FAILED;
	}
	return -1;
}

/* nohup(1) and shells let programs ignore signals. A signalfd would report them nevertheless. */
static int open_signals(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action;
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(ending); i++) {
		if (sigaction(ending[i], NULL, &action) || action.sa_handler != SIG_IGN)
			sigaddset(&set, ending[i]);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool matches(const struct collector *collector)
{
	struct message why = { 0 };
	bool good = check_matches(collector->monitor, &why);

	message_print(&why);
	return good;
}

static int serve_until_signal(struct collector *collector)
{
	int status;

	collector->signals = open_signals();
	if (collector->signals < 0) {
		complain("cannot wait for signals: %s", strerror(errno));
		return STATUS_FAILED;
	}
	collector->next_textfile = UINT64_MAX;
	if (!collector->options->textfile) {
		/* Some values of the first scrape are those since this sample. */
		take_sample(collector);
	} else {
		collector->next_textfile = clock_now();
		if (!write_textfile(collector, collector->next_textfile))
			return STATUS_FAILED;
	}
	matches(collector);
	if (collector->options->listen)
		complain("serving %s/metrics", collector->http.url);
	notify_manager("READY=1");
	do
		status = run_once(collector);
	while (status < 0);
	notify_manager("STOPPING=1");
	remove_textfile(collector);
	close(collector->signals);
	return status;
}

int serve_run(const struct serve_options *options)
{
	struct collector collector = {
		.options = options, .http.fd = -1, .process.start = clock_read(CLOCK_REALTIME),
		.evidence.window = VERDICT_WINDOW,
	};
	int status = STATUS_FAILED;

	/* The process that serves HTTP starts first, because it must not inherit any statistics. */
	if ((!options->listen || http_start(&collector.http, options->listen)) &&
	    open_monitor(&collector)) {
		if (!options->once)
			status = serve_until_signal(&collector);
		else if (write_text(&collector) && matches(&collector))
			status = STATUS_OK;
	}
	if (!http_end(&collector.http))
		status = STATUS_FAILED;
	exposition_free(collector.exposition);
	evidence_free(&collector.evidence);
	monitor_close(collector.monitor);
	return status;
}
