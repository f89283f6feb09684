// SPDX-License-Identifier: GPL-2.0-only
/* Test kvm-stats log: its columns, and what it writes to a file. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fake_host.h"
#include "read/columns.h"
#include "read/read.h"
#include "tap.h"

static const struct fake_stat vm_stats[] = {
	{ .name = "pages", .flags = KVM_STATS_TYPE_INSTANT, .size = 1 },
	{ .name = "most", .flags = KVM_STATS_TYPE_PEAK, .size = 1 },
};

static const struct fake_stat vcpu_stats[] = {
	{ .name = "exits", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
	{ .name = "io_exits", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
	{ .name = "mmio_exits", .flags = KVM_STATS_TYPE_CUMULATIVE, .size = 1 },
	{ .name = "wait_hist", .flags = KVM_STATS_TYPE_LOG_HIST, .size = 2 },
};

struct log_host {
	struct fake_host host;
	struct columns columns;
};

static void open_log(struct log_host *log, const char *regex)
{
	struct message why;

	*log = (struct log_host){ 0 };
	fake_host_open(&log->host, vm_stats, ARRAY_SIZE(vm_stats), vcpu_stats,
		       ARRAY_SIZE(vcpu_stats));
	log->host.options.processes = PROCESSES_OF_VCPUS;
	filter_set_regex(&log->host.filter, regex, &why);
}

/* Reads a sample of a guest with two VMs and three vCPUs, and sets the values of the columns. */
static void sample_log(struct log_host *log, const uint64_t *vcpu)
{
	static const uint64_t vm[2][2] = { { 10, 5 }, { 20, 7 } };

	fake_host_vm(&log->host, 1, 101, vm[0]);
	fake_host_vcpu(&log->host, 1, 0, vcpu);
	fake_host_vcpu(&log->host, 1, 1, vcpu);
	fake_host_vm(&log->host, 2, 101, vm[1]);
	fake_host_vcpu(&log->host, 2, 0, vcpu);
	if (fake_host_sample(&log->host))
		fake_host_fail("the sample cannot be read");
	if (!log->columns.columns)
		columns_make(&log->columns, log->host.monitor);
	columns_set(&log->columns, log->host.monitor->vmm[0]);
}

static void close_log(struct log_host *log)
{
	columns_free(&log->columns);
	fake_host_close(&log->host);
}

/* Returns NAN if there is no such column. */
static double value_of(const struct log_host *log, const char *name)
{
	size_t i;

	for (i = 0; i < log->columns.columns; i++) {
		if (!strcmp(log->columns.column[i].name, name))
			return log->columns.column[i].value;
	}
	return NAN;
}

static const uint64_t start[] = { 100, 10, 1, 0, 0 };
static const uint64_t later[] = { 150, 12, 2, 5, 5 };
static const uint64_t reset[] = { 7, 20, 2, 5, 5 };

static void test_default(void)
{
	struct log_host log;

	open_log(&log, NULL);
	sample_log(&log, start);
	tap_is(log.columns.columns, 9, "there is a column for each value that matters");
	tap_ok(isnan(value_of(&log, "exits")), "rates are not known after the first sample");
	tap_ok(isnan(value_of(&log, "memory_mib")), "nor is the memory of another host's process");
	sample_log(&log, later);
	tap_ok(value_of(&log, "exits") == 150, "exits are the sum of the vCPUs of all VMs");
	tap_ok(value_of(&log, "io_exits") == 9, "accesses to devices are those of all kinds");
	tap_ok(!columns_are_zero(&log.columns), "columns with growth are not all 0");
	sample_log(&log, later);
	tap_ok(columns_are_zero(&log.columns), "columns without growth are");
	close_log(&log);
}

static void test_selected(void)
{
	struct log_host log;

	open_log(&log, "exits$|pages|most|hist");
	sample_log(&log, start);
	tap_is(log.columns.columns, 5, "each statistic has a column, except for histograms");
	tap_ok(!strcmp(log.columns.column[0].name, "exits"), "they are in the order of names");
	sample_log(&log, later);
	tap_ok(value_of(&log, "exits") == 150 && value_of(&log, "io_exits") == 6,
	       "a counter has its growth per second");
	tap_ok(value_of(&log, "pages") == 30, "an instantaneous value is the sum of the VMs");
	tap_ok(value_of(&log, "most") == 7, "a peak value is the largest one");
	tap_is(log.columns.resets, 0, "no value was reset");
	sample_log(&log, reset);
	tap_ok(log.columns.resets == 3 && !strcmp(log.columns.reset, "exits"),
	       "values that decrease were reset");
	tap_ok(isnan(value_of(&log, "exits")) && value_of(&log, "io_exits") == 24,
	       "their growth is not known");
	close_log(&log);
}

static void test_guest_statistics(void)
{
	struct log_host log;

	open_log(&log, "^(cpu_ns|exits|waiting_ns)$");
	sample_log(&log, start);
	sample_log(&log, later);
	tap_is(log.columns.columns, 3, "statistics of the process can be selected");
	tap_ok(isnan(value_of(&log, "cpu_ns")), "they are not known of another host's process");
	tap_ok(isnan(value_of(&log, "waiting_ns")), "nor for how long its vCPUs have waited");
	close_log(&log);
}

/* ---- the command ---- */

/* Writes a pass, which has a VM with two vCPUs if @vcpu is not NULL. */
static void write_pass(struct fake_host *host, const uint64_t *vcpu)
{
	struct host_image *image = &host->image;

	if (vcpu) {
		fake_host_vm(host, 1, 101, NULL);
		fake_host_vcpu(host, 1, 0, vcpu);
		fake_host_vcpu(host, 1, 1, vcpu);
	}
	host_image_end(image, 0);
	if (write(host->fd, image->data, image->size) != (ssize_t)image->size)
		fake_host_fail("the host file cannot be written");
	fake_host_begin_pass(host);
}

/*
 * Logs a copy of a host whose first VM appears in the second pass, to a file that can have @limit
 * bytes. Writes it to @text.
 */
static void log_late_guest(const char *regex, rlim_t limit, char *text, size_t size)
{
	struct rlimit unlimited, limited;
	struct fake_host host;
	char from[64], to[64];
	char *argv[] = { "log", "--csv", "-f", (char *)regex, "--from", from, "-o", to, NULL };
	int fd = memfd_create("log", MFD_CLOEXEC);
	int messages = dup(2), null = open("/dev/null", O_WRONLY);
	ssize_t n;

	fake_host_open(&host, vm_stats, ARRAY_SIZE(vm_stats), vcpu_stats, ARRAY_SIZE(vcpu_stats));
	write_pass(&host, NULL);
	write_pass(&host, start);
	write_pass(&host, later);
	write_pass(&host, later);
	snprintf(from, sizeof(from), "/proc/self/fd/%d", host.fd);
	snprintf(to, sizeof(to), "/proc/self/fd/%d", fd);
	getrlimit(RLIMIT_FSIZE, &unlimited);
	limited = (struct rlimit){ limit, unlimited.rlim_max };
	/* Messages can go to a file, which has the same limit. */
	dup2(null, 2);
	setrlimit(RLIMIT_FSIZE, &limited);
	optind = 0;
	command_log(ARRAY_SIZE(argv) - 1, argv);
	setrlimit(RLIMIT_FSIZE, &unlimited);
	dup2(messages, 2);
	close(messages);
	close(null);
	n = pread(fd, text, size - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	close(fd);
	fake_host_close(&host);
}

static void test_late_guest(void)
{
	char text[512];

	log_late_guest("^exits$", RLIM_INFINITY, text, sizeof(text));
	tap_text(text, "timestamp,pid,guest,exits\n2.000,101,\"?\",\n3.000,101,\"?\",100.000\n"
		 "4.000,101,\"?\",0.000\n",
		 "CSV that begins without a VM has the statistics of the first one");
	log_late_guest("^(cpu_ns|exits)$", RLIM_INFINITY, text, sizeof(text));
	tap_ok(!strncmp(text, "timestamp,pid,guest,cpu_ns,exits\n", 33),
	       "also if statistics of the process are selected");
}

/* A record is shorter than the header. */
static void test_full_file(void)
{
	char text[512];

	signal(SIGXFSZ, SIG_IGN);
	log_late_guest("^exits$", 20, text, sizeof(text));
	tap_text(text, "", "a file without space for the header of CSV gets no values");
}

static void give_space(int signal)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	raise(SIGHUP);
}

/* There is space for the header and a record. After the next one, the file is opened again. */
static void test_reopened_file(void)
{
	char text[512];

	signal(SIGXFSZ, give_space);
	log_late_guest("^exits$", 45, text, sizeof(text));
	tap_text(text, "timestamp,pid,guest,exits\n2.000,101,\"?\",\n4.000,101,\"?\",0.000\n",
		 "a file that was full, and is opened again with its header, gets later values");
}

int main(void)
{
	test_default();
	test_selected();
	test_guest_statistics();
	test_late_guest();
	test_full_file();
	test_reopened_file();
	return tap_end();
}
