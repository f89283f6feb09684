/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples for the tests of recordings: number N of a host is always the same, and unlike others. */
#ifndef RECORDED_H
#define RECORDED_H

#include <stdio.h>
#include <string.h>

#include "basics.h"
#include "record/sample.h"

#define RECORDED_START		(UINT64_C(1764370800) * SECOND)
#define RECORDED_INTERVAL	(10 * SECOND)

/* What differs from a host that runs, and whose clock is right */
struct recorded {
	unsigned int boot;
	int64_t clock;		/* how much the clock is ahead, in ns */
};

static inline void recorded_host(struct sample *sample, unsigned int n,
				 const struct recorded *state)
{
	uint64_t time = 1000 * SECOND + n * RECORDED_INTERVAL;
	const uint64_t value[] = { 0, 4711, 42, time, time, time + 5, time + 300, time + 300 };
	char layout[256];

	snprintf(layout, sizeof(layout), "boot %032x\nvm pages 1 0 1 0 0\n"
		 "vcpu exits 0 0 1 0 0\nvcpu hist 4 0 4 8 0\n", state->boot);
	sample_add(sample, "host", layout, strlen(layout), value, ARRAY_SIZE(value));
}

/* Guest I exists in two thirds of the samples. Its vCPU 1 is idle. */
static inline void recorded_guest(struct sample *sample, unsigned int n, unsigned int i)
{
	uint64_t time = 1000 * SECOND + n * RECORDED_INTERVAL;
	const uint64_t vm[] = { 0, time + i, 77000 + i, 100 + i, 2, 1000 - n };
	const uint64_t busy[] = { 0, time + i, 200 + i, 1, n * UINT64_C(123456789) * (i + 1), n,
				  n / 2, n * n, i };
	const uint64_t idle[] = { 0, time + i, 300 + i, 0, 5, 1, 2, 3, 4 };
	const uint64_t error = 0;
	char name[64], text[128];

	if ((n / 10 + i) % 3 == 2)
		return;
	sprintf(name, "vm %x", 0xabc0 + i);
	sample_add(sample, name, "", 0, vm, ARRAY_SIZE(vm));
	sprintf(name, "vcpu %x 0", 0xabc0 + i);
	sample_add(sample, name, "", 0, busy, ARRAY_SIZE(busy));
	sprintf(name, "vcpu %x 1", 0xabc0 + i);
	sample_add(sample, name, "", 0, idle, ARRAY_SIZE(idle));
	sprintf(name, "names %u %u", 100 + i, 77000 + i);
	sprintf(text, "qemu%cguest%u%c%c", 0, i, 0, 0);
	sample_add(sample, name, text, strlen("qemu") + 1 + strlen(text + 5) + 3, &error, 1);
	sprintf(name, "/proc/%u/stat", 100 + i);
	sprintf(text, "%u (qe%s) S 1 %u 007 %u\n", 100 + i, n % 7 == 3 ? "m u" : "mu", n * 31,
		n + i);
	sample_add_text(sample, name, text, strlen(text));
}

static inline void recorded_sample(struct sample *sample, unsigned int n,
				   const struct recorded *state)
{
	static const struct recorded usual;
	unsigned int i;

	state = state ? state : &usual;
	sample_clear(sample);
	recorded_host(sample, n, state);
	for (i = 0; i < 4; i++)
		recorded_guest(sample, n, i);
	sample->time = RECORDED_START + n * RECORDED_INTERVAL + (uint64_t)state->clock;
}

static inline bool recorded_same(const struct sample *a, const struct sample *b)
{
	size_t i;

	if (a->time != b->time || sample_objects(a) != sample_objects(b))
		return false;
	for (i = 0; i < sample_objects(a); i++) {
		const struct object *x = sample_object(a, i), *y = sample_object(b, i);

		if (strcmp(object_name(a, x), object_name(b, y)) ||
		    x->layout_size != y->layout_size || x->values != y->values ||
		    memcmp(object_layout(a, x), object_layout(b, y), x->layout_size) ||
		    memcmp(object_values(a, x), object_values(b, y), x->values * sizeof(uint64_t)))
			return false;
	}
	return true;
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
