// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the values of one vCPU with io_uring.  A tracepoint shows how many of the reads
 * the kernel hands to a worker.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "bench.h"
#include "uring.h"

#define EVENT		"io_uring_queue_async_work"
#define TRACEFS		"/sys/kernel/tracing"
#define TRACING		TRACEFS "/instances/kvm-stats-bench/"
#define TRACED		50	/* reads */

struct reading {
	struct uring ring;
	int fd;
	struct stats_layout layout;
};

static char buf[65536] __attribute__((aligned(64)));

/* Submit and wait in one call. */
static long read_once(void *arg)
{
	struct reading *reading = arg;
	struct uring *ring = &reading->ring;
	uint32_t *tail = uring_word(ring, ring->params.sq_off.tail);
	int result;

	*ring->sqe = (struct io_uring_sqe) {
		.opcode = IORING_OP_READ,
		.fd = reading->fd,
		.addr = (uintptr_t)buf,
		.len = reading->layout.data_size,
		.off = reading->layout.data_offset,
	};
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	result = kernel_call(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, 0, 0);
	if (result != 1)
		return result < 0 ? result : -EAGAIN;
	return uring_completed(ring, &result) ? result : -ETIME;
}

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (!ok)
		set_why("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool trace(bool on)
{
	return write_file(TRACING "events/io_uring/" EVENT "/enable", on ? "1" : "0");
}

static int count_events(void)
{
	FILE *file = fopen(TRACING "trace", "r");
	static char line[4096];
	int events = 0;

	while (file && fgets(line, sizeof(line), file))
		events += line[0] != '#' && strstr(line, EVENT ":");
	if (file)
		fclose(file);
	return events;
}

/* Return the share of reads that the kernel hands to a worker, or a negative number. */
static double trace_punts(struct reading *reading)
{
	long result = 0;
	int i;

	if (!trace(true))
		return -1;
	for (i = 0; i < TRACED && result >= 0; i++)
		result = read_once(reading);
	trace(false);
	if (result < 0) {
		set_why("%s", strerror(-result));
		return -1;
	}
	return (double)count_events() / TRACED;
}

/* Use a separate trace buffer, because another process may use the main one. */
static double punts(struct reading *reading)
{
	double punted;

	mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	if (mkdir(TRACING, 0700)) {
		set_why("%s: %s", TRACING, strerror(errno));
		return -1;
	}
	punted = trace_punts(reading);
	rmdir(TRACING);
	return punted;
}

static void rows_reading(const char *name, const char *punts_name, struct reading *reading)
{
	double punted;

	row_count(name, &(struct bench_op) {
		.run = read_once, .arg = reading, .result = reading->layout.data_size,
	});
	punted = punts(reading);
	if (punted >= 0)
		row_value(punts_name, punted);
	else
		row_failed(punts_name);
}

static void run(void)
{
	int vm = vm_create();
	int vcpu = vcpu_create(vm, 0);
	struct reading reading = { .fd = stats_open(vcpu) };
	int error = uring_open(&reading.ring);

	if (error) {
		rows_missing(group_uring.rows, strerror(-error));
		return;
	}
	reading.layout = stats_layout(reading.fd);
	*uring_word(&reading.ring, reading.ring.params.sq_off.array) = 0;
	rows_reading("uring", "uring_punts", &reading);
	fcntl(reading.fd, F_SETFL, O_NONBLOCK);
	rows_reading("uring_nonblock", "uring_nonblock_punts", &reading);
	close(reading.ring.fd);
	close(reading.fd);
	close(vcpu);
	close(vm);
}

const struct bench_group group_uring = {
	.run = run,
	.rows = "uring uring_punts uring_nonblock uring_nonblock_punts",
	.needs_stats = true,
};
