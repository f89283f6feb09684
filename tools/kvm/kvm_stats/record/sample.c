// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "host_format.h"
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

void bytes_clear(struct bytes *bytes)
{
	bytes->size = 0;
	bytes->failed = false;
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){ 0 };
}

/* ---- samples ---- */

void sample_clear(struct sample *sample)
{
	sample->time = 0;
	sample->count = 0;
	bytes_clear(&sample->pass);
	bytes_clear(&sample->files);
	bytes_clear(&sample->index);
}

void sample_free(struct sample *sample)
{
	bytes_free(&sample->pass);
	bytes_free(&sample->files);
	bytes_free(&sample->index);
}

bool sample_failed(const struct sample *sample)
{
	return sample->pass.failed || sample->files.failed || sample->index.failed;
}

/* ---- files ---- */

/* FNV-1a */
static uint32_t hash_of(const char *path)
{
	uint32_t hash = 2166136261u;

	while (*path)
		hash = (hash ^ (unsigned char)*path++) * 16777619u;
	return hash;
}

/* Returns the slot of the file, or the free one where it belongs. */
static uint32_t *find_slot(const struct sample *sample, const char *path)
{
	uint32_t *slot = (uint32_t *)(void *)sample->index.data;
	size_t mask = sample->index.size / sizeof(*slot) - 1, i = hash_of(path) & mask;

	while (slot[i] && strcmp(sample->files.data + slot[i] - 1, path))
		i = (i + 1) & mask;
	return &slot[i];
}

/* Doubles the table before it is half full. */
static bool grow_index(struct sample *sample)
{
	size_t slots = sample->index.size / sizeof(uint32_t), at = 0;
	const char *files = sample->files.data;

	if (2 * (sample->count + 1) <= slots)
		return true;
	if (!bytes_extend(&sample->index, (slots ? slots : 1024) * sizeof(uint32_t)))
		return false;
	memset(sample->index.data, 0, sample->index.size);
	while (at < sample->files.size) {
		*find_slot(sample, files + at) = (uint32_t)at + 1;
		at += strlen(files + at) + 1;
		at += strlen(files + at) + 1;
	}
	return true;
}

void sample_add_file(struct sample *sample, const char *path, const char *text)
{
	size_t at = sample->files.size;
	uint32_t *slot = grow_index(sample) ? find_slot(sample, path) : NULL;

	if (!slot || *slot)
		return;
	if (at + strlen(path) + strlen(text) + 2 > MAX_SAMPLE)
		sample->files.failed = true;
	bytes_add(&sample->files, path, strlen(path) + 1);
	bytes_add(&sample->files, text, strlen(text) + 1);
	if (sample->files.failed)
		return;
	*slot = (uint32_t)at + 1;
	sample->count++;
}

const char *sample_file(const struct sample *sample, const char *path)
{
	uint32_t at = sample->count ? *find_slot(sample, path) : 0;

	return at ? sample->files.data + at - 1 + strlen(path) + 1 : NULL;
}

/* ---- passes ---- */

bool pass_is_swapped(const struct bytes *pass)
{
	const struct kvm_host_record *record = (const void *)pass->data;

	return pass->size >= sizeof(*record) && record->vm == __builtin_bswap64(KVM_HOST_MAGIC);
}

bool sample_get_origin(const struct sample *sample, struct sample_origin *origin)
{
	const struct kvm_host_header *header = (const void *)sample->pass.data;

	if (sample->pass.size < sizeof(*header))
		return false;
	memcpy(origin->boot, header->boot_id, sizeof(origin->boot));
	origin->boottime = pass_is_swapped(&sample->pass) ? __builtin_bswap64(header->boottime) :
							    header->boottime;
	return true;
}
