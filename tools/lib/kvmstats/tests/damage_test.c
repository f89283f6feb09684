// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Files damaged at random: whatever is read from them, nothing may be touched
 * that is not there.  For builds with address and undefined-behaviour checks,
 * which end the program where it does.
 */
#include <errno.h>

#include "image.h"
#include "kvmstats.h"
#include "tap.h"

#define ROUNDS	30000

static uint64_t state = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % below;
}

static size_t make(unsigned char *bytes)
{
	struct image image;

	image_init(&image);
	image_add(&image, "exits", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	image_add(&image, "wait", KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS, -9, 32, 0);
	image_add(&image, "size", KVM_STATS_TYPE_LINEAR_HIST | KVM_STATS_UNIT_BYTES |
		  KVM_STATS_BASE_POW2, 10, 8, 4096);
	return image_bytes(&image, bytes);
}

/* Mostly in the header and the descriptors' numbers, and mostly to edges. */
static void damage(unsigned char *bytes, size_t size)
{
	static const unsigned char edges[] = { 0, 1, 7, 8, 0x7f, 0x80, 0xfe, 0xff };
	int times = 1 + (int)draw(4);

	while (times--) {
		size_t where = draw(2) ? draw(24) : 72 + draw(3) * IMAGE_STRIDE + draw(20);

		if (!draw(8))
			where = draw((uint32_t)size);
		bytes[where] = draw(3) ? edges[draw(sizeof(edges))] : (unsigned char)draw(256);
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

static void use(const struct kvmstats_schema *schema, int fd)
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

int main(void)
{
	int good = 0, bad = 0, strange = 0;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		unsigned char bytes[sizeof(struct image)];
		size_t size = make(bytes);
		struct kvmstats_schema *schema;
		int fd, err;

		damage(bytes, size);
		fd = bytes_fd(bytes, size - (draw(16) ? 0 : draw((uint32_t)size)));
		err = kvmstats_schema_read(&schema, fd);
		if (!err) {
			good++;
			use(schema, fd);
			kvmstats_schema_free(schema);
		} else if (err == -EPROTO || err == -EOVERFLOW) {
			bad++;
		} else {
			strange++;
		}
		close(fd);
	}
	tap_ok(good > 0 && bad > 0, "damaged files: %d still make sense, %d do not", good, bad);
	tap_is(strange, 0, "all errors are about the contents");
	return tap_end();
}
