// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Schemas that are good, unknown, damaged and hostile. */
#include <errno.h>
#include <fcntl.h>

#include "image.h"
#include "kvmstats.h"
#include "tap.h"

#define CUMULATIVE	KVM_STATS_TYPE_CUMULATIVE

static void make_good(struct image *image)
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

static void test_good(void)
{
	const struct kvmstats_stat *stat;
	struct kvmstats_schema *schema;
	struct image image;
	char id[64];
	int fd;

	make_good(&image);
	fd = image_fd(&image);
	if (!tap_is(kvmstats_schema_read(&schema, fd), 0, "a good schema is read"))
		return;
	tap_is(kvmstats_schema_count(schema), 4, "all of its statistics are there");
	tap_is(kvmstats_schema_id(schema, fd, id, sizeof(id)), 0, "it has an ID");
	tap_ok(!strcmp(id, "kvm-1/vcpu-0"), "and that is the file's");
	tap_is(kvmstats_schema_id(schema, fd, id, 12), -EOVERFLOW, "a short buffer is an error");

	stat = kvmstats_schema_find(schema, "halt_wait_hist");
	if (tap_ok(stat, "a statistic is found by name")) {
		tap_is(kvmstats_stat_type(stat), KVMSTATS_LOG_HIST, "type");
		tap_is(kvmstats_stat_unit(stat), KVMSTATS_SECONDS, "unit");
		tap_is(kvmstats_stat_base(stat), KVMSTATS_POW10, "base");
		tap_is(kvmstats_stat_exponent(stat), -9, "exponent");
		tap_is(kvmstats_stat_size(stat), 32, "size");
		tap_is(kvmstats_stat_offset(stat), 16, "offset");
	}
	tap_ok(!kvmstats_schema_find(schema, "halt"), "a part of a name finds nothing");
	tap_ok(!kvmstats_schema_stat(schema, 4), "nothing comes after the last statistic");

	tap_is(kvmstats_schema_same(schema, fd), 1, "its own file has the schema");
	close(fd);
	image_desc(&image, 3)->size = 2;
	image.data_size += 8;
	fd = image_fd(&image);
	tap_is(kvmstats_schema_same(schema, fd), 0, "a file with another descriptor has not");
	close(fd);
	kvmstats_schema_free(schema);
}

static void test_unknown(void)
{
	const struct kvmstats_stat *stat;
	struct kvmstats_schema *schema;
	struct image image;
	char unit[64];

	make_good(&image);
	image.header.flags = 0x80000001;
	image_add(&image, "later", 0xdeadb7c9, 5, 3, 77);
	if (!tap_is(read_image(&image, &schema), 0, "unknown flags are no error"))
		return;
	tap_is(kvmstats_schema_flags(schema), 0x80000001, "the header's are carried through");
	stat = kvmstats_schema_find(schema, "later");
	tap_is(kvmstats_stat_flags(stat), 0xdeadb7c9, "the descriptor's are too");
	tap_is(kvmstats_stat_type(stat), 9, "unknown type");
	tap_ok(!kvmstats_type_name(9), "it has no name");
	tap_is(kvmstats_stat_unit(stat), 12, "unknown unit");
	tap_ok(!kvmstats_unit_name(12), "it has no name");
	tap_is(kvmstats_stat_base(stat), 7, "unknown base");
	tap_ok(!kvmstats_base_name(7), "it has no name");
	kvmstats_stat_unit_text(stat, unit, sizeof(unit));
	tap_ok(!strcmp(unit, "unit12*base7^5"), "the unit is told by its numbers: %s", unit);
	tap_is(kvmstats_stat_size(stat), 3, "an array that is no histogram");
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

	make_good(&image);
	image_desc(&image, 0)->offset = 8;
	image_desc(&image, 1)->offset = 0;
	image.data[0] = 100;
	image.data[1] = 200;
	fd = image_fd(&image);
	if (!tap_is(kvmstats_schema_read(&schema, fd), 0, "statistics may lie in any order"))
		return;
	kvmstats_sample_new(&sample, schema);
	tap_is(kvmstats_sample_read(sample, fd), 0, "their values are read");
	stat = kvmstats_schema_find(schema, "exits");
	kvmstats_sample_value(sample, stat, 0, &value);
	tap_is(value, 200, "and found by offset");
	kvmstats_sample_free(sample);
	kvmstats_schema_free(schema);
	close(fd);
}

static void expect(struct image *image, int err, const char *what)
{
	struct kvmstats_schema *schema;
	int found = read_image(image, &schema);

	if (!tap_is(found, err, what) || !found)
		kvmstats_schema_free(schema);
	make_good(image);
}

static void test_bad_header(void)
{
	struct image image;

	make_good(&image);
	image.header.name_size = 0;
	expect(&image, -EPROTO, "names of size 0");
	image.header.name_size = 1 << 20;
	expect(&image, -EOVERFLOW, "huge names");
	image.header.num_desc = UINT32_MAX;
	expect(&image, -EOVERFLOW, "more descriptors than any kernel has");
	image.header.num_desc = 65536;
	image.header.name_size = 4096;
	expect(&image, -EOVERFLOW, "descriptors that are too much together");
	image.header.num_desc = 1000;
	expect(&image, -EPROTO, "more descriptors than the file has");
	image.header.id_offset = 8;
	expect(&image, -EPROTO, "an ID within the header");
	image.header.id_offset = UINT32_MAX;
	expect(&image, -EPROTO, "an ID behind the end");
	image.header.desc_offset = 0;
	expect(&image, -EPROTO, "descriptors that are the header itself");
	image.header.desc_offset = 40;
	expect(&image, -EPROTO, "descriptors across the ID");
	image.header.desc_offset = UINT32_MAX - 7;
	expect(&image, -EPROTO, "descriptors behind the end");
	image.header.data_offset -= IMAGE_STRIDE;
	expect(&image, -EPROTO, "data across the descriptors");
	image.header.data_offset += 4;
	expect(&image, -EPROTO, "data that is not aligned");
	image.header.data_offset = UINT32_MAX - 7;
	expect(&image, -EPROTO, "data behind the end");
}

static void test_bad_desc(void)
{
	struct image image;

	make_good(&image);
	memset(image_desc(&image, 1) + 1, 'x', IMAGE_NAME_SIZE);
	expect(&image, -EPROTO, "a name without an end");
	memset(image_desc(&image, 1) + 1, 0, IMAGE_NAME_SIZE);
	expect(&image, -EPROTO, "an empty name");
	strcpy((char *)(image_desc(&image, 1) + 1), "\033[2J");
	expect(&image, -EPROTO, "a name that commands terminals");
	memset(image.id, 'x', sizeof(image.id));
	expect(&image, -EPROTO, "an ID without an end");
	image_desc(&image, 1)->size = 0;
	expect(&image, -EPROTO, "a statistic without values");
	image_desc(&image, 1)->offset = 4;
	expect(&image, -EPROTO, "a value that is not aligned");
	image_desc(&image, 1)->offset = UINT32_MAX - 7;
	expect(&image, -EOVERFLOW, "a value at the end of all offsets");
	image_desc(&image, 1)->offset = image.data_size;
	expect(&image, -EPROTO, "a value behind the end");
	image_desc(&image, 2)->size = UINT16_MAX;
	expect(&image, -EPROTO, "more values than the file has");
}

/* Each file that ends too early is an error, at whatever byte it ends. */
static void test_short(void)
{
	unsigned char bytes[sizeof(struct image)];
	struct kvmstats_schema *schema;
	struct image image;
	size_t size, cut;
	int wrong = 0;

	make_good(&image);
	size = image_bytes(&image, bytes);
	for (cut = 0; cut < size; cut++) {
		int fd = bytes_fd(bytes, cut);

		if (kvmstats_schema_read(&schema, fd) != -EPROTO)
			wrong++;
		kvmstats_schema_free(schema);
		close(fd);
	}
	tap_is(wrong, 0, "a file cut short at any byte is an error");
}

static void test_other_files(void)
{
	struct kvmstats_schema *schema;
	struct image image;
	int fds[2];
	int fd;

	fd = open("/", O_RDONLY | O_CLOEXEC);
	tap_is(kvmstats_schema_read(&schema, fd), -EISDIR, "a directory is none");
	close(fd);
	tap_is(kvmstats_schema_read(&schema, -1), -EBADF, "no fd is none");
	if (pipe(fds))
		return;
	tap_is(kvmstats_schema_read(&schema, fds[0]), -ESPIPE, "a pipe is none");
	close(fds[0]);
	close(fds[1]);

	image_init(&image);
	if (tap_is(read_image(&image, &schema), 0, "an empty schema is one"))
		tap_is(kvmstats_schema_count(schema), 0, "with no statistics");
	kvmstats_schema_free(schema);
}

int main(void)
{
	test_good();
	test_unknown();
	test_order();
	test_bad_header();
	test_bad_desc();
	test_short();
	test_other_files();
	return tap_end();
}
