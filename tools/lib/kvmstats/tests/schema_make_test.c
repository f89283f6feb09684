// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test kvmstats_schema_make(), kvmstats_sample_set() and kvmstats_sample_values(). */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "kvmstats.h"
#include "tap.h"

static const struct kvmstats_desc descs[] = {
	{ .name = "hits", .size = 1 },
	{ .name = "wait_hist", .type = KVMSTATS_TYPE_LOG_HIST, .unit = KVMSTATS_UNIT_SECONDS,
	  .exponent = -9, .size = 3 },
	{ .name = "free_space", .type = KVMSTATS_TYPE_INSTANT, .unit = KVMSTATS_UNIT_BYTES,
	  .base = KVMSTATS_BASE_POW2, .exponent = 10, .size = 1 },
};

static void test_schema(void)
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
	tap_is(kvmstats_schema_make(&schema, NULL, 0, 0), 0, "a schema without statistics is made");
	kvmstats_schema_free(schema);
}

static void expect_error(struct kvmstats_desc desc, int expected, const char *what)
{
	struct kvmstats_schema *schema = (void *)1;

	tap_is(kvmstats_schema_make(&schema, &desc, 1, sizeof(desc)), expected, what);
	tap_ok(!schema, "%s, and the schema is NULL", what);
}

static void test_errors(void)
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
}

/* A structure to which a later version has added a member. */
struct later_desc {
	struct kvmstats_desc desc;
	uint64_t added;
};

static void test_later_version(void)
{
	struct later_desc later[] = {
		{ .desc = { .name = "hits", .size = 1 } },
		{ .desc = { .name = "misses", .size = 1 } },
	};
	const struct kvmstats_desc *desc = &later[0].desc;
	struct kvmstats_schema *schema;

	tap_is(kvmstats_schema_make(&schema, desc, 2, sizeof(later[0])), 0,
	       "a structure of a later version is accepted");
	tap_ok(schema && kvmstats_schema_find(schema, "misses"),
	       "the size of the structure determines where the next one begins");
	kvmstats_schema_free(schema);
	later[1].added = 1;
	tap_is(kvmstats_schema_make(&schema, desc, 2, sizeof(later[0])), -E2BIG,
	       "an unknown member that is not 0 returns E2BIG");
	tap_is(kvmstats_schema_make(&schema, desc, 1, sizeof(*desc) - 1), -EINVAL,
	       "a structure that is too short returns EINVAL");
}

static void test_sample(void)
{
	static const uint64_t first[] = { 10, 1, 2, 3, 100 }, second[] = { 30, 1, 4, 3, 50 };
	struct kvmstats_schema *schema, *other;
	struct kvmstats_sample *before, *after;
	const uint64_t *values;
	uint64_t delta = 0;
	double rate = 0;

	kvmstats_schema_make(&schema, descs, 3, sizeof(*descs));
	kvmstats_schema_make(&other, descs, 2, sizeof(*descs));
	kvmstats_sample_new(&before, schema);
	kvmstats_sample_new(&after, schema);
	tap_ok(!kvmstats_sample_values(before, kvmstats_schema_stat(schema, 0)),
	       "an empty sample has no values");
	tap_is(kvmstats_sample_set(before, first, 4, 1), -EINVAL,
	       "setting too few values returns EINVAL");
	tap_is(kvmstats_sample_set(before, first, 5, 0), -EINVAL, "setting time 0 returns EINVAL");
	tap_is(kvmstats_sample_set(before, first, 5, 1000000000), 0, "values of a sample are set");
	tap_is(kvmstats_sample_set(after, second, 5, 3000000000), 0,
	       "values of a second sample are set");
	values = kvmstats_sample_values(after, kvmstats_schema_stat(schema, 1));
	tap_ok(values && values[0] == 1 && values[1] == 4 && values[2] == 3,
	       "all values of a histogram are returned");
	tap_ok(!kvmstats_sample_values(after, kvmstats_schema_stat(other, 0)),
	       "a statistic of another schema has no values");
	kvmstats_delta(before, after, kvmstats_schema_stat(schema, 1), 1, &delta);
	tap_is(delta, 2, "the difference of two samples is correct");
	kvmstats_rate(before, after, kvmstats_schema_stat(schema, 0), 0, &rate);
	tap_ok(rate == 10, "the rate between two samples is correct, found %f", rate);
	kvmstats_sample_free(before);
	kvmstats_sample_free(after);
	kvmstats_schema_free(other);
	kvmstats_schema_free(schema);
}

int main(void)
{
	test_schema();
	test_errors();
	test_later_version();
	test_sample();
	return tap_end();
}
