// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>

#include "kvm_stats_file.h"

static const char *format_message(const char *prefix, const char *fmt,
				  va_list args)
{
	static char message[STATS_MESSAGE_SIZE];
	char text[STATS_MESSAGE_SIZE];

	/* An argument may be the previous message: do not write to it yet. */
	vsnprintf(text, sizeof(text), fmt, args);
	snprintf(message, sizeof(message), "%.8s%.500s", prefix, text);
	return message;
}

const char *stats_fail(const char *fmt, ...)
{
	const char *message;
	va_list args;

	va_start(args, fmt);
	message = format_message("", fmt, args);
	va_end(args);
	return message;
}

const char *stats_skip(const char *fmt, ...)
{
	const char *message;
	va_list args;

	va_start(args, fmt);
	message = format_message(STATS_SKIP_PREFIX, fmt, args);
	va_end(args);
	return message;
}

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

static const char *check_field(const char *name, uint32_t value,
			       uint32_t expected)
{
	return value == expected ? NULL :
	       stats_fail("%s is %u, expected %u", name, value, expected);
}

const char *stats_check_header(const struct stats_file *file)
{
	const struct kvm_stats_header *header = &file->header;
	uint32_t data = STATS_DESC_OFFSET + header->num_desc * STATS_DESC_SIZE;
	const char *message;

	message = check_field("sizeof(struct kvm_stats_header)",
			      sizeof(*header), STATS_HEADER_SIZE);
	if (!message)
		message = check_field("flags", header->flags, 0);
	if (!message)
		message = check_field("name_size", header->name_size,
				      STATS_NAME_SIZE);
	if (!message && !header->num_desc)
		message = stats_fail("num_desc is 0, expected at least 1");
	if (!message)
		message = check_field("id_offset", header->id_offset,
				      STATS_HEADER_SIZE);
	if (!message)
		message = check_field("desc_offset", header->desc_offset,
				      STATS_DESC_OFFSET);
	if (!message)
		message = check_field("data_offset", header->data_offset, data);
	if (!message)
		message = check_field("data_offset % 8",
				      header->data_offset % 8, 0);
	return message;
}

const char *stats_check_id(const struct stats_file *file, const char *expected)
{
	const char *id = (const char *)file->bytes + STATS_HEADER_SIZE;

	if (file->size < STATS_DESC_OFFSET)
		return stats_fail("the file has %zu bytes, too few for an id",
				  file->size);
	if (!stats_text_is_padded(id, STATS_NAME_SIZE))
		return stats_fail("the id is empty or not padded with NULs");
	if (strcmp(id, expected))
		return stats_fail("the id is '%s', expected '%s'", id, expected);
	return NULL;
}

static const char *check_flags(const struct kvm_stats_desc *desc)
{
	const uint32_t known = KVM_STATS_TYPE_MASK | KVM_STATS_UNIT_MASK |
			       KVM_STATS_BASE_MASK;
	uint32_t unit = desc->flags & KVM_STATS_UNIT_MASK;

	if ((desc->flags & KVM_STATS_TYPE_MASK) > KVM_STATS_TYPE_MAX ||
	    unit > KVM_STATS_UNIT_MAX ||
	    (desc->flags & KVM_STATS_BASE_MASK) > KVM_STATS_BASE_MAX ||
	    desc->flags & ~known)
		return stats_fail("'%s' has invalid flags %#x", desc->name,
				  desc->flags);
	if (desc->exponent < -18 || desc->exponent > 18)
		return stats_fail("'%s' has the exponent %d, expected -18 to 18",
				  desc->name, desc->exponent);
	if (unit == KVM_STATS_UNIT_BOOLEAN && desc->exponent)
		return stats_fail("boolean '%s' has the exponent %d, expected 0",
				  desc->name, desc->exponent);
	return NULL;
}

const char *stats_check_desc_flags(const struct stats_file *file)
{
	const struct kvm_stats_desc *desc;
	const char *message;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(file, i)); i++) {
		message = check_flags(desc);
		if (message)
			return message;
	}
	return check_field("the number of descriptors", i,
			   file->header.num_desc);
}

static const char *check_size(const struct kvm_stats_desc *desc)
{
	uint32_t type = desc->flags & KVM_STATS_TYPE_MASK;
	bool linear = type == KVM_STATS_TYPE_LINEAR_HIST;
	bool hist = linear || type == KVM_STATS_TYPE_LOG_HIST;

	if (hist ? desc->size < 2 : desc->size != 1)
		return stats_fail("'%s' has the flags %#x, but %u values",
				  desc->name, desc->flags, desc->size);
	if (linear != !!desc->bucket_size)
		return stats_fail("'%s' has the flags %#x, but the bucket size %u",
				  desc->name, desc->flags, desc->bucket_size);
	return NULL;
}

const char *stats_check_desc_sizes(const struct stats_file *file)
{
	const struct kvm_stats_desc *desc;
	const char *message;
	uint32_t i;

	message = check_field("the size of a descriptor",
			      sizeof(*desc) + STATS_NAME_SIZE, STATS_DESC_SIZE);
	for (i = 0; !message && (desc = stats_file_desc(file, i)); i++)
		message = check_size(desc);
	return message;
}

const char *stats_check_desc_names(const struct stats_file *file)
{
	const struct kvm_stats_desc *desc;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(file, i)); i++) {
		if (!stats_text_is_padded(desc->name, STATS_NAME_SIZE))
			return stats_fail("name %u is empty or not padded with NULs",
					  i);
		if (stats_file_find(file, desc->name) != desc)
			return stats_fail("two statistics have the name '%s'",
					  desc->name);
	}
	return NULL;
}

/*
 * Some clients compute the size of the data as the sum of all sizes, and then
 * index it by offset.  So the values must have neither gaps nor overlaps.
 */
const char *stats_check_desc_offsets(const struct stats_file *file)
{
	const struct kvm_stats_desc *desc;
	size_t end = 0;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(file, i)); i++) {
		if (desc->offset != end)
			return stats_fail("'%s' is at offset %u, but the previous one ends at %zu",
					  desc->name, desc->offset, end);
		end += desc->size * sizeof(uint64_t);
	}
	if (file->header.data_offset + end != file->size)
		return stats_fail("the data ends at %zu, the file at %zu",
				  file->header.data_offset + end, file->size);
	return NULL;
}

static const char *check_expectation(const struct stats_file *file,
				     const struct stats_expectation *expect)
{
	const struct kvm_stats_desc *desc = stats_file_find(file, expect->name);

	if (!desc)
		return stats_fail("the file has no statistic '%s'", expect->name);
	if (desc->flags != expect->flags)
		return stats_fail("'%s' has the flags %#x, expected %#x",
				  desc->name, desc->flags, expect->flags);
	if (desc->exponent != expect->exponent)
		return stats_fail("'%s' has the exponent %d, expected %d",
				  desc->name, desc->exponent, expect->exponent);
	if (desc->size != expect->size)
		return stats_fail("'%s' has %u values, expected %u", desc->name,
				  desc->size, expect->size);
	return NULL;
}

const char *stats_check_expectations(const struct stats_file *file,
				     const struct stats_expectation *expect,
				     size_t num)
{
	const char *message = NULL;
	size_t i;

	for (i = 0; !message && i < num; i++)
		message = check_expectation(file, &expect[i]);
	return message;
}
