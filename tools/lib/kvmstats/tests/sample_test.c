// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test samples and their growth. */
#include "image.h"
#include "internal.h"
#include "tap.h"

/* ---- samples ---- */

static const struct kvmstats_desc descs[] = {
	{ .name = "counter", .size = 1 },
	{ .name = "instant", .type = KVMSTATS_TYPE_INSTANT, .size = 1 },
	{ .name = "peak", .type = KVMSTATS_TYPE_PEAK, .size = 1 },
	{ .name = "hist", .type = KVMSTATS_TYPE_LINEAR_HIST, .size = 4, .bucket_size = 10 },
};

#define VALUES	7	/* of all statistics */

static void test_read(void)
{
	struct kvmstats_schema *schema;
	struct kvmstats_sample *sample;
	const struct kvmstats_stat *stat;
	struct image image;
	uint64_t value = 0;
	int fd;

	image_init(&image);
	image_add(&image, "counter", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	image_add(&image, "hist", KVM_STATS_TYPE_LINEAR_HIST, 0, 4, 10);
	image.data[0] = UINT64_MAX;
	image.data[4] = 42;
	fd = image_fd(&image);
	kvmstats_schema_read(&schema, fd);
	kvmstats_sample_new(&sample, schema);
	stat = kvmstats_schema_find(schema, "counter");
	tap_is(kvmstats_sample_value(sample, stat, 0, &value), -ENODATA,
	       "a value of an empty sample returns ENODATA");
	tap_is(kvmstats_sample_time(sample), 0, "an empty sample has time 0");
	tap_is(kvmstats_sample_read(sample, fd), 0, "a sample is read");
	tap_ok(kvmstats_sample_time(sample) > 0, "a sample that was read has a time");
	kvmstats_sample_value(sample, stat, 0, &value);
	tap_ok(value == UINT64_MAX, "the largest 64-bit value is returned unchanged");
	kvmstats_sample_value(sample, kvmstats_schema_find(schema, "hist"), 3, &value);
	tap_is(value, 42, "the last value of a histogram is returned");
	tap_is(kvmstats_sample_value(sample, stat, 1, &value), -ERANGE,
	       "a value after the last one returns ERANGE");
	if (ftruncate(fd, image.header.data_offset + 8))
		perror("# ftruncate");
	tap_is(kvmstats_sample_read(sample, fd), -EPROTO,
	       "reading a file that has shrunk returns EPROTO");
	tap_is(kvmstats_sample_value(sample, stat, 0, &value), -ENODATA,
	       "the sample is empty after a failed read");
	kvmstats_sample_free(sample);
	kvmstats_schema_free(schema);
	close(fd);
}

static void test_set(void)
{
	static const uint64_t values[VALUES] = { 10, 0, 0, 1, 2, 3, 4 };
	struct kvmstats_schema *schema, *other;
	struct kvmstats_sample *sample;
	const uint64_t *found;
	uint64_t value;

	kvmstats_schema_make(&schema, descs, ARRAY_SIZE(descs), sizeof(*descs));
	kvmstats_schema_make(&other, descs, 1, sizeof(*descs));
	kvmstats_sample_new(&sample, schema);
	tap_ok(!kvmstats_sample_values(sample, kvmstats_schema_stat(schema, 0)),
	       "an empty sample has no values");
	tap_is(kvmstats_sample_set(sample, values, VALUES - 1, 1), -EINVAL,
	       "setting too few values returns EINVAL");
	tap_is(kvmstats_sample_set(sample, values, VALUES, 0), -EINVAL,
	       "setting time 0 returns EINVAL");
	tap_is(kvmstats_sample_set(sample, values, VALUES, 1), 0, "values of a sample are set");
	found = kvmstats_sample_values(sample, kvmstats_schema_find(schema, "hist"));
	tap_ok(found && found[0] == 1 && found[3] == 4, "all values of a histogram are returned");
	tap_ok(!kvmstats_sample_values(sample, kvmstats_schema_stat(other, 0)),
	       "a statistic of another schema has no values");
	tap_is(kvmstats_sample_value(sample, kvmstats_schema_stat(other, 0), 0, &value), -EINVAL,
	       "a statistic of another schema returns EINVAL");
	kvmstats_sample_free(sample);
	kvmstats_schema_free(other);
	kvmstats_schema_free(schema);
}

/* The second sample is two seconds later. */
static const struct growth {
	const char *stat;
	unsigned int n;
	uint64_t before;
	uint64_t after;
	int err;
	uint64_t delta;
	const char *what;
} growths[] = {
	{ "counter", 0, 1000, 3500, 0, 2500, "a counter grows" },
	{ "counter", 0, UINT64_MAX - 1, UINT64_MAX, 0, 1, "a large counter grows" },
	{ "counter", 0, 3500, 3, -ESTALE, 0, "a counter was cleared" },
	{ "hist", 1, 5, 6, 0, 1, "a bucket grows" },
	{ "hist", 1, 6, 5, -ESTALE, 0, "a bucket was cleared" },
	{ "hist", 4, 0, 0, -ERANGE, 0, "a bucket does not exist" },
	{ "instant", 0, 1, 2, -EINVAL, 0, "an instantaneous value has no rate" },
	{ "peak", 0, 1, 2, -EINVAL, 0, "a peak value has no rate" },
};

static void test_growth(void)
{
	uint64_t before[VALUES], after[VALUES];
	struct kvmstats_sample *from, *to;
	struct kvmstats_schema *schema;
	size_t i, n;

	kvmstats_schema_make(&schema, descs, ARRAY_SIZE(descs), sizeof(*descs));
	kvmstats_sample_new(&from, schema);
	kvmstats_sample_new(&to, schema);
	for (i = 0; i < ARRAY_SIZE(growths); i++) {
		const struct growth *g = &growths[i];
		const struct kvmstats_stat *stat = kvmstats_schema_find(schema, g->stat);
		uint64_t delta = 0;
		double rate = 0;

		for (n = 0; n < VALUES; n++) {
			before[n] = g->before;
			after[n] = g->after;
		}
		kvmstats_sample_set(from, before, VALUES, SECOND);
		kvmstats_sample_set(to, after, VALUES, 3 * SECOND);
		tap_ok(kvmstats_delta(from, to, stat, g->n, &delta) == g->err &&
		       kvmstats_rate(from, to, stat, g->n, &rate) == g->err &&
		       delta == g->delta && rate * 2 == (double)g->delta,
		       "%s, found %llu, %f/s", g->what, (unsigned long long)delta, rate);
		if (!g->err)
			tap_is(kvmstats_rate(to, to, stat, g->n, &rate), -EAGAIN,
			       "samples of the same time have no rate");
	}
	kvmstats_sample_free(from);
	kvmstats_sample_free(to);
	kvmstats_schema_free(schema);
}

static void test_mainline_reader(const struct vm_image *image)
{
	struct kvmstats_schema *schema;
	struct kvmstats_sample *sample;
	int fd = vm_image_fd(image);
	uint64_t value = 0;

	tap_is(kvmstats_schema_read(&schema, fd), 0,
	       "a program that does not know the flag can read the schema of the VM");
	kvmstats_sample_new(&sample, schema);
	kvmstats_sample_read(sample, fd);
	kvmstats_sample_value(sample, kvmstats_schema_find(schema, "flushes"), 0, &value);
	tap_is(value, 1001, "and the values of the VM");
	kvmstats_sample_free(sample);
	kvmstats_schema_free(schema);
	close(fd);
}

int main(void)
{
	struct vm_image image;

	vm_image_init(&image);
	test_read();
	test_set();
	test_growth();
	test_mainline_reader(&image);
	return tap_end();
}
