// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * A fuzz target for libFuzzer. The library must not access memory out of bounds, whatever a
 * statistics file contains. If it accepts the file, all functions must accept its statistics.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

/* Checks for errors that no sanitizer detects. */
#define CHECK(condition) do { if (!(condition)) abort(); } while (0)

static int write_file(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("stats", MFD_CLOEXEC);
	CHECK(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
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

static void check_sample(const struct kvmstats_schema *schema, int fd)
{
	struct kvmstats_sample *sample;
	size_t i;

	CHECK(!kvmstats_sample_new(&sample, schema));
	CHECK(!kvmstats_sample_read(sample, fd));
	for (i = 0; i < kvmstats_schema_count(schema); i++)
		check_values(sample, kvmstats_schema_stat(schema, i));
	kvmstats_sample_free(sample);
}

/* The file may contain a VM and its vCPUs. */
static void check_file(int fd)
{
	struct kvmstats_schemas schemas = { 0 };
	struct kvmstats_sample *sample;
	struct kvmstats_file file;
	int err = kvmstats_file_open(&file, dup(fd), &schemas);
	size_t i;

	CHECK(!err || err == -EPROTO || err == -EOVERFLOW || err == -ENODATA);
	if (!err) {
		CHECK(!kvmstats_sample_new(&sample, file.vcpu));
		err = kvmstats_file_read(&file);
		CHECK(!err || err == -EPROTO || err == -EOVERFLOW);
		for (i = 0; i < file.vcpus; i++) {
			CHECK(kvmstats_file_vcpu(&file, i) >= 0);
			CHECK(!kvmstats_file_sample(&file, (ssize_t)i, sample));
		}
		CHECK(kvmstats_file_sample(&file, (ssize_t)i, sample));
		for (i = 0; i < kvmstats_schema_count(file.vcpu); i++)
			check_stat(kvmstats_schema_stat(file.vcpu, i));
		kvmstats_sample_free(sample);
	}
	kvmstats_file_close(&file);
	kvmstats_schemas_free(&schemas);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = write_file(data, size);
	struct kvmstats_schema *schema;
	char id[64];
	size_t i;
	int err;

	check_file(fd);
	err = kvmstats_schema_read(&schema, fd);
	if (err) {
		CHECK(!schema && (err == -EPROTO || err == -EOVERFLOW));
		return 0;
	}
	CHECK(kvmstats_schema_same(schema, fd) == 1);
	kvmstats_schema_id(schema, fd, id, sizeof(id));
	kvmstats_schema_id(schema, fd, id, 1);
	for (i = 0; i < kvmstats_schema_count(schema); i++) {
		const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);

		check_stat(stat);
		CHECK(kvmstats_schema_find(schema, kvmstats_stat_name(stat)));
	}
	CHECK(!kvmstats_schema_stat(schema, i));
	check_sample(schema, fd);
	kvmstats_schema_free(schema);
	return 0;
}
