// SPDX-License-Identifier: GPL-2.0-only
/* Read the values of one vCPU with preadv() and preadv2(). */
#define _GNU_SOURCE
#include <sys/uio.h>
#include <unistd.h>

#include "bench.h"

#define MAX_PARTS	4

struct reading {
	int fd;
	uint32_t offset;
	int num;
	struct iovec parts[MAX_PARTS];
};

static char buf[65536] __attribute__((aligned(64)));

static long read_parts(void *arg)
{
	const struct reading *reading = arg;

	return kernel_call(SYS_preadv, reading->fd, (long)reading->parts, reading->num,
			   reading->offset, 0, 0);
}

static long read_nowait(void *arg)
{
	const struct reading *reading = arg;

	return kernel_call(SYS_preadv2, reading->fd, (long)reading->parts, reading->num,
			   reading->offset, 0, RWF_NOWAIT);
}

/* Split the buffer into parts of whole values.  The last part has the remainder. */
static void split(struct reading *reading, uint32_t size, int num)
{
	uint32_t part = size / num / sizeof(uint64_t) * sizeof(uint64_t);
	int i;

	reading->num = num;
	for (i = 0; i < num; i++) {
		reading->parts[i].iov_base = buf + i * part;
		reading->parts[i].iov_len = i < num - 1 ? part : size - i * part;
	}
}

static void row_read(const char *name, long (*read)(void *arg), struct reading *reading,
		     uint32_t size, int num)
{
	split(reading, size, num);
	row_count(name, &(struct bench_op) { .run = read, .arg = reading, .result = size });
}

static void run(void)
{
	int vm = vm_create();
	int vcpu = vcpu_create(vm, 0);
	struct reading reading = { .fd = stats_open(vcpu) };
	struct stats_layout layout = stats_layout(reading.fd);

	reading.offset = layout.data_offset;
	row_read("preadv", read_parts, &reading, layout.data_size, 1);
	row_read("preadv_4", read_parts, &reading, layout.data_size, 4);
	if (read_nowait(&reading) == layout.data_size)
		row_read("preadv2", read_nowait, &reading, layout.data_size, 1);
	else
		rows_missing("preadv2", "the file does not support RWF_NOWAIT");
	close(reading.fd);
	close(vcpu);
	close(vm);
}

const struct bench_group group_vector = {
	.run = run,
	.rows = "preadv preadv_4 preadv2",
	.needs_stats = true,
};
