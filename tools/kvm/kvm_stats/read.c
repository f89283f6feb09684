// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats read */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "explain.h"
#include "output.h"
#include "report.h"
#include "session.h"

#define MIN_INTERVAL	0.01
#define MAX_INTERVAL	86400.0

struct read_options {
	pid_t pid;
	double interval;	/* seconds; 0: one reading, no rates */
	unsigned long count;	/* of intervals; 0: until the VMM ends */
	bool whole_units;
	struct filter filter;
};

static void usage(FILE *to)
{
	fputs("Usage: kvm-stats read -p PID [OPTION]...\n"
	      "\n"
	      "Shows the values of a process's VMs and vCPUs; with -i, after each interval, what\n"
	      "they are and how fast they grew in it.\n"
	      "\n"
	      "  -p, --pid=PID       the process that has the VM\n"
	      "  -i, --interval=SEC  seconds between readings, like 1 or 0.5\n"
	      "  -c, --count=N       end after N intervals (default: when the process ends)\n"
	      "  -b, --base-units    whole seconds and bytes, not ns or KiB\n"
	      FILTER_HELP
	      "  -h, --help          this text\n", to);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Until @deadline: 0, or -ESRCH as soon as the VMM is gone. */
static int wait_until(const struct session *session, double deadline)
{
	struct pollfd vmm = { .fd = kvmstats_vmm_pidfd(session->vmm), .events = POLLIN };

	for (;;) {
		double left = deadline - now();
		int ret;

		if (left <= 0)
			return 0;
		ret = poll(&vmm, 1, (int)(left * 1000) + 1);
		if (ret > 0)
			return -ESRCH;
		if (ret < 0 && errno != EINTR)
			return -errno;
	}
}

static int watch(const struct read_options *options, const struct report *report,
		 struct session *session)
{
	double start = now();
	unsigned long i;
	int err;

	if (!flush_output())
		return -EIO;
	for (i = 1; !options->count || i <= options->count; i++) {
		err = wait_until(session, start + (double)i * options->interval);
		if (!err)
			err = session_sample(session);
		if (err)
			return err;
		printf("%s# after %.1f s\n", i > 1 ? "\n" : "", (double)i * options->interval);
		report_print(report, session);
		if (!flush_output())
			return -EIO;
	}
	return 0;
}

static int show(const struct read_options *options, struct session *session)
{
	struct report report = {
		.filter = &options->filter,
		.rates = options->interval > 0,
		.whole_units = options->whole_units,
	};
	int err;

	if (!report_measure(&report, session)) {
		complain("no statistic's name matches '%s'; 'kvm-stats schema -p %d' shows all",
			 options->filter.pattern, (int)session->pid);
		return STATUS_FAILED;
	}
	err = session_sample(session);
	if (!err) {
		session_print_head(session);
		if (options->interval)
			err = watch(options, &report, session);
		else
			report_print(&report, session);
	}
	if (!flush_output())
		return STATUS_FAILED;
	if (err == -ESRCH && options->interval && !options->count) {
		complain("process %d has ended", (int)session->pid);
		return STATUS_OK;
	}
	if (err) {
		explain(session->pid, NULL, err);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static bool parse_interval(const char *text, double *interval)
{
	char *end;

	*interval = strtod(text, &end);
	if (end != text && !*end && *interval >= MIN_INTERVAL && *interval <= MAX_INTERVAL)
		return true;
	complain("-i takes seconds between %g and %g, not '%s'", MIN_INTERVAL, MAX_INTERVAL, text);
	return false;
}

static bool parse_count(const char *text, unsigned long *count)
{
	char *end;

	errno = 0;
	*count = strtoul(text, &end, 10);
	if (!errno && *text >= '0' && *text <= '9' && !*end && *count)
		return true;
	complain("-c takes how many intervals, a number above 0, not '%s'", text);
	return false;
}

static bool read_option(struct read_options *options, int option, const char *value)
{
	switch (option) {
	case 'p':
		options->pid = session_parse_pid(value);
		return options->pid > 0;
	case 'i':
		return parse_interval(value, &options->interval);
	case 'c':
		return parse_count(value, &options->count);
	case 'b':
		options->whole_units = true;
		return true;
	default:
		return filter_option(&options->filter, option, value);
	}
}

static int parse(int argc, char **argv, struct read_options *options)
{
	static const struct option table[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'c' },
		{ "base-units", no_argument, NULL, 'b' },
		{ "filter", required_argument, NULL, 'f' },
		{ "vm", no_argument, NULL, FILTER_VM },
		{ "vcpu", required_argument, NULL, FILTER_VCPU },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "p:i:c:bf:h", table, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			return STATUS_OK;
		}
		if (option == '?') {
			usage(stderr);
			return STATUS_USAGE;
		}
		if (!read_option(options, option, optarg))
			return STATUS_USAGE;
	}
	if (options->count && !options->interval)
		options->interval = 1;
	return session_check_arguments(argc, argv, options->pid) ? -1 : STATUS_USAGE;
}

int command_read(int argc, char **argv)
{
	struct read_options options = { 0 };
	struct session session;
	int status = parse(argc, argv, &options);

	if (status < 0) {
		status = STATUS_FAILED;
		if (session_open(&session, options.pid, &options.filter)) {
			status = show(&options, &session);
			session_close(&session);
		}
	}
	filter_free(&options.filter);
	return status;
}
