// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Test schemas: of valid files, of files with unknown flags, of damaged or malicious files, and
 * those that a program makes.
 */
#include <errno.h>
#include <fcntl.h>

#include "image.h"
#include "internal.h"
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

	make_valid(&image);
	if (!tap_is(read_image(&image, &schema), 0, "a valid schema is read"))
		return;
	tap_is(kvmstats_schema_count(schema), 4, "the schema has all statistics");

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

/* ---- damaged files ---- */

#define HEADER(field)	offsetof(struct kvm_stats_header, field)
/* The members of descriptor @n, and its name, in the file that make_valid() makes. */
#define DESC(n, field)	(sizeof(struct kvm_stats_header) + IMAGE_NAME_SIZE + (n) * IMAGE_STRIDE + \
			 offsetof(struct kvm_stats_desc, field))
#define NAME(n)		(DESC(n, flags) + sizeof(struct kvm_stats_desc))
#define ID		sizeof(struct kvm_stats_header)

static const struct damage {
	size_t at;		/* the position of @value, which has @size bytes */
	size_t size;
	uint32_t value;
	int err;
	const char *what;
} damages[] = {
	{ HEADER(name_size), 4, 0, -EPROTO, "a name size of 0" },
	{ HEADER(name_size), 4, 1 << 20, -EOVERFLOW, "a huge name size" },
	{ HEADER(num_desc), 4, UINT32_MAX, -EOVERFLOW, "too many descriptors" },
	{ HEADER(num_desc), 4, 1000, -EPROTO, "more descriptors than the file contains" },
	{ HEADER(id_offset), 4, 8, -EPROTO, "an ID inside the header" },
	{ HEADER(id_offset), 4, UINT32_MAX, -EPROTO, "an ID after the end of the file" },
	{ HEADER(desc_offset), 4, 0, -EPROTO, "descriptors at the start of the header" },
	{ HEADER(desc_offset), 4, 40, -EPROTO, "descriptors that overlap the ID" },
	{ HEADER(desc_offset), 4, UINT32_MAX - 7, -EPROTO, "descriptors after the end" },
	{ HEADER(data_offset), 4, DESC(3, flags), -EPROTO, "data that overlap the descriptors" },
	{ HEADER(data_offset), 4, DESC(4, flags) + 4, -EPROTO, "data that are not aligned" },
	{ HEADER(data_offset), 4, UINT32_MAX - 7, -EPROTO, "data after the end of the file" },
	{ NAME(1), 1, 0, -EPROTO, "an empty name" },
	{ NAME(1), 1, '\033', -EPROTO, "a name with a terminal escape sequence" },
	{ ID, 1, '\n', -EPROTO, "an ID that is not one line" },
	{ DESC(1, size), 2, 0, -EPROTO, "a statistic without values" },
	{ DESC(1, offset), 4, 4, -EPROTO, "a value that is not aligned" },
	{ DESC(1, offset), 4, UINT32_MAX - 7, -EOVERFLOW, "a value at the largest offset" },
	{ DESC(1, offset), 4, 8 * 35, -EPROTO, "a value after the end of the file" },
	{ DESC(2, size), 2, UINT16_MAX, -EPROTO, "more values than the file contains" },
};

static int read_bytes(const unsigned char *bytes, size_t size)
{
	struct kvmstats_schema *schema;
	int fd = bytes_fd(bytes, size);
	int err = kvmstats_schema_read(&schema, fd);

	if (err && schema)
		err = 1;
	kvmstats_schema_free(schema);
	close(fd);
	return err;
}

static void test_damage(void)
{
	unsigned char bytes[sizeof(struct image)];
	struct image image;
	size_t i, size;

	for (i = 0; i < ARRAY_SIZE(damages); i++) {
		const struct damage *damage = &damages[i];
		uint16_t half = (uint16_t)damage->value;

		make_valid(&image);
		size = image_bytes(&image, bytes);
		if (damage->size == 4)
			memcpy(bytes + damage->at, &damage->value, 4);
		else if (damage->size == 2)
			memcpy(bytes + damage->at, &half, 2);
		else
			bytes[damage->at] = (unsigned char)damage->value;
		tap_is(read_bytes(bytes, size), damage->err, damage->what);
	}

	make_valid(&image);
	image.header.num_desc = 65536;
	image.header.name_size = 4096;
	size = image_bytes(&image, bytes);
	tap_is(read_bytes(bytes, size), -EOVERFLOW, "descriptors that are too large together");
	make_valid(&image);
	memset(image_desc(&image, 1) + 1, 'x', IMAGE_NAME_SIZE);
	size = image_bytes(&image, bytes);
	tap_is(read_bytes(bytes, size), -EPROTO, "a name that is not terminated");
	make_valid(&image);
	memset(image.id, 'x', sizeof(image.id));
	size = image_bytes(&image, bytes);
	tap_is(read_bytes(bytes, size), -EPROTO, "an ID that is not terminated");
}

static void test_truncated(void)
{
	unsigned char bytes[sizeof(struct image)];
	struct image image;
	size_t size, cut;
	int wrong = 0;

	make_valid(&image);
	size = image_bytes(&image, bytes);
	for (cut = 0; cut < size; cut++)
		wrong += read_bytes(bytes, cut) != -EPROTO;
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

/* ---- schemas that a program makes ---- */

static const struct kvmstats_desc descs[] = {
	{ .name = "hits", .size = 1 },
	{ .name = "wait_hist", .type = KVMSTATS_TYPE_LOG_HIST, .unit = KVMSTATS_UNIT_SECONDS,
	  .exponent = -9, .size = 3 },
	{ .name = "free_space", .type = KVMSTATS_TYPE_INSTANT, .unit = KVMSTATS_UNIT_BYTES,
	  .base = KVMSTATS_BASE_POW2, .exponent = 10, .size = 1 },
};

static void test_make(void)
{
	struct kvmstats_schema *schema;
	const struct kvmstats_stat *stat;
	char text[32];

	tap_is(kvmstats_schema_make(&schema, descs, 3, sizeof(*descs)), 0, "a schema is made");
	tap_is(kvmstats_schema_count(schema), 3, "the schema has all statistics");
	stat = kvmstats_schema_find(schema, "wait_hist");
	tap_is(kvmstats_stat_offset(stat), 8, "the second statistic follows the first");
	tap_is(kvmstats_stat_type(stat), KVMSTATS_TYPE_LOG_HIST, "a statistic has the given type");
	tap_is(kvmstats_stat_size(stat), 3, "a statistic has the given size");
	kvmstats_stat_unit_text(stat, text, sizeof(text));
	tap_ok(!strcmp(text, "ns"), "a statistic has the given unit, found '%s'", text);
	stat = kvmstats_schema_stat(schema, 2);
	kvmstats_stat_unit_text(stat, text, sizeof(text));
	tap_ok(!strcmp(text, "KiB"), "a statistic has the given base, found '%s'", text);
	tap_is(kvmstats_stat_offset(stat), 32, "the third statistic follows the histogram");
	kvmstats_schema_free(schema);
	tap_is(kvmstats_schema_make(&schema, NULL, 0, sizeof(*descs)), 0,
	       "a schema without statistics is made");
	kvmstats_schema_free(schema);
}

static void expect_error(struct kvmstats_desc desc, int expected, const char *what)
{
	struct kvmstats_schema *schema = (void *)1;

	tap_is(kvmstats_schema_make(&schema, &desc, 1, sizeof(desc)), expected, what);
	tap_ok(!schema, "%s, and the schema is NULL", what);
}

static void test_make_errors(void)
{
	static struct kvmstats_desc many[40];
	struct kvmstats_schema *schema;
	int i;

	expect_error((struct kvmstats_desc){ .size = 1 }, -EINVAL,
		     "a statistic without a name returns EINVAL");
	expect_error((struct kvmstats_desc){ .name = "", .size = 1 }, -EINVAL,
		     "an empty name returns EINVAL");
	expect_error((struct kvmstats_desc){ .name = "x" }, -EINVAL,
		     "a statistic without values returns EINVAL");
	expect_error((struct kvmstats_desc){ .name = "x", .size = 65536 }, -EINVAL,
		     "65536 values of a statistic return EINVAL");
	expect_error((struct kvmstats_desc){ .name = "x", .size = 1, .type = 7 }, -EINVAL,
		     "an unknown type returns EINVAL");
	expect_error((struct kvmstats_desc){ .name = "x", .size = 1, .exponent = 40000 }, -EINVAL,
		     "an exponent that is too large returns EINVAL");
	for (i = 0; i < 40; i++)
		many[i] = (struct kvmstats_desc){ .name = "x", .size = 65535 };
	tap_is(kvmstats_schema_make(&schema, many, 40, sizeof(*many)), -EOVERFLOW,
	       "20 MB of values return EOVERFLOW");
	tap_is(kvmstats_schema_make(&schema, descs, 1, offsetof(struct kvmstats_desc, size)),
	       -EINVAL, "descriptors that are too short return EINVAL");
}

/* Descriptors of programs that were compiled with an earlier or a later version of the header */
static void test_make_versions(void)
{
	enum { SHORT = offsetof(struct kvmstats_desc, bucket_size), LONG = sizeof(*descs) + 16 };
	_Alignas(8) char earlier[3 * SHORT], later[3 * LONG] = "";
	struct kvmstats_schema *schema = NULL;
	int i;

	for (i = 0; i < 3; i++) {
		memcpy(earlier + i * SHORT, &descs[i], SHORT);
		memcpy(later + i * LONG, &descs[i], sizeof(*descs));
	}
	tap_is(kvmstats_schema_make(&schema, (void *)earlier, 3, SHORT), 0,
	       "shorter descriptors are accepted");
	tap_ok(schema && kvmstats_schema_find(schema, "free_space") &&
	       !kvmstats_stat_bucket_size(kvmstats_schema_stat(schema, 1)),
	       "members that they lack are 0");
	kvmstats_schema_free(schema);
	tap_is(kvmstats_schema_make(&schema, (void *)later, 3, LONG), 0,
	       "longer descriptors are accepted");
	tap_ok(schema && kvmstats_schema_find(schema, "free_space"), "all of them are found");
	kvmstats_schema_free(schema);
	later[sizeof(later) - 1] = 1;
	tap_is(kvmstats_schema_make(&schema, (void *)later, 3, LONG), -E2BIG,
	       "a member that is not known returns E2BIG, unless it is 0");
	tap_ok(!schema, "and the schema is NULL");
}

int main(void)
{
	test_valid();
	test_unknown();
	test_order();
	test_damage();
	test_truncated();
	test_other_files();
	test_make();
	test_make_errors();
	test_make_versions();
	return tap_end();
}
