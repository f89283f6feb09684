// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/sample.h"

/* ---- memory ---- */

void *bytes_extend(struct bytes *bytes, size_t size)
{
	size_t capacity = bytes->capacity ? bytes->capacity : 4096;
	char *data;

	if (bytes->failed)
		return NULL;
	while (capacity - bytes->size < size && capacity <= SIZE_MAX / 4)
		capacity *= 2;
	if (capacity != bytes->capacity) {
		data = capacity - bytes->size >= size ? realloc(bytes->data, capacity) : NULL;
		bytes->failed = !data;
		if (!data)
			return NULL;
		bytes->data = data;
		bytes->capacity = capacity;
	}
	data = bytes->data + bytes->size;
	bytes->size += size;
	return data;
}

void bytes_add(struct bytes *bytes, const void *from, size_t size)
{
	void *to = size ? bytes_extend(bytes, size) : NULL;

	if (to)
		memcpy(to, from, size);
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){ 0 };
}

/* ---- objects ---- */

bool sample_failed(const struct sample *sample)
{
	return sample->objects.failed || sample->text.failed || sample->value.failed ||
	       sample->index.failed;
}

void sample_clear(struct sample *sample)
{
	sample->time = 0;
	sample->objects.size = 0;
	sample->text.size = 0;
	sample->value.size = 0;
	sample->index.size = 0;
	sample->objects.failed = false;
	sample->text.failed = false;
	sample->value.failed = false;
	sample->index.failed = false;
}

void sample_free(struct sample *sample)
{
	bytes_free(&sample->objects);
	bytes_free(&sample->text);
	bytes_free(&sample->value);
	bytes_free(&sample->index);
}

/* FNV-1a */
static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 16777619u;
	return hash;
}

static size_t slots_of(const struct sample *sample)
{
	return sample->index.size / sizeof(uint32_t);
}

/* Returns the slot of the object, or the free one where it belongs. */
static uint32_t *find_slot(const struct sample *sample, const char *name, uint32_t hash)
{
	uint32_t *slot = (uint32_t *)(void *)sample->index.data;
	size_t mask = slots_of(sample) - 1, i;

	for (i = hash & mask; slot[i]; i = (i + 1) & mask) {
		const struct object *object = sample_object(sample, slot[i] - 1);

		if (object->hash == hash && !strcmp(object_name(sample, object), name))
			break;
	}
	return &slot[i];
}

/* Doubles the table before it is half full. */
static bool grow_index(struct sample *sample)
{
	size_t slots = slots_of(sample), i;

	if (2 * (sample_objects(sample) + 1) <= slots)
		return true;
	if (!bytes_extend(&sample->index, (slots ? slots : 1024) * sizeof(uint32_t)))
		return false;
	memset(sample->index.data, 0, sample->index.size);
	for (i = 0; i < sample_objects(sample); i++) {
		const struct object *object = sample_object(sample, i);

		*find_slot(sample, object_name(sample, object), object->hash) = (uint32_t)i + 1;
	}
	return true;
}

const struct object *sample_find(const struct sample *sample, const char *name)
{
	uint32_t at = slots_of(sample) ? *find_slot(sample, name, hash_of(name)) : 0;

	return at ? sample_object(sample, at - 1) : NULL;
}

/* Adds @size bytes to @bytes, a copy of @from if that is not NULL. Returns their offset. */
static size_t put(struct bytes *bytes, const void *from, size_t size)
{
	size_t at = bytes->size;
	void *to = bytes_extend(bytes, size);

	if (to && from)
		memcpy(to, from, size);
	return at;
}

const struct object *sample_add(struct sample *sample, const char *name, const void *layout,
				size_t layout_size, const uint64_t *value, size_t values)
{
	struct object object = { .hash = hash_of(name) }, *added;
	uint32_t *slot;

	if (!grow_index(sample) || *find_slot(sample, name, object.hash))
		return NULL;
	object.name = put(&sample->text, name, strlen(name) + 1);
	object.layout = put(&sample->text, layout, layout_size);
	object.layout_size = layout_size;
	object.value = put(&sample->value, value, values * sizeof(*value));
	object.values = values;
	added = bytes_extend(&sample->objects, sizeof(object));
	if (!added || sample_failed(sample))
		return NULL;
	*added = object;
	slot = find_slot(sample, name, object.hash);
	*slot = (uint32_t)sample_objects(sample);
	return added;
}

/* ---- texts ---- */

/* Where a layout has a number. A text with this character has no numbers in its layout. */
#define NUMBER	'\1'

/* The first character of a layout */
#define WITH_NUMBERS	'N'
#define LITERAL		'T'

/* Returns the length of the number at @text, so that "%u" writes the same again, or 0. */
static size_t parse_number(const char *text, size_t size, uint64_t *value)
{
	size_t len = 0;

	for (*value = 0; len < size && len < 19 && text[len] >= '0' && text[len] <= '9'; len++) {
		*value = *value * 10 + (uint64_t)(text[len] - '0');
		if (!*value)
			return 1;
	}
	return len;
}

void sample_add_text(struct sample *sample, const char *path, const char *text, size_t size)
{
	bool literal = memchr(text, NUMBER, size);
	char *layout = malloc(size + 1);
	uint64_t *value = malloc((size + 1) * sizeof(*value));
	size_t values = 0, n = 0, at, len;

	if (!layout || !value) {
		sample->text.failed = true;
	} else {
		layout[n++] = literal ? LITERAL : WITH_NUMBERS;
		for (at = 0; at < size; at += len) {
			len = literal ? 0 : parse_number(text + at, size - at, &value[values]);
			values += len > 0;
			layout[n++] = len ? NUMBER : text[at];
			len += !len;
		}
		sample_add(sample, path, layout, n, value, values);
	}
	free(layout);
	free(value);
}

ssize_t sample_text(const struct sample *sample, const char *path, char *buf, size_t size)
{
	const struct object *object = sample_find(sample, path);
	const char *layout = object ? object_layout(sample, object) : NULL;
	size_t n = 0, next = 0, i;

	if (!object || !object->layout_size)
		return -1;
	for (i = 1; i < object->layout_size && n < size; i++) {
		char number[24];
		size_t len;

		if (*layout != WITH_NUMBERS || layout[i] != NUMBER) {
			buf[n++] = layout[i];
			continue;
		}
		if (next == object->values)
			break;
		len = (size_t)sprintf(number, "%" PRIu64, object_values(sample, object)[next++]);
		len = len < size - n ? len : size - n;
		memcpy(buf + n, number, len);
		n += len;
	}
	buf[n] = '\0';
	return (ssize_t)n;
}
