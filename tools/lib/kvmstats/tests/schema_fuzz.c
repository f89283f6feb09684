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
	struct kvmstats_next next = { 0 };
	struct kvmstats_pass pass = { 0 };
	int err = kvmstats_next_add(&next, dup(fd), 1);

	CHECK(!err || err == -EPROTO || err == -EOVERFLOW || err == -ENODATA);
	CHECK(next.vms == !err);
	err = kvmstats_next_write_files(&next, &pass);
	CHECK(!err || err == -EPROTO);
	CHECK(err || pass.vms == 1 || next.error || !next.vms);
	kvmstats_next_close(&next);
	free(pass.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = write_file(data, size);
	struct kvmstats_schema *schema;
	size_t i;
	int err;

	check_file(fd);
	err = kvmstats_schema_read(&schema, fd);
	if (err) {
		CHECK(!schema && (err == -EPROTO || err == -EOVERFLOW));
		return 0;
	}
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
