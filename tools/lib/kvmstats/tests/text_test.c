// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test the text of units, the scaling of values, the bounds of buckets, and messages. */
#include <errno.h>
#include <inttypes.h>

#include "image.h"
#include "kvmstats.h"
#include "tap.h"

#define SECONDS	KVM_STATS_UNIT_SECONDS
#define BYTES	KVM_STATS_UNIT_BYTES
#define POW2	KVM_STATS_BASE_POW2

/* Returns a schema with one statistic. */
static struct kvmstats_schema *make(uint32_t flags, int exponent, unsigned int size,
				    uint32_t bucket_size)
{
	struct kvmstats_schema *schema;
	struct image image;
	int fd;

	image_init(&image);
	image_add(&image, "one", flags, exponent, size, bucket_size);
	fd = image_fd(&image);
	if (kvmstats_schema_read(&schema, fd))
		exit(1);
	close(fd);
	return schema;
}

static void test_unit_texts(void)
{
	static const struct {
		uint32_t flags;
		int exponent;
		const char *text;
	} cases[] = {
		{ 0, 0, "" },
		{ SECONDS, -9, "ns" },
		{ SECONDS, -6, "us" },
		{ SECONDS, -3, "ms" },
		{ SECONDS, 0, "s" },
		{ SECONDS, -4, "s*10^-4" },
		{ BYTES, 0, "B" },
		{ BYTES | POW2, 10, "KiB" },
		{ BYTES | POW2, 20, "MiB" },
		{ BYTES, 3, "kB" },
		{ BYTES | POW2, -1, "B*2^-1" },
		{ KVM_STATS_UNIT_CYCLES, 0, "cycles" },
		{ KVM_STATS_UNIT_CYCLES, 6, "cycles*10^6" },
		{ KVM_STATS_UNIT_BOOLEAN, 0, "boolean" },
		{ POW2, 12, "*2^12" },
		{ 0x50, 0, "unit5" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kvmstats_schema *schema = make(cases[i].flags, cases[i].exponent, 1, 0);
		char text[64];
		int len;

		len = kvmstats_stat_unit_text(kvmstats_schema_stat(schema, 0), text, sizeof(text));
		tap_ok(len == (int)strlen(cases[i].text) && !strcmp(text, cases[i].text),
		       "the text of a unit is '%s', found '%s'", cases[i].text, text);
		kvmstats_schema_free(schema);
	}
}

static void test_scaling(void)
{
	static const struct {
		uint32_t flags;
		int exponent;
		uint64_t value;
		const char *text;
	} cases[] = {
		{ SECONDS, -9, 0, "0" },
		{ SECONDS, -9, 1, "0.000000001" },
		{ SECONDS, -9, 1500000000, "1.5" },
		{ SECONDS, -9, 3000000000, "3" },
		{ SECONDS, -9, UINT64_MAX, "18446744073.709551615" },
		{ SECONDS, -1, 50, "5" },
		{ SECONDS, 3, 12, "12000" },
		{ SECONDS, 0, 7, "7" },
		{ BYTES | POW2, 10, 3, "3072" },
		{ BYTES | POW2, 20, UINT64_MAX, "19342813113834066794250240" },
		{ POW2, -1, 3, "1.5" },
		{ POW2, -3, 1, "0.125" },
		{ POW2, -3, 8, "1" },
		{ POW2, -32, UINT64_MAX, "4294967295.99999999976716935634613037109375" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kvmstats_schema *schema = make(cases[i].flags, cases[i].exponent, 1, 0);
		char text[64];
		int len;

		len = kvmstats_stat_scale(kvmstats_schema_stat(schema, 0), cases[i].value, text,
					  sizeof(text));
		tap_ok(len == (int)strlen(cases[i].text) && !strcmp(text, cases[i].text),
		       "%" PRIu64 " with %s and exponent %d is %s, found '%s'", cases[i].value,
		       kvmstats_base_name(!!(cases[i].flags & POW2)), cases[i].exponent,
		       cases[i].text, text);
		kvmstats_schema_free(schema);
	}
}

static void test_scaling_limits(void)
{
	struct kvmstats_schema *schema = make(SECONDS, INT16_MAX, 1, 0);
	const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, 0);
	static char large[40000];
	char small[12];

	tap_is(kvmstats_stat_scale(stat, 1, small, sizeof(small)), -EOVERFLOW,
	       "a value too long for the buffer returns EOVERFLOW");
	tap_is(kvmstats_stat_scale(stat, 1, large, sizeof(large)), INT16_MAX + 1,
	       "a value with the largest exponent is written");
	kvmstats_schema_free(schema);

	schema = make(SECONDS, INT16_MIN, 1, 0);
	stat = kvmstats_schema_stat(schema, 0);
	tap_is(kvmstats_stat_scale(stat, 1, large, sizeof(large)), 2 + 32768,
	       "a value with the smallest exponent is written");
	tap_is(kvmstats_stat_scale(stat, 0, small, sizeof(small)), 1,
	       "0 is written as 0 with any exponent");
	kvmstats_schema_free(schema);

	schema = make(0x200, 3, 1, 0);
	stat = kvmstats_schema_stat(schema, 0);
	tap_is(kvmstats_stat_scale(stat, 1, small, sizeof(small)), -EINVAL,
	       "scaling with an unknown base returns EINVAL");
	kvmstats_schema_free(schema);

	schema = make(SECONDS, -9, 1, 0);
	stat = kvmstats_schema_stat(schema, 0);
	tap_is(kvmstats_stat_scale(stat, 1, small, 12), 11,
	       "a value is written to a buffer that is just large enough");
	tap_is(kvmstats_stat_scale(stat, 1, small, 11), -EOVERFLOW,
	       "a buffer that is one byte too short returns EOVERFLOW");
	tap_is(kvmstats_stat_unit_text(stat, small, 2), -EOVERFLOW,
	       "a unit too long for the buffer returns EOVERFLOW");
	kvmstats_schema_free(schema);
}

static void check_bucket(const struct kvmstats_stat *stat, unsigned int n, uint64_t min,
			 uint64_t max)
{
	uint64_t low = 1, high = 1;
	int err = kvmstats_stat_bucket(stat, n, &low, &high);

	tap_ok(!err && low == min && high == max,
	       "bucket %u counts %" PRIu64 " to %" PRIu64
	       ", found %" PRIu64 " to %" PRIu64 " (error %d)",
	       n, min, max, low, high, err);
}

static void test_log_buckets(void)
{
	struct kvmstats_schema *schema = make(KVM_STATS_TYPE_LOG_HIST, 0, 32, 0);
	const struct kvmstats_stat *stat = kvmstats_schema_stat(schema, 0);
	uint64_t min, max;

	check_bucket(stat, 0, 0, 0);
	check_bucket(stat, 1, 1, 1);
	check_bucket(stat, 2, 2, 3);
	check_bucket(stat, 30, 1u << 29, (1u << 30) - 1);
	check_bucket(stat, 31, 1u << 30, UINT64_MAX);
	tap_is(kvmstats_stat_bucket(stat, 32, &min, &max), -ERANGE,
	       "a bucket after the last one returns ERANGE");
	kvmstats_schema_free(schema);

	schema = make(KVM_STATS_TYPE_LOG_HIST, 0, 70, 0);
	stat = kvmstats_schema_stat(schema, 0);
	check_bucket(stat, 63, UINT64_C(1) << 62, (UINT64_C(1) << 63) - 1);
	check_bucket(stat, 64, UINT64_C(1) << 63, UINT64_MAX);
	tap_is(kvmstats_stat_bucket(stat, 65, &min, &max), -ERANGE,
	       "bucket 65, to which no value belongs, returns ERANGE");
	kvmstats_schema_free(schema);

	schema = make(KVM_STATS_TYPE_LOG_HIST, 0, 1, 0);
	check_bucket(kvmstats_schema_stat(schema, 0), 0, 0, UINT64_MAX);
	kvmstats_schema_free(schema);
}

static void test_linear_buckets(void)
{
	struct kvmstats_schema *schema = make(KVM_STATS_TYPE_LINEAR_HIST, 0, 4, 10);
	uint64_t min, max;

	check_bucket(kvmstats_schema_stat(schema, 0), 0, 0, 9);
	check_bucket(kvmstats_schema_stat(schema, 0), 2, 20, 29);
	check_bucket(kvmstats_schema_stat(schema, 0), 3, 30, UINT64_MAX);
	kvmstats_schema_free(schema);

	schema = make(KVM_STATS_TYPE_LINEAR_HIST, 0, 500, UINT32_MAX);
	check_bucket(kvmstats_schema_stat(schema, 0), 498, UINT64_C(498) * UINT32_MAX,
		     UINT64_C(499) * UINT32_MAX - 1);
	kvmstats_schema_free(schema);

	schema = make(KVM_STATS_TYPE_LINEAR_HIST, 0, 4, 0);
	tap_is(kvmstats_stat_bucket(kvmstats_schema_stat(schema, 0), 0, &min, &max), -ERANGE,
	       "buckets of size 0 return ERANGE");
	kvmstats_schema_free(schema);

	schema = make(KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	tap_is(kvmstats_stat_bucket(kvmstats_schema_stat(schema, 0), 0, &min, &max), -EINVAL,
	       "a bucket of a counter returns EINVAL");
	kvmstats_schema_free(schema);
}

static void test_errors(void)
{
	char buf[128];

	tap_ok(strstr(kvmstats_strerror(-EIO, buf, sizeof(buf)), "VMM only"),
	       "the message of EIO is the library's");
	tap_ok(!strcmp(kvmstats_strerror(EMFILE, buf, sizeof(buf)), strerror(EMFILE)),
	       "the message of another error is the one of strerror()");
}

static bool starts_with(const char *name, enum kvmstats_kind kind, const char *start)
{
	const char *text = kvmstats_stat_help(name, kind);

	return text && !strncmp(text, start, strlen(start));
}

static void test_help(void)
{
	tap_ok(starts_with("halt_wakeup", KVMSTATS_KIND_VCPU, "An event woke the vCPU"),
	       "a statistic of all architectures has its text");
	tap_ok(starts_with("remote_tlb_flush", KVMSTATS_KIND_VM, "A TLB flush of the VM"),
	       "a statistic of VMs has its text");
	tap_ok(!kvmstats_stat_help("halt_wakeup", KVMSTATS_KIND_VM),
	       "a statistic of vCPUs is not one of VMs");
	tap_ok(!kvmstats_stat_help("no_such_statistic", KVMSTATS_KIND_VCPU),
	       "an unknown statistic has no text");
#if defined(__x86_64__) || defined(__i386__)
	tap_ok(starts_with("exits", KVMSTATS_KIND_VCPU, "The vCPU left the guest"),
	       "on x86 a statistic with several meanings has the text of x86");
	tap_ok(!kvmstats_stat_help("instruction_diagnose_44", KVMSTATS_KIND_VCPU),
	       "on x86 a statistic of s390 has no text");
	tap_ok(starts_with("notify_window_exits", KVMSTATS_KIND_VCPU, "The vCPU left the guest"),
	       "a statistic that 5.10 does not have has its text");
#endif
}

int main(void)
{
	test_unit_texts();
	test_scaling();
	test_scaling_limits();
	test_log_buckets();
	test_linear_buckets();
	test_errors();
	test_help();
	return tap_end();
}
