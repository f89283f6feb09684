// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE /* for strnlen() */
#include "kvm_stats_file.h"

#define LOAD_CHUNK	4096

static const char *grow(struct stats_file *file, size_t *capacity)
{
	*capacity += LOAD_CHUNK;
	file->bytes = realloc(file->bytes, *capacity);
	return file->bytes ? NULL :
	       stats_fail("cannot allocate %zu bytes", *capacity);
}

static const char *load_bytes(struct stats_file *file, int fd)
{
	const char *message;
	size_t capacity = 0;
	ssize_t got;

	do {
		if (file->size == capacity) {
			message = grow(file, &capacity);
			if (message)
				return message;
		}
		got = pread(fd, file->bytes + file->size, capacity - file->size,
			    file->size);
		if (got < 0)
			return stats_fail("pread() at %zu failed: %s", file->size,
					  strerror(errno));
		file->size += got;
	} while (got);
	return NULL;
}

const char *stats_file_load(struct stats_file *file, int fd)
{
	const char *message;

	memset(file, 0, sizeof(*file));
	message = load_bytes(file, fd);
	if (message)
		return message;
	if (file->size < sizeof(file->header))
		return stats_fail("the file has %zu bytes, too few for a header",
				  file->size);
	memcpy(&file->header, file->bytes, sizeof(file->header));
	return NULL;
}

void stats_file_free(struct stats_file *file)
{
	free(file->bytes);
	memset(file, 0, sizeof(*file));
}

const struct kvm_stats_desc *stats_file_desc(const struct stats_file *file,
					     uint32_t i)
{
	size_t stride = sizeof(struct kvm_stats_desc) + file->header.name_size;
	size_t offset = file->header.desc_offset + i * stride;

	if (i >= file->header.num_desc || offset + stride > file->size)
		return NULL;
	return (const void *)(file->bytes + offset);
}

const struct kvm_stats_desc *stats_file_find(const struct stats_file *file,
					     const char *name)
{
	const struct kvm_stats_desc *desc;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(file, i)); i++)
		if (!strncmp(desc->name, name, file->header.name_size))
			return desc;
	return NULL;
}

const char *stats_read_value(int fd, const struct stats_file *file,
			     const char *name, uint64_t *value)
{
	const struct kvm_stats_desc *desc = stats_file_find(file, name);
	ssize_t got;

	if (!desc)
		return stats_fail("the file has no statistic '%s'", name);
	got = pread(fd, value, sizeof(*value),
		    file->header.data_offset + desc->offset);
	if (got != sizeof(*value))
		return stats_fail("pread() of '%s' returned %zd, expected %zu: %s",
				  name, got, sizeof(*value),
				  got < 0 ? strerror(errno) : "short read");
	return NULL;
}

bool stats_text_is_padded(const char *text, size_t size)
{
	size_t len = strnlen(text, size);
	size_t i;

	for (i = len; i < size; i++)
		if (text[i])
			return false;
	return len && len < size;
}
