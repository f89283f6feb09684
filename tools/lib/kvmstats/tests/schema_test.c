// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test reading valid files, files with unknown flags, and damaged or malicious files. */
#include <errno.h>
#include <fcntl.h>

#include "image.h"
#include "kvmstats.h"
#include "tap.h"

#define CUMULATIVE	KVM_STATS_TYPE_CUMULATIVE

static void make_valid(struct image *image)
{
	image_init(image);
	image_add(image, "exits", CUMULATIVE, 0, 1, 0);
	image_add(image, "halt_wait_ns", CUMULATIVE | KVM_STATS_UNIT_SECONDS, -9, 1, 0);
	image_add(image, "halt_wait_hist", KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS, -9,
		  32, 0);
	image_add(image, "blocking", KVM_STATS_TYPE_INSTANT | KVM_STATS_UNIT_BOOLEAN, 0, 1, 0);
}

static int read_image(const struct image *image, struct kvmstats_schema **schema)
{
	int fd = image_fd(image);
	int err = kvmstats_schema_read(schema, fd);

	close(fd);
	return err;
}

static void test_valid(void)
{
	const struct kvmstats_stat *stat;
	struct kvmstats_schema *schema;
	struct image image;
	char id[64];
	int fd;

	make_valid(&image);
	fd = image_fd(&image);
	if (!tap_is(kvmstats_schema_read(&schema, fd), 0, "a valid schema is read"))
		return;
	tap_is(kvmstats_schema_count(schema), 4, "the schema has all statistics");
	tap_is(kvmstats_schema_id(schema, fd, id, sizeof(id)), 0, "the ID is read");
	tap_ok(!strcmp(id, "kvm-1/vcpu-0"), "the ID is the one in the file");
	tap_is(kvmstats_schema_id(schema, fd, id, 12), -EOVERFLOW,
	       "a buffer too short for the ID returns EOVERFLOW");

	stat = kvmstats_schema_find(schema, "halt_wait_hist");
	if (tap_ok(stat, "a statistic is found by name")) {
		tap_is(kvmstats_stat_type(stat), KVMSTATS_TYPE_LOG_HIST,
		       "the type of a statistic is correct");
		tap_is(kvmstats_stat_unit(stat), KVMSTATS_UNIT_SECONDS,
		       "the unit of a statistic is correct");
		tap_is(kvmstats_stat_base(stat), KVMSTATS_BASE_POW10,
		       "the base of a statistic is correct");
		tap_is(kvmstats_stat_exponent(stat), -9, "the exponent of a statistic is correct");
		tap_is(kvmstats_stat_size(stat), 32, "the size of a statistic is correct");
		tap_is(kvmstats_stat_offset(stat), 16, "the offset of a statistic is correct");
	}
	tap_ok(!kvmstats_schema_find(schema, "halt"), "a part of a name is not found");
	tap_ok(!kvmstats_schema_stat(schema, 4), "an index after the last statistic returns NULL");

	tap_is(kvmstats_schema_same(schema, fd), 1, "the file that was read has the same schema");
	close(fd);
	image_desc(&image, 3)->size = 2;
	image.data_size += 8;
	fd = image_fd(&image);
	tap_is(kvmstats_schema_same(schema, fd), 0,
	       "a file with another descriptor has another schema");
	close(fd);
	kvmstats_schema_free(schema);
}

static void test_unknown(void)
{
	const struct kvmstats_stat *stat;
	struct kvmstats_schema *schema;
	struct image image;
	char unit[64];

	make_valid(&image);
	image.header.flags = 0x80000001;
	image_add(&image, "later", 0xdeadb7c9, 5, 3, 77);
	if (!tap_is(read_image(&image, &schema), 0, "a file with unknown flags is read"))
		return;
	tap_is(kvmstats_schema_flags(schema), 0x80000001,
	       "unknown flags of the header are returned unchanged");
	stat = kvmstats_schema_find(schema, "later");
	tap_is(kvmstats_stat_flags(stat), 0xdeadb7c9,
	       "unknown flags of a descriptor are returned unchanged");
	tap_is(kvmstats_stat_type(stat), 9, "an unknown type is returned as its number");
	tap_ok(!kvmstats_type_name(9), "an unknown type has no name");
	tap_is(kvmstats_stat_unit(stat), 12, "an unknown unit is returned as its number");
	tap_ok(!kvmstats_unit_name(12), "an unknown unit has no name");
	tap_is(kvmstats_stat_base(stat), 7, "an unknown base is returned as its number");
	tap_ok(!kvmstats_base_name(7), "an unknown base has no name");
	kvmstats_stat_unit_text(stat, unit, sizeof(unit));
	tap_ok(!strcmp(unit, "unit12*base7^5"),
	       "the text of an unknown unit has its numbers, found '%s'", unit);
	tap_is(kvmstats_stat_size(stat), 3, "an array that is not a histogram has its size");
	kvmstats_schema_free(schema);
}

static void test_order(void)
{
	const struct kvmstats_stat *stat;
	struct kvmstats_sample *sample;
	struct kvmstats_schema *schema;
	struct image image;
	uint64_t value = 0;
	int fd;

	make_valid(&image);
	image_desc(&image, 0)->offset = 8;
	image_desc(&image, 1)->offset = 0;
	image.data[0] = 100;
	image.data[1] = 200;
	fd = image_fd(&image);
	if (!tap_is(kvmstats_schema_read(&schema, fd), 0,
		    "a file whose values are in another order is read"))
		return;
	kvmstats_sample_new(&sample, schema);
	tap_is(kvmstats_sample_read(sample, fd), 0, "a sample of that file is read");
	stat = kvmstats_schema_find(schema, "exits");
	kvmstats_sample_value(sample, stat, 0, &value);
	tap_is(value, 200, "values are found by their offsets");
	kvmstats_sample_free(sample);
	kvmstats_schema_free(schema);
	close(fd);
}

/* Reads @image, which must return @err, and makes it valid again. */
static void expect(struct image *image, int err, const char *what)
{
	struct kvmstats_schema *schema;
	int found = read_image(image, &schema);

	if (!tap_is(found, err, what) || !found)
		kvmstats_schema_free(schema);
	make_valid(image);
}

static void test_bad_header(void)
{
	struct image image;

	make_valid(&image);
	image.header.name_size = 0;
	expect(&image, -EPROTO, "a name size of 0 returns EPROTO");
	image.header.name_size = 1 << 20;
	expect(&image, -EOVERFLOW, "a huge name size returns EOVERFLOW");
	image.header.num_desc = UINT32_MAX;
	expect(&image, -EOVERFLOW, "too many descriptors return EOVERFLOW");
	image.header.num_desc = 65536;
	image.header.name_size = 4096;
	expect(&image, -EOVERFLOW, "descriptors that are too large together return EOVERFLOW");
	image.header.num_desc = 1000;
	expect(&image, -EPROTO, "more descriptors than the file contains return EPROTO");
	image.header.id_offset = 8;
	expect(&image, -EPROTO, "an ID inside the header returns EPROTO");
	image.header.id_offset = UINT32_MAX;
	expect(&image, -EPROTO, "an ID after the end of the file returns EPROTO");
	image.header.desc_offset = 0;
	expect(&image, -EPROTO, "descriptors at the start of the header return EPROTO");
	image.header.desc_offset = 40;
	expect(&image, -EPROTO, "descriptors that overlap the ID return EPROTO");
	image.header.desc_offset = UINT32_MAX - 7;
	expect(&image, -EPROTO, "descriptors after the end of the file return EPROTO");
	image.header.data_offset -= IMAGE_STRIDE;
	expect(&image, -EPROTO, "data that overlap the descriptors return EPROTO");
	image.header.data_offset += 4;
	expect(&image, -EPROTO, "data that are not aligned return EPROTO");
	image.header.data_offset = UINT32_MAX - 7;
	expect(&image, -EPROTO, "data after the end of the file return EPROTO");
}

static void test_bad_desc(void)
{
	struct image image;

	make_valid(&image);
	memset(image_desc(&image, 1) + 1, 'x', IMAGE_NAME_SIZE);
	expect(&image, -EPROTO, "a name that is not terminated returns EPROTO");
	memset(image_desc(&image, 1) + 1, 0, IMAGE_NAME_SIZE);
	expect(&image, -EPROTO, "an empty name returns EPROTO");
	strcpy((char *)(image_desc(&image, 1) + 1), "\033[2J");
	expect(&image, -EPROTO, "a name with a terminal escape sequence returns EPROTO");
	memset(image.id, 'x', sizeof(image.id));
	expect(&image, -EPROTO, "an ID that is not terminated returns EPROTO");
	image_desc(&image, 1)->size = 0;
	expect(&image, -EPROTO, "a statistic without values returns EPROTO");
	image_desc(&image, 1)->offset = 4;
	expect(&image, -EPROTO, "a value that is not aligned returns EPROTO");
	image_desc(&image, 1)->offset = UINT32_MAX - 7;
	expect(&image, -EOVERFLOW, "a value at the largest offset returns EOVERFLOW");
	image_desc(&image, 1)->offset = image.data_size;
	expect(&image, -EPROTO, "a value after the end of the file returns EPROTO");
	image_desc(&image, 2)->size = UINT16_MAX;
	expect(&image, -EPROTO, "more values than the file contains return EPROTO");
}

static void test_truncated(void)
{
	unsigned char bytes[sizeof(struct image)];
	struct kvmstats_schema *schema;
	struct image image;
	size_t size, cut;
	int wrong = 0;

	make_valid(&image);
	size = image_bytes(&image, bytes);
	for (cut = 0; cut < size; cut++) {
		int fd = bytes_fd(bytes, cut);

		if (kvmstats_schema_read(&schema, fd) != -EPROTO)
			wrong++;
		kvmstats_schema_free(schema);
		close(fd);
	}
	tap_is(wrong, 0, "a file that is truncated at any byte returns EPROTO");
}

static void test_other_files(void)
{
	struct kvmstats_schema *schema;
	struct image image;
	int fds[2];
	int fd;

	fd = open("/", O_RDONLY | O_CLOEXEC);
	tap_is(kvmstats_schema_read(&schema, fd), -EISDIR, "reading a directory returns EISDIR");
	close(fd);
	tap_is(kvmstats_schema_read(&schema, -1), -EBADF, "reading fd -1 returns EBADF");
	if (pipe(fds))
		return;
	tap_is(kvmstats_schema_read(&schema, fds[0]), -ESPIPE, "reading a pipe returns ESPIPE");
	close(fds[0]);
	close(fds[1]);

	image_init(&image);
	if (tap_is(read_image(&image, &schema), 0, "a file without statistics is read"))
		tap_is(kvmstats_schema_count(schema), 0, "its schema has no statistics");
	kvmstats_schema_free(schema);
}

int main(void)
{
	test_valid();
	test_unknown();
	test_order();
	test_bad_header();
	test_bad_desc();
	test_truncated();
	test_other_files();
	return tap_end();
}
