// SPDX-License-Identifier: GPL-2.0-only
/* Read statistics with pread(). */
#include <unistd.h>

#include "bench.h"

struct reading {
	int fd;
	uint32_t offset;
	uint32_t size;
	char *buf;
};

static char buf[65536] __attribute__((aligned(64)));

static long read_once(void *arg)
{
	const struct reading *reading = arg;

	return kernel_call(SYS_pread64, reading->fd, (long)reading->buf, reading->size,
			   reading->offset, 0, 0);
}

static void row_read(const char *name, int fd, uint32_t offset, uint32_t size)
{
	struct reading reading = { fd, offset, size, buf };

	row_count(name, &(struct bench_op) { .run = read_once, .arg = &reading, .result = size });
}

static void read_vcpu(int stats, struct stats_layout layout)
{
	row_read("pread_0", stats, layout.data_offset, 0);
	row_read("pread_8", stats, layout.data_offset, 8);
	row_read("pread_64", stats, layout.data_offset, 64);
	/* Mainline has more bytes of values. */
	row_read("pread_1096", stats, layout.data_offset, 1096);
	row_read("pread_vcpu", stats, layout.data_offset, layout.data_size);
	row_value("vcpu_bytes", layout.data_size);
	row_read("pread_head", stats, 0, layout.data_offset);
	row_value("head_bytes", layout.data_offset);
}

static void read_vm(int stats, struct stats_layout layout)
{
	row_read("pread_vm", stats, layout.data_offset, layout.data_size);
	row_value("vm_bytes", layout.data_size);
}

static void run(void)
{
	int vm = vm_create();
	int vcpu = vcpu_create(vm, 0);
	int vcpu_stats = stats_open(vcpu);
	int vm_stats = stats_open(vm);
	struct stats_layout of_vcpu = stats_layout(vcpu_stats), of_vm = stats_layout(vm_stats);

	read_vcpu(vcpu_stats, of_vcpu);
	read_vm(vm_stats, of_vm);
	row_value("statistics", of_vcpu.statistics + of_vm.statistics);
	close(vcpu_stats);
	close(vm_stats);
	close(vcpu);
	close(vm);
}

const struct bench_group group_read = {
	.run = run,
	.rows = "pread_0 pread_8 pread_64 pread_1096 pread_vcpu vcpu_bytes pread_head head_bytes "
		"pread_vm vm_bytes statistics",
	.needs_stats = true,
};
