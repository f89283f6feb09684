// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * A fuzz target for libFuzzer: schemas, and files of a VM and its vCPUs. The library must not
 * access memory out of bounds, whatever a statistics file contains. If it accepts the file, all
 * functions must accept its statistics.
 */
#include "fuzz.h"

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
