// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Schemas and samples of numbers that come from elsewhere, and all values at once. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "kvmstats.h"
#include "tap.h"

static const struct kvmstats_desc descs[] = {
	{ .name = "hits", .size = 1 },
	{ .name = "wait_hist", .type = KVMSTATS_LOG_HIST, .unit = KVMSTATS_SECONDS,
	  .exponent = -9, .size = 3 },
	{ .name = "room", .type = KVMSTATS_INSTANT, .unit = KVMSTATS_BYTES, .base = KVMSTATS_POW2,
	  .exponent = 10, .size = 1 },
};

static void test_schema(void)
{
	struct kvmstats_schema *schema;
	const struct kvmstats_stat *stat;
	char text[32];

	tap_is(kvmstats_schema_make(&schema, descs, 3), 0, "a schema is made");
	tap_is(kvmstats_schema_count(schema), 3, "with as many statistics as were told");
	stat = kvmstats_schema_find(schema, "wait_hist");
	tap_is(kvmstats_stat_offset(stat), 8, "one behind the other");
	tap_is(kvmstats_stat_type(stat), KVMSTATS_LOG_HIST, "of the type that was told");
	tap_is(kvmstats_stat_size(stat), 3, "and the size");
	kvmstats_stat_unit_text(stat, text, sizeof(text));
	tap_ok(!strcmp(text, "ns"), "and the unit: '%s'", text);
	stat = kvmstats_schema_stat(schema, 2);
	kvmstats_stat_unit_text(stat, text, sizeof(text));
	tap_ok(!strcmp(text, "KiB"), "and the base: '%s'", text);
	tap_is(kvmstats_stat_offset(stat), 32, "behind the histogram");
	kvmstats_schema_free(schema);
	tap_is(kvmstats_schema_make(&schema, NULL, 0), 0, "there may be none at all");
	kvmstats_schema_free(schema);
}

static void refuses(struct kvmstats_desc desc, int expected, const char *what)
{
	struct kvmstats_schema *schema = (void *)1;

	tap_is(kvmstats_schema_make(&schema, &desc, 1), expected, what);
	tap_ok(!schema, "and leaves nothing behind");
}

static void test_refusals(void)
{
	static struct kvmstats_desc many[40];
	struct kvmstats_schema *schema;
	int i;

	refuses((struct kvmstats_desc){ .size = 1 }, -EINVAL, "no name is refused");
	refuses((struct kvmstats_desc){ .name = "", .size = 1 }, -EINVAL, "so is an empty one");
	refuses((struct kvmstats_desc){ .name = "x" }, -EINVAL, "no values are");
	refuses((struct kvmstats_desc){ .name = "x", .size = 65536 }, -EINVAL, "too many are");
	refuses((struct kvmstats_desc){ .name = "x", .size = 1, .type = 7 }, -EINVAL,
		"an unknown type is");
	refuses((struct kvmstats_desc){ .name = "x", .size = 1, .exponent = 40000 }, -EINVAL,
		"an exponent that is too large is");
	for (i = 0; i < 40; i++)
		many[i] = (struct kvmstats_desc){ .name = "x", .size = 65535 };
	tap_is(kvmstats_schema_make(&schema, many, 40), -EOVERFLOW, "20 MB of values are");
}

static void test_sample(void)
{
	static const uint64_t first[] = { 10, 1, 2, 3, 100 }, second[] = { 30, 1, 4, 3, 50 };
	struct kvmstats_schema *schema, *other;
	struct kvmstats_sample *before, *after;
	const uint64_t *values;
	uint64_t delta = 0;
	double rate = 0;

	kvmstats_schema_make(&schema, descs, 3);
	kvmstats_schema_make(&other, descs, 2);
	kvmstats_sample_new(&before, schema);
	kvmstats_sample_new(&after, schema);
	tap_ok(!kvmstats_sample_values(before, kvmstats_schema_stat(schema, 0)),
	       "a sample has no values before it is set");
	tap_is(kvmstats_sample_set(before, first, 4, 1), -EINVAL, "too few values are refused");
	tap_is(kvmstats_sample_set(before, first, 5, 0), -EINVAL, "no time is");
	tap_is(kvmstats_sample_set(before, first, 5, 1000000000), 0, "a sample is set");
	tap_is(kvmstats_sample_set(after, second, 5, 3000000000), 0, "and another one");
	values = kvmstats_sample_values(after, kvmstats_schema_stat(schema, 1));
	tap_ok(values && values[0] == 1 && values[1] == 4 && values[2] == 3,
	       "all values of a histogram are there");
	tap_ok(!kvmstats_sample_values(after, kvmstats_schema_stat(other, 0)),
	       "not those of another schema");
	kvmstats_delta(before, after, kvmstats_schema_stat(schema, 1), 1, &delta);
	tap_is(delta, 2, "growth");
	kvmstats_rate(before, after, kvmstats_schema_stat(schema, 0), 0, &rate);
	tap_ok(rate == 10, "and rates are those of read samples: %f", rate);
	kvmstats_sample_free(before);
	kvmstats_sample_free(after);
	kvmstats_schema_free(other);
	kvmstats_schema_free(schema);
}

int main(void)
{
	test_schema();
	test_refusals();
	test_sample();
	return tap_end();
}
