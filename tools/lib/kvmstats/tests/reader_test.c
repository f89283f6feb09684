// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Test that a reader notices if the VM behind its fd has other statistics than before: a VMM can
 * close a VM and create another one whose fd has the same number.
 *
 * The linker replaces the functions of targets by those here.
 */
#include "image.h"
#include "reader.h"
#include "tap.h"

/* The statistics file that the next kvmstats_target_open() opens. */
static const struct image *current;

enum kvmstats_kind __wrap_kvmstats_target_kind(const struct kvmstats_target *target)
{
	(void)target;
	return KVMSTATS_KIND_VM;
}

bool __wrap_kvmstats_target_in_file(const struct kvmstats_target *target)
{
	(void)target;
	return false;
}

int __wrap_kvmstats_target_vcpu(const struct kvmstats_target *target)
{
	(void)target;
	return -1;
}

uint64_t __wrap_kvmstats_target_number(const struct kvmstats_target *target)
{
	(void)target;
	return 0;
}

int __wrap_kvmstats_target_fd(const struct kvmstats_target *target)
{
	(void)target;
	return 9;
}

int __wrap_kvmstats_target_open(const struct kvmstats_target *target, enum kvmstats_origin *origin)
{
	(void)target;
	*origin = KVMSTATS_ORIGIN_OPENED;
	return image_fd(current);
}

static void make_image(struct image *image, const char *first, const char *second)
{
	image_init(image);
	image_add(image, first, 0, 0, 1, 0);
	image_add(image, second, 0, 0, 1, 0);
	image->data[0] = 10;
	image->data[1] = 20;
}

static uint64_t value_of(const struct kvmstats_reader *reader, const char *name)
{
	const struct kvmstats_stat *stat = kvmstats_schema_find(reader->schema, name);
	uint64_t value = 0;

	return stat && !kvmstats_sample_value(reader->now, stat, 0, &value) ? value : 0;
}

static void test(struct kvmstats_reader *reader, struct kvmstats_schemas *schemas)
{
	const struct kvmstats_schema *first;
	struct image image, other;

	make_image(&image, "exits", "hits");
	make_image(&other, "hits", "exits");
	current = &image;
	kvmstats_reader_open(reader, schemas);
	kvmstats_reader_sample(reader);
	first = reader->schema;
	tap_is(value_of(reader, "exits"), 10, "a reader reads the file of a VM");
	kvmstats_reader_open(reader, schemas);
	tap_ok(reader->schema == first && value_of(reader, "exits") == 10,
	       "a file with the same schema keeps the samples");
	current = &other;
	kvmstats_reader_open(reader, schemas);
	tap_ok(!reader->err && reader->schema && reader->schema != first,
	       "a file with another schema changes the schema");
	tap_is(kvmstats_sample_time(reader->now), 0, "its samples are empty at first");
	kvmstats_reader_sample(reader);
	tap_is(value_of(reader, "exits"), 20, "its values are found at their offsets");
	tap_is(schemas->count, 2, "both schemas are stored once");
}

int main(void)
{
	struct kvmstats_schemas schemas = { 0 };
	struct kvmstats_reader *reader = kvmstats_reader_new(NULL);

	if (tap_ok(reader, "a reader is made")) {
		test(reader, &schemas);
		kvmstats_reader_free(reader);
	}
	kvmstats_schemas_free(&schemas);
	return tap_end();
}
