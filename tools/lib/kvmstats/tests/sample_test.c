// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test the values, differences and rates of samples that are read from a file. */
#include <errno.h>
#include <time.h>

#include "image.h"
#include "kvmstats.h"
#include "tap.h"

struct fixture {
	struct image image;
	int fd;
	struct kvmstats_schema *schema;
	struct kvmstats_sample *before;
	struct kvmstats_sample *after;
};

static void write_values(struct fixture *f)
{
	if (pwrite(f->fd, f->image.data, f->image.data_size, f->image.header.data_offset) < 0)
		perror("# pwrite");
}

static void setup(struct fixture *f)
{
	image_init(&f->image);
	image_add(&f->image, "counter", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	image_add(&f->image, "instant", KVM_STATS_TYPE_INSTANT, 0, 1, 0);
	image_add(&f->image, "peak", KVM_STATS_TYPE_PEAK, 0, 1, 0);
	image_add(&f->image, "hist", KVM_STATS_TYPE_LINEAR_HIST, 0, 4, 10);
	image_add(&f->image, "later", 0x5, 0, 1, 0);
	f->fd = image_fd(&f->image);
	kvmstats_schema_read(&f->schema, f->fd);
	kvmstats_sample_new(&f->before, f->schema);
	kvmstats_sample_new(&f->after, f->schema);
}

static void teardown(struct fixture *f)
{
	kvmstats_sample_free(f->before);
	kvmstats_sample_free(f->after);
	kvmstats_schema_free(f->schema);
	close(f->fd);
}

static const struct kvmstats_stat *stat_of(const struct fixture *f, const char *name)
{
	return kvmstats_schema_find(f->schema, name);
}

static void test_values(void)
{
	struct kvmstats_schema *other;
	struct fixture f;
	uint64_t value = 0;

	setup(&f);
	tap_is(kvmstats_sample_value(f.before, stat_of(&f, "counter"), 0, &value), -ENODATA,
	       "a value of an empty sample returns ENODATA");
	tap_is(kvmstats_sample_time(f.before), 0, "an empty sample has time 0");

	f.image.data[0] = UINT64_MAX;
	f.image.data[6] = 42;
	write_values(&f);
	tap_is(kvmstats_sample_read(f.before, f.fd), 0, "a sample is read");
	tap_ok(kvmstats_sample_time(f.before) > 0, "a sample that was read has a time");
	kvmstats_sample_value(f.before, stat_of(&f, "counter"), 0, &value);
	tap_ok(value == UINT64_MAX, "the largest 64-bit value is returned unchanged");
	kvmstats_sample_value(f.before, stat_of(&f, "hist"), 3, &value);
	tap_is(value, 42, "the last value of a histogram is returned");
	tap_is(kvmstats_sample_value(f.before, stat_of(&f, "hist"), 4, &value), -ERANGE,
	       "a value after the last one returns ERANGE");

	kvmstats_schema_read(&other, f.fd);
	tap_is(kvmstats_sample_value(f.before, kvmstats_schema_stat(other, 0), 0, &value), -EINVAL,
	       "a statistic of another schema returns EINVAL");
	kvmstats_schema_free(other);

	if (ftruncate(f.fd, f.image.header.data_offset + 8))
		perror("# ftruncate");
	tap_is(kvmstats_sample_read(f.before, f.fd), -EPROTO,
	       "reading a file that has shrunk returns EPROTO");
	tap_is(kvmstats_sample_value(f.before, stat_of(&f, "counter"), 0, &value), -ENODATA,
	       "the sample is empty after a failed read");
	teardown(&f);
}

static void sample_twice(struct fixture *f, uint64_t first, uint64_t second)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	f->image.data[0] = first;
	f->image.data[4] = first;
	write_values(f);
	kvmstats_sample_read(f->before, f->fd);
	nanosleep(&pause, NULL);
	f->image.data[0] = second;
	f->image.data[4] = second;
	write_values(f);
	kvmstats_sample_read(f->after, f->fd);
}

static void test_rates(void)
{
	double rate = -1, seconds;
	uint64_t delta = 0;
	struct fixture f;

	setup(&f);
	sample_twice(&f, 1000, 3500);
	seconds = (double)(kvmstats_sample_time(f.after) - kvmstats_sample_time(f.before)) / 1e9;
	tap_is(kvmstats_delta(f.before, f.after, stat_of(&f, "counter"), 0, &delta), 0,
	       "the difference of a counter is calculated");
	tap_is(delta, 2500, "the difference of a counter is exact");
	tap_is(kvmstats_rate(f.before, f.after, stat_of(&f, "counter"), 0, &rate), 0,
	       "the rate of a counter is calculated");
	tap_ok(rate > 2499.9 / seconds && rate < 2500.1 / seconds,
	       "the rate is the difference per second");
	tap_is(kvmstats_rate(f.before, f.after, stat_of(&f, "hist"), 1, &rate), 0,
	       "a bucket has a rate");
	tap_is(kvmstats_rate(f.before, f.after, stat_of(&f, "instant"), 0, &rate), -EINVAL,
	       "the rate of an instantaneous value returns EINVAL");
	tap_is(kvmstats_rate(f.before, f.after, stat_of(&f, "peak"), 0, &rate), -EINVAL,
	       "the rate of a peak value returns EINVAL");
	tap_is(kvmstats_rate(f.before, f.after, stat_of(&f, "later"), 0, &rate), -EINVAL,
	       "the rate of an unknown type returns EINVAL");

	sample_twice(&f, 3500, 3);
	rate = -1;
	tap_is(kvmstats_rate(f.before, f.after, stat_of(&f, "counter"), 0, &rate), -ESTALE,
	       "the rate of a cleared counter returns ESTALE");
	tap_ok(rate == -1, "no rate is stored for a cleared counter");
	tap_is(kvmstats_delta(f.before, f.after, stat_of(&f, "hist"), 1, &delta), -ESTALE,
	       "the difference of a cleared bucket returns ESTALE");

	sample_twice(&f, UINT64_MAX - 1, UINT64_MAX);
	kvmstats_delta(f.before, f.after, stat_of(&f, "counter"), 0, &delta);
	tap_is(delta, 1, "a small difference of large values is exact");
	tap_is(kvmstats_rate(f.after, f.after, stat_of(&f, "counter"), 0, &rate), -EAGAIN,
	       "the rate between samples of the same time returns EAGAIN");
	teardown(&f);
}

int main(void)
{
	test_values();
	test_rates();
	return tap_end();
}
