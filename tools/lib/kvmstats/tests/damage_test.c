// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Test reading statistics files that are damaged at random. The library must accept a file or
 * return -EPROTO or -EOVERFLOW, and must not access memory out of bounds. Build this test with
 * AddressSanitizer and UndefinedBehaviorSanitizer, which end the program if it does.
 */
#include <errno.h>

#include "image.h"
#include "kvmstats.h"
#include "tap.h"
#include "vm_image.h"

#define ROUNDS	30000

static uint64_t state = 88172645463325252u;

/* Returns a random number below @limit. The sequence is the same in each run. */
static uint32_t random_below(uint32_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % limit;
}

static size_t make_file(unsigned char *bytes)
{
	struct image image;

	image_init(&image);
	image_add(&image, "exits", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	image_add(&image, "wait", KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS, -9, 32, 0);
	image_add(&image, "size", KVM_STATS_TYPE_LINEAR_HIST | KVM_STATS_UNIT_BYTES |
		  KVM_STATS_BASE_POW2, 10, 8, 4096);
	return image_bytes(&image, bytes);
}

/*
 * Changes one to four bytes, mostly in the header and in the numeric fields of descriptors, and
 * mostly to boundary values.
 */
static void damage(unsigned char *bytes, size_t size)
{
	static const unsigned char limits[] = { 0, 1, 7, 8, 0x7f, 0x80, 0xfe, 0xff };
	int times = 1 + (int)random_below(4);

	while (times--) {
		size_t where = random_below(24);

		if (random_below(2))
			where = 72 + random_below(3) * IMAGE_STRIDE + random_below(20);
		if (!random_below(8))
			where = random_below((uint32_t)size);
		bytes[where] = random_below(3) ? limits[random_below(sizeof(limits))] :
					 (unsigned char)random_below(256);
	}
}

static void use_stat(const struct kvmstats_sample *sample, const struct kvmstats_stat *stat)
{
	uint64_t value, min, max;
	char text[96];
	double rate;
	unsigned int n;

	kvmstats_stat_unit_text(stat, text, sizeof(text));
	for (n = 0; n <= kvmstats_stat_size(stat); n++) {
		if (!kvmstats_sample_value(sample, stat, n, &value))
			kvmstats_stat_scale(stat, value, text, sizeof(text));
		kvmstats_stat_bucket(stat, n, &min, &max);
		kvmstats_rate(sample, sample, stat, n, &rate);
	}
}

static void use_schema(const struct kvmstats_schema *schema, int fd)
{
	struct kvmstats_sample *sample;
	char id[64];
	size_t i;

	kvmstats_schema_id(schema, fd, id, sizeof(id));
	kvmstats_schema_same(schema, fd);
	if (kvmstats_sample_new(&sample, schema))
		return;
	kvmstats_sample_read(sample, fd);
	for (i = 0; i < kvmstats_schema_count(schema); i++)
		use_stat(sample, kvmstats_schema_stat(schema, i));
	kvmstats_sample_free(sample);
}

/* ---- files of a VM and its vCPUs ---- */

/* Changes up to four aligned words of 32 bits, mostly in the header and in the part for vCPUs. */
static void damage_words(struct vm_image *image)
{
	static const uint32_t limits[] = { 0, 1, 8, 16, 0x7fffffff, 0x80000000, 0xfffffff8, ~0u };
	int times = 1 + (int)random_below(4);

	while (times--) {
		uint32_t *words = random_below(2) ? (uint32_t *)&image->header :
						    (uint32_t *)&image->vcpus;
		size_t count = (random_below(8) ? 24 : sizeof(*image) -
				offsetof(struct vm_image, vcpus)) / sizeof(*words);
		uint32_t *word = &words[random_below((uint32_t)count)];

		if (random_below(2))
			*word = limits[random_below(ARRAY_SIZE(limits))];
		else
			*word += random_below(65) - 32;
	}
}

static void use_file(struct kvmstats_file *file, int fd)
{
	const struct kvmstats_schema *vcpu = kvmstats_file_schema(file, KVMSTATS_KIND_VCPU);
	struct kvmstats_sample *sample;
	size_t i, n;

	if (kvmstats_file_read(file, fd) || kvmstats_sample_new(&sample, vcpu))
		return;
	for (i = 0; i < kvmstats_file_vcpus(file); i++) {
		kvmstats_file_vcpu_sample(file, i, sample);
		for (n = 0; n < kvmstats_schema_count(vcpu); n++)
			use_stat(sample, kvmstats_schema_stat(vcpu, n));
	}
	kvmstats_sample_free(sample);
}

static void test_vm_files(void)
{
	int accepted = 0, rejected = 0, unexpected = 0;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		struct kvmstats_file *file;
		struct vm_image image;
		int fd, err;

		vm_image_init(&image);
		damage_words(&image);
		fd = bytes_fd((unsigned char *)&image, sizeof(image) -
			      (random_below(16) ? 0 : random_below(sizeof(image))));
		err = kvmstats_file_new(&file, fd);
		if (!err) {
			accepted++;
			use_file(file, fd);
			kvmstats_file_free(file);
		} else if (err == -EPROTO || err == -EOVERFLOW || err == -ENODATA) {
			rejected++;
		} else {
			unexpected++;
		}
		close(fd);
	}
	tap_ok(accepted > 0 && rejected > 0,
	       "some damaged files with vCPUs are accepted, others are rejected");
	printf("# %d accepted, %d rejected\n", accepted, rejected);
	tap_is(unexpected, 0, "rejected files with vCPUs return EPROTO, EOVERFLOW or ENODATA");
}

int main(void)
{
	int accepted = 0, rejected = 0, unexpected = 0;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		unsigned char bytes[sizeof(struct image)];
		size_t size = make_file(bytes);
		struct kvmstats_schema *schema;
		int fd, err;

		damage(bytes, size);
		fd = bytes_fd(bytes, size - (random_below(16) ? 0 : random_below((uint32_t)size)));
		err = kvmstats_schema_read(&schema, fd);
		if (!err) {
			accepted++;
			use_schema(schema, fd);
			kvmstats_schema_free(schema);
		} else if (err == -EPROTO || err == -EOVERFLOW) {
			rejected++;
		} else {
			unexpected++;
		}
		close(fd);
	}
	tap_ok(accepted > 0 && rejected > 0,
	       "some damaged files are accepted, others are rejected");
	printf("# %d accepted, %d rejected\n", accepted, rejected);
	tap_is(unexpected, 0, "rejected files return EPROTO or EOVERFLOW");
	test_vm_files();
	return tap_end();
}
