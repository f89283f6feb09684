// SPDX-License-Identifier: GPL-2.0-only
/* kvm-stats read */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "explain.h"
#include "output.h"
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

/* One line of the table. */
struct row {
	const struct source *source;
	const struct kvmstats_stat *stat;
	char name[128];
	const char *unit;
};

struct widths {
	int label;
	int name;
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

static double base_factor(const struct kvmstats_stat *stat)
{
	int exponent = kvmstats_stat_exponent(stat);

	return kvmstats_stat_base(stat) == KVMSTATS_POW2 ? ldexp(1, exponent) : pow(10, exponent);
}

static const char *base_unit(const struct kvmstats_stat *stat)
{
	switch (kvmstats_stat_unit(stat)) {
	case KVMSTATS_BYTES:
		return "B";
	case KVMSTATS_SECONDS:
		return "s";
	default:
		return NULL;
	}
}

/* Only what is a size or a time has whole units to be told in. */
static bool scales(const struct read_options *options, const struct kvmstats_stat *stat)
{
	return options->whole_units && base_unit(stat) && !kvmstats_stat_is_hist(stat) &&
	       kvmstats_base_name(kvmstats_stat_base(stat));
}

static void print_value(const struct read_options *options, const struct kvmstats_stat *stat,
			uint64_t value)
{
	char scaled[64];

	if (kvmstats_stat_unit(stat) == KVMSTATS_BOOLEAN && value <= 1)
		printf("  %20s", value ? "true" : "false");
	else if (scales(options, stat) &&
		 kvmstats_stat_scale(stat, value, scaled, sizeof(scaled)) > 0)
		printf("  %20s", scaled);
	else
		printf("  %20" PRIu64, value);
}

static void print_rate(const struct read_options *options, const struct kvmstats_stat *stat,
		       int err, double rate)
{
	if (err == -ESTALE)
		printf("  %14s", "reset");
	else if (err)
		printf("  %14s", "-");
	else if (scales(options, stat))
		printf("  %14.6f", rate * base_factor(stat));
	else
		printf("  %14.1f", rate);
}

static void print_row(const struct read_options *options, const struct widths *widths,
		      const struct row *row, uint64_t value, int rate_err, double rate)
{
	printf("%-*s  %-*s", widths->label, row->source->label, widths->name, row->name);
	print_value(options, row->stat, value);
	printf(options->interval ? "  %-7s" : "  %s", *row->unit ? row->unit : "-");
	if (options->interval)
		print_rate(options, row->stat, rate_err, rate);
	putchar('\n');
}

static int element_rate(const struct source *source, const struct kvmstats_stat *stat,
			unsigned int n, double *rate)
{
	*rate = 0;
	return kvmstats_rate(source->before, source->now, stat, n, rate);
}

/* "halt_wait_hist[1024..2047ns]"; an array of an unknown kind is "name[3]". */
static void element_name(const struct kvmstats_stat *stat, unsigned int n, const char *unit,
			 char *name, size_t size)
{
	uint64_t min, max;

	if (kvmstats_stat_bucket(stat, n, &min, &max))
		snprintf(name, size, "%s[%u]", kvmstats_stat_name(stat), n);
	else if (max == UINT64_MAX)
		snprintf(name, size, "%s[%" PRIu64 "..%s]", kvmstats_stat_name(stat), min, unit);
	else
		snprintf(name, size, "%s[%" PRIu64 "..%" PRIu64 "%s]", kvmstats_stat_name(stat),
			 min, max, unit);
}

static void print_elements(const struct read_options *options, const struct widths *widths,
			   const struct source *source, const struct kvmstats_stat *stat,
			   const char *unit)
{
	bool hist = kvmstats_stat_is_hist(stat);
	struct row row = { .source = source, .stat = stat, .unit = hist ? "samples" : unit };
	unsigned int n;

	for (n = 0; n < kvmstats_stat_size(stat); n++) {
		uint64_t value = 0;
		double rate;
		int err = element_rate(source, stat, n, &rate);

		kvmstats_sample_value(source->now, stat, n, &value);
		if (hist && !value && err != -ESTALE)
			continue;
		element_name(stat, n, unit, row.name, sizeof(row.name));
		print_row(options, widths, &row, value, err, rate);
	}
}

static void print_hist_total(const struct read_options *options, const struct widths *widths,
			     const struct source *source, const struct kvmstats_stat *stat)
{
	struct row row = { .source = source, .stat = stat, .unit = "samples" };
	uint64_t total = 0;
	double rates = 0;
	int err = 0;
	unsigned int n;

	for (n = 0; n < kvmstats_stat_size(stat); n++) {
		uint64_t value = 0;
		double rate;
		int why = element_rate(source, stat, n, &rate);

		kvmstats_sample_value(source->now, stat, n, &value);
		total += value;
		rates += rate;
		if (why)
			err = why;
	}
	snprintf(row.name, sizeof(row.name), "%s", kvmstats_stat_name(stat));
	print_row(options, widths, &row, total, err, rates);
}

static void unit_text(const struct read_options *options, const struct kvmstats_stat *stat,
		      char *unit, size_t size)
{
	if (scales(options, stat))
		snprintf(unit, size, "%s", base_unit(stat));
	else if (kvmstats_stat_unit_text(stat, unit, size) < 0)
		snprintf(unit, size, "?");
}

static void print_stat(const struct read_options *options, const struct widths *widths,
		       const struct source *source, const struct kvmstats_stat *stat)
{
	struct row row = { .source = source, .stat = stat };
	uint64_t value = 0;
	char unit[64];
	double rate;
	int err;

	unit_text(options, stat, unit, sizeof(unit));
	if (kvmstats_stat_is_hist(stat))
		print_hist_total(options, widths, source, stat);
	if (kvmstats_stat_is_hist(stat) || kvmstats_stat_size(stat) > 1) {
		print_elements(options, widths, source, stat, unit);
		return;
	}
	err = element_rate(source, stat, 0, &rate);
	kvmstats_sample_value(source->now, stat, 0, &value);
	snprintf(row.name, sizeof(row.name), "%s", kvmstats_stat_name(stat));
	row.unit = unit;
	print_row(options, widths, &row, value, err, rate);
}

static void widen(int *width, const char *text)
{
	int len = (int)strlen(text);

	if (len > *width)
		*width = len;
}

/* False if nothing of what there is has been asked for. */
static bool measure(const struct read_options *options, const struct session *session,
		    struct widths *widths)
{
	bool any = false;
	size_t i, j;

	widths->label = strlen("TARGET");
	widths->name = strlen("halt_poll_success_hist[1073741824..ns]");
	for (i = 0; i < session->sources; i++)
		widen(&widths->label, session->source[i].label);
	for (i = 0; i < session->schemas; i++) {
		for (j = 0; j < kvmstats_schema_count(session->schema[i]); j++) {
			const struct kvmstats_stat *stat;

			stat = kvmstats_schema_stat(session->schema[i], j);
			if (!filter_takes_stat(&options->filter, stat))
				continue;
			any = true;
			widen(&widths->name, kvmstats_stat_name(stat));
		}
	}
	return any;
}

static void print_report(const struct read_options *options, const struct widths *widths,
			 const struct session *session)
{
	size_t i, j;

	printf("%-*s  %-*s  %20s  UNIT", widths->label, "TARGET", widths->name, "STATISTIC",
	       "VALUE");
	if (options->interval)
		printf("     %14s", "PER-SECOND");
	putchar('\n');
	for (i = 0; i < session->sources; i++) {
		const struct source *source = &session->source[i];

		for (j = 0; j < kvmstats_schema_count(source->schema); j++) {
			const struct kvmstats_stat *stat = kvmstats_schema_stat(source->schema, j);

			if (filter_takes_stat(&options->filter, stat))
				print_stat(options, widths, source, stat);
		}
	}
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
		ret = poll(&vmm, 1, (int)ceil(left * 1000));
		if (ret > 0)
			return -ESRCH;
		if (ret < 0 && errno != EINTR)
			return -errno;
	}
}

static int watch(const struct read_options *options, const struct widths *widths,
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
		print_report(options, widths, session);
		if (!flush_output())
			return -EIO;
	}
	return 0;
}

static int show(const struct read_options *options, struct session *session)
{
	struct widths widths;
	int err;

	if (!measure(options, session, &widths)) {
		complain("no statistic's name matches '%s'; 'kvm-stats schema -p %d' shows all",
			 options->filter.pattern, (int)session->pid);
		return STATUS_FAILED;
	}
	err = session_sample(session);
	if (!err) {
		session_print_head(session);
		if (options->interval)
			err = watch(options, &widths, session);
		else
			print_report(options, &widths, session);
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
