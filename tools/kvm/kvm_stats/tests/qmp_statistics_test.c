// SPDX-License-Identifier: GPL-2.0-only
/* Test how answers of QEMU become schemas and values. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "qmp/statistics.h"
#include "tap.h"

#define FUZZED	20000

/* As QEMU does, the last statistic and the last bucket are first. */
static const char schemas_text[] =
	"[{\"provider\": \"cryptodev\", \"target\": \"vcpu\", \"stats\": ["
	"  {\"name\": \"exits\", \"type\": \"instant\", \"exponent\": 0}]},"
	" {\"provider\": \"kvm\", \"target\": \"vm\", \"stats\": ["
	"  {\"name\": \"pages_4k\", \"type\": \"instant\", \"exponent\": 0}]},"
	" {\"provider\": \"kvm\", \"target\": \"vcpu\", \"stats\": ["
	"  {\"name\": \"lin\", \"type\": \"linear-histogram\", \"unit\": \"cycles\","
	"   \"bucket-size\": 500, \"base\": 10, \"exponent\": 3},"
	"  {\"name\": \"odd_type\", \"type\": \"cubic\", \"exponent\": 0},"
	"  {\"name\": \"odd_unit\", \"type\": \"peak\", \"unit\": \"furlongs\", \"exponent\": 0},"
	"  {\"name\": \"no_value\", \"type\": \"peak\", \"exponent\": 0},"
	"  {\"name\": \"escape\\u001b[2J\", \"type\": \"peak\", \"exponent\": 0},"
	"  {\"name\": \"\", \"type\": \"peak\", \"exponent\": 0},"
	"  {\"type\": \"peak\", \"exponent\": 0}, 7,"
	"  {\"name\": \"wait_hist\", \"type\": \"log2-histogram\", \"unit\": \"seconds\","
	"   \"base\": 10, \"exponent\": -9},"
	"  {\"name\": \"size\", \"type\": \"peak\", \"unit\": \"bytes\", \"base\": 2, \"exponent\": 10},"
	"  {\"name\": \"blocking\", \"type\": \"instant\", \"unit\": \"boolean\", \"exponent\": 0},"
	"  {\"name\": \"exits\", \"type\": \"cumulative\", \"exponent\": 0}]}]";

static const char vcpus_text[] =
	"[{\"provider\": \"cryptodev\", \"qom-path\": \"/a\", \"stats\": []},"
	" {\"provider\": \"kvm\", \"qom-path\": \"/b\", \"stats\": ["
	"  {\"name\": \"lin\", \"value\": [4, 3]}, {\"name\": \"odd_type\", \"value\": 1},"
	"  {\"name\": \"odd_unit\", \"value\": 1}, {\"name\": \"not_in_schema\", \"value\": 1},"
	"  {\"name\": \"escape\\u001b[2J\", \"value\": 1},"
	"  {\"name\": \"wait_hist\", \"value\": [13, 12, 11]}, {\"name\": \"size\", \"value\": 8},"
	"  {\"name\": \"blocking\", \"value\": true}, {\"name\": \"exits\", \"value\": 5}]},"
	" {\"provider\": \"kvm\", \"qom-path\": \"/a\", \"stats\": ["
	"  {\"name\": \"exits\", \"value\": 6}]}]";

static const char cpus_text[] =
	"[{\"cpu-index\": 10, \"qom-path\": \"/ten\"}, {\"cpu-index\": 2, \"qom-path\": \"/two\"},"
	" {\"cpu-index\": 0, \"qom-path\": \"/zero\"}]";

static json_t *parse(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	if (!json)
		abort();
	return json;
}

/* ---- schemas ---- */

static void check_stat(const struct kvmstats_schema *schema, size_t i, const char *name,
		       unsigned int type, const char *unit, unsigned int size)
{
	const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, i);
	char text[32] = "";

	if (stat)
		kvmstats_stat_unit_text(stat, text, sizeof(text));
	tap_ok(stat && !strcmp(kvmstats_stat_name(stat), name) &&
	       kvmstats_stat_type(stat) == type && kvmstats_stat_size(stat) == size &&
	       !strcmp(text, unit), "statistic %zu is %s in '%s'", i, name, unit);
}

static void test_schema(const struct kvmstats_schema *schema)
{
	tap_is((long long)kvmstats_schema_count(schema), 5,
	       "statistics of unknown types and units, without a value or with an unsuitable name "
	       "are left out");
	check_stat(schema, 0, "exits", KVMSTATS_TYPE_CUMULATIVE, "", 1);
	check_stat(schema, 1, "blocking", KVMSTATS_TYPE_INSTANT, "boolean", 1);
	check_stat(schema, 2, "size", KVMSTATS_TYPE_PEAK, "KiB", 1);
	check_stat(schema, 3, "wait_hist", KVMSTATS_TYPE_LOG_HIST, "ns", 3);
	check_stat(schema, 4, "lin", KVMSTATS_TYPE_LINEAR_HIST, "cycles*10^3", 2);
	tap_is(kvmstats_stat_bucket_size(kvmstats_schema_find(schema, "lin")), 500,
	       "a linear histogram has its bucket size");
}

/* ---- values ---- */

static int copy(const struct kvmstats_schema *schema, const char *text, uint64_t *values)
{
	json_t *stats = parse(text);
	int err = qmp_copy_values(schema, stats, values);

	json_decref(stats);
	return err;
}

#define OTHERS	"{\"name\": \"wait_hist\", \"value\": [0, 0, 0]}, " \
		"{\"name\": \"size\", \"value\": 0}, " \
		"{\"name\": \"blocking\", \"value\": false}, {\"name\": \"lin\", \"value\": [0, 0]}"

static void test_values(const struct kvmstats_schema *schema, const json_t *stats)
{
	static const uint64_t expected[] = { 5, 1, 8, 11, 12, 13, 3, 4 };
	uint64_t values[ARRAY_SIZE(expected)];

	tap_is(qmp_copy_values(schema, stats, values), 0, "values are copied");
	tap_ok(!memcmp(values, expected, sizeof(values)),
	       "values are in the order of the schema, and buckets are ascending");
	tap_is(copy(schema, "[{\"name\": \"exits\", \"value\": -1}, " OTHERS "]", values), 0,
	       "values can be above 2^63");
	tap_ok(values[0] == UINT64_MAX, "they are right");
	tap_is(copy(schema, "[" OTHERS "]", values), -EPROTO, "a missing statistic is an error");
	tap_is(copy(schema, "[{\"name\": \"exits\", \"value\": [1]}, " OTHERS "]", values), 0,
	       "an array of one value is a value");
	tap_is(copy(schema, "[{\"name\": \"exits\", \"value\": [1, 2]}, " OTHERS "]", values),
	       -EPROTO, "another number of values is an error");
	tap_is(copy(schema, "[{\"name\": \"exits\", \"value\": \"1\"}, " OTHERS "]", values),
	       -EPROTO, "a string is an error");
	tap_is(copy(schema, "[{\"name\": \"exits\", \"value\": 1.5}, " OTHERS "]", values),
	       -EPROTO, "a fraction is an error");
}

static void test_statistics(void)
{
	json_t *schemas = parse(schemas_text), *vcpus = parse(vcpus_text);
	struct kvmstats_schema *schema = NULL;
	size_t hint = 5;
	const json_t *stats = qmp_find_stats(vcpus, "/b", &hint);

	tap_ok(stats && hint == 1, "the statistics of a vCPU are found");
	tap_ok(!qmp_find_stats(vcpus, "/c", &hint), "those of an unknown one are not");
	tap_is(qmp_make_schema(schemas, "vcpu", stats, &schema), 0, "a schema is made");
	test_schema(schema);
	test_values(schema, stats);
	kvmstats_schema_free(schema);
	tap_is(qmp_make_schema(schemas, "vm", stats, &schema), -ENODATA,
	       "without values there is no schema");
	tap_is(qmp_make_schema(NULL, "vcpu", stats, &schema), -ENODATA,
	       "without schemas there is no schema");
	json_decref(schemas);
	json_decref(vcpus);
}

/* ---- vCPUs ---- */

static int list(const char *text)
{
	json_t *cpus = parse(text);
	struct qmp_vcpu *vcpu = NULL;
	size_t count;
	int err = qmp_list_vcpus(cpus, &vcpu, &count);

	if (!err)
		free(vcpu);
	json_decref(cpus);
	return err;
}

static void test_vcpus(void)
{
	json_t *cpus = parse(cpus_text);
	struct qmp_vcpu *vcpu;
	size_t count;

	tap_is(qmp_list_vcpus(cpus, &vcpu, &count), 0, "vCPUs are listed");
	tap_ok(count == 3 && vcpu[0].index == 0 && vcpu[1].index == 2 && vcpu[2].index == 10 &&
	       !strcmp(vcpu[1].path, "/two"), "they are in the order of their indexes");
	free(vcpu);
	json_decref(cpus);
	tap_is(list("[]"), 0, "there may be no vCPU");
	tap_is(list("[{\"cpu-index\": 1}]"), -EPROTO, "a vCPU without path is an error");
	tap_is(list("[{\"cpu-index\": 1e30, \"qom-path\": \"/a\"}]"), -EPROTO,
	       "a very large index is an error");
}

/* ---- damaged answers ---- */

/* Replaces, removes or doubles a byte. */
static void damage(char *text)
{
	static const char bytes[] = "0123456789-.e\"[]{},: tfn";
	size_t len = strlen(text), at = (size_t)rand() % len;

	switch (rand() % 3) {
	case 0:
		text[at] = bytes[(size_t)rand() % (sizeof(bytes) - 1)];
		break;
	case 1:
		memmove(text + at, text + at + 1, len - at);
		break;
	case 2:
		memmove(text + at + 1, text + at, len - at + 1);
		break;
	}
}

/* Returns the damaged answer, or NULL if it is not JSON any more. */
static json_t *damaged(const char *text)
{
	static char copied[4096];
	int n = 1 + rand() % 3;

	strcpy(copied, text);
	while (n--)
		damage(copied);
	return json_loads(copied, 0, NULL);
}

static bool read_damaged(void)
{
	json_t *schemas = damaged(schemas_text), *vcpus = damaged(vcpus_text);
	json_t *cpus = damaged(cpus_text);
	struct kvmstats_schema *schema = NULL;
	struct qmp_vcpu *vcpu = NULL;
	uint64_t values[64];
	size_t count, hint = 0;
	const json_t *stats = qmp_find_stats(vcpus, "/b", &hint);
	bool read = false;

	if (!qmp_make_schema(schemas, "vcpu", stats, &schema))
		read = !qmp_copy_values(schema, stats, values);
	if (!qmp_list_vcpus(cpus, &vcpu, &count))
		free(vcpu);
	kvmstats_schema_free(schema);
	json_decref(schemas);
	json_decref(vcpus);
	json_decref(cpus);
	return read;
}

static void test_damage(void)
{
	unsigned int i, read = 0;

	srand(1);
	for (i = 0; i < FUZZED; i++)
		read += read_damaged();
	tap_ok(read && read < FUZZED, "damaged answers are read or refused");
	tap_tried(FUZZED, "damaged answers of QMP");
}

int main(void)
{
	test_statistics();
	test_vcpus();
	test_damage();
	return tap_end();
}
