/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recorded sample: what kvm-stats read of a host at one time, as a list of objects. An object is
 * a VM, a vCPU, the host, the names of a VMM, or the text of a file in /proc or of a cgroup. It has
 * a name, a layout and values. Of a text, the layout is the text without its numbers, and these are
 * the values: from one sample to the next, usually only values change.
 */
#ifndef RECORD_SAMPLE_H
#define RECORD_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kvmstats.h"

/* Memory that grows. After a failure it does not change any more. */
struct bytes {
	char *data;
	size_t size;
	size_t capacity;
	bool failed;
};

/* Adds @size bytes, which the caller sets. Returns NULL if memory is exhausted. */
void *bytes_extend(struct bytes *bytes, size_t size);
void bytes_add(struct bytes *bytes, const void *from, size_t size);
void bytes_free(struct bytes *bytes);

/* Offsets are in the bytes of the sample. */
struct object {
	uint32_t hash;			/* of the name */
	size_t name;			/* a string */
	size_t layout, layout_size;
	size_t value, values;		/* offset in bytes, number */
};

/* Initialize it with zeros. */
struct sample {
	uint64_t time;			/* CLOCK_REALTIME, in ns */
	struct bytes objects;		/* struct object, in the order in which they were read */
	struct bytes text;		/* names and layouts */
	struct bytes value;		/* uint64_t */
	struct bytes index;		/* hash table of uint32_t: number of an object + 1, or 0 */
};

static inline size_t sample_objects(const struct sample *sample)
{
	return sample->objects.size / sizeof(struct object);
}

static inline const struct object *sample_object(const struct sample *sample, size_t i)
{
	return (const struct object *)(const void *)sample->objects.data + i;
}

static inline const char *object_name(const struct sample *sample, const struct object *object)
{
	return sample->text.data + object->name;
}

static inline const char *object_layout(const struct sample *sample, const struct object *object)
{
	return sample->text.data + object->layout;
}

static inline uint64_t *object_values(const struct sample *sample, const struct object *object)
{
	return (uint64_t *)(void *)(sample->value.data + object->value);
}

/* Whether memory was exhausted while objects were added. */
bool sample_failed(const struct sample *sample);

/* Removes all objects, and keeps the memory. */
void sample_clear(struct sample *sample);
void sample_free(struct sample *sample);

/*
 * Adds an object. @layout or @value can be NULL: then the caller sets what it has. Returns NULL if
 * memory is exhausted, or if the sample has an object with this name. The result is valid until
 * another one is added.
 */
const struct object *sample_add(struct sample *sample, const char *name, const void *layout,
				size_t layout_size, const uint64_t *value, size_t values);

/* Returns NULL if the sample does not have it. */
const struct object *sample_find(const struct sample *sample, const char *name);

/* Adds the text of a file, unless the sample has it already. */
void sample_add_text(struct sample *sample, const char *path, const char *text, size_t size);

/*
 * Writes the beginning of the text, at most @size bytes, and a NUL behind it. Returns its length,
 * or -1 if the sample does not have the file.
 */
ssize_t sample_text(const struct sample *sample, const char *path, char *buf, size_t size);

/* ---- pass.c: what a pass of the host file has, as objects ---- */

/* Adds the last pass of the host, and the names of its VMMs. Returns 0 or -errno. */
int sample_add_host(struct sample *sample, const struct kvmstats_host *host);

/* Writes the pass as a host file, with the names. Returns 0, or -EPROTO if it is not valid. */
int sample_write_pass(const struct sample *sample, struct bytes *to);

/* What identifies the boot of a host, and the time since then: they reveal gaps. */
struct sample_origin {
	unsigned char boot[16];
	uint64_t boottime;		/* in ns */
};

bool sample_get_origin(const struct sample *sample, struct sample_origin *origin);

/* ---- codec.c: a sample as the difference to the one before ---- */

/* Adds the bytes that sample_decode() reads. @before NULL: the whole sample */
void sample_encode(struct bytes *to, const struct sample *sample, const struct sample *before);

/*
 * Sets all of @sample except for its time. Returns false if the bytes are not valid, or if memory
 * is exhausted.
 */
bool sample_decode(struct sample *sample, const struct sample *before, const void *data,
		   size_t size);

#endif /* RECORD_SAMPLE_H */
