/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples for the tests of recordings: number N of a host is always the same, and unlike others. */
#ifndef RECORDED_H
#define RECORDED_H

#include <stdio.h>
#include <string.h>

#include "basics.h"
#include "host_image.h"
#include "record/sample.h"

#define RECORDED_START		(UINT64_C(1764370800) * SECOND)
#define RECORDED_INTERVAL	(10 * SECOND)

/* What differs from a host that runs, and whose clock is right */
struct recorded {
	unsigned char boot;
	int64_t clock;		/* how much the clock is ahead, in ns */
	bool swapped;		/* the other byte order */
};

/* Guest I exists in two thirds of the samples. Its vCPU 1 is idle. */
static inline void recorded_guest(struct sample *sample, struct host_image *image, unsigned int n,
				  unsigned int i)
{
	char path[64], text[128];

	if ((n / 10 + i) % 3 == 2)
		return;
	host_image_vm(image, i, 0, 1000 - n);
	host_image_vcpu(image, i, 0, n * UINT64_C(123456789) * (i + 1));
	host_image_vcpu(image, i, 1, 5);
	sprintf(text, "qemu%cguest%u%c%c", 0, i, 0, 0);
	host_image_names(image, i, 0, text, strlen("qemu") + 1 + strlen(text + 5) + 3);
	sprintf(path, "/proc/%u/stat", 1000 + i);
	sprintf(text, "%u (qe%s) S 1 %u 007 %u\n", 1000 + i, n % 7 == 3 ? "m u" : "mu", n * 31,
		n + i);
	sample_add_file(sample, path, text);
}

static inline void recorded_sample(struct sample *sample, unsigned int n,
				   const struct recorded *state)
{
	static const struct recorded usual;
	static struct host_image image;
	unsigned int i;

	state = state ? state : &usual;
	image.size = 0;
	image.swapped = state->swapped;
	image.time = 1000 * SECOND + n * RECORDED_INTERVAL;
	sample_clear(sample);
	host_image_header(&image, 0);
	image.data[offsetof(struct kvm_host_header, boot_id)] = state->boot;
	for (i = 0; i < 4; i++)
		recorded_guest(sample, &image, n, i);
	host_image_end(&image, 0);
	bytes_add(&sample->pass, image.data, image.size);
	sample->time = RECORDED_START + n * RECORDED_INTERVAL + (uint64_t)state->clock;
}

static inline bool same_bytes(const struct bytes *a, const struct bytes *b)
{
	return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

static inline bool recorded_same(const struct sample *a, const struct sample *b)
{
	return a->time == b->time && same_bytes(&a->pass, &b->pass) &&
	       same_bytes(&a->files, &b->files);
}

/* Returns the number of the sample, or -1 if it is not exactly that. */
static inline int recorded_number(const struct sample *sample, const struct recorded *state)
{
	uint64_t clock = state ? (uint64_t)state->clock : 0;
	unsigned int n = (unsigned int)((sample->time - clock - RECORDED_START) /
					RECORDED_INTERVAL);
	struct sample expected = { .time = 0 };
	bool same;

	recorded_sample(&expected, n, state);
	same = recorded_same(sample, &expected);
	sample_free(&expected);
	return same ? (int)n : -1;
}

#endif /* RECORDED_H */
