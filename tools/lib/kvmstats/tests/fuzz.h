/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* For the fuzz targets of libFuzzer: input as a file, and checks of all that a statistic has. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks for errors that no sanitizer detects. */
#define CHECK(condition) do { if (!(condition)) abort(); } while (0)

/* Returns the fd of the file, at its start. */
static int write_file(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("stats", MFD_CLOEXEC);
	CHECK(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	CHECK(!lseek(fd, 0, SEEK_SET));
	return fd;
}

static void check_bucket(const struct kvmstats_stat *stat, unsigned int n)
{
	uint64_t min, max;

	if (!kvmstats_stat_bucket(stat, n, &min, &max))
		CHECK(min <= max);
}

static void check_stat(const struct kvmstats_stat *stat)
{
	unsigned int size = kvmstats_stat_size(stat);
	char text[64], tiny[2];

	CHECK(size && strlen(kvmstats_stat_name(stat)) > 0);
	CHECK(kvmstats_stat_unit_text(stat, text, sizeof(text)) < (int)sizeof(text));
	kvmstats_stat_unit_text(stat, tiny, sizeof(tiny));
	kvmstats_stat_scale(stat, UINT64_MAX, text, sizeof(text));
	kvmstats_stat_scale(stat, 1, tiny, sizeof(tiny));
	check_bucket(stat, 0);
	check_bucket(stat, size - 1);
	check_bucket(stat, size);
	kvmstats_type_name(kvmstats_stat_type(stat));
	kvmstats_unit_name(kvmstats_stat_unit(stat));
	kvmstats_base_name(kvmstats_stat_base(stat));
}

static void check_values(const struct kvmstats_sample *sample, const struct kvmstats_stat *stat)
{
	unsigned int last = kvmstats_stat_size(stat) - 1;
	const uint64_t *values = kvmstats_sample_values(sample, stat);
	uint64_t value, delta;
	double rate;

	CHECK(values && !kvmstats_sample_value(sample, stat, last, &value));
	CHECK(values[last] == value);
	CHECK(kvmstats_sample_value(sample, stat, last + 1, &value));
	kvmstats_delta(sample, sample, stat, last, &delta);
	kvmstats_rate(sample, sample, stat, last, &rate);
}

#endif /* FUZZ_H */
