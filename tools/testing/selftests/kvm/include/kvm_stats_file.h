/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of KVM statistics as a test sees it: load it whole, find its parts,
 * check its layout.
 *
 * A check returns NULL, or a message that says what was expected and what was
 * found.  Nothing but libc and the uapi header is needed, so that programs
 * outside the KVM selftests can share these checks.
 */
#ifndef SELFTEST_KVM_STATS_FILE_H
#define SELFTEST_KVM_STATS_FILE_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kvm_stats.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#endif
#ifndef __printf
#define __printf(fmt, args)	__attribute__((__format__(__printf__, fmt, args)))
#endif

#define STATS_HEADER_SIZE	24
#define STATS_NAME_SIZE		48
#define STATS_DESC_SIZE		(16 + STATS_NAME_SIZE)
#define STATS_DESC_OFFSET	(STATS_HEADER_SIZE + STATS_NAME_SIZE)

struct stats_file {
	uint8_t *bytes;
	size_t size;
	struct kvm_stats_header header;
};

/* What a statistic of a known name must look like. */
struct stats_expectation {
	const char *name;
	uint32_t flags;
	int16_t exponent;
	uint16_t size;
};

#define STATS_FLAGS(type, unit)						\
	(KVM_STATS_TYPE_##type | KVM_STATS_UNIT_##unit | KVM_STATS_BASE_POW10)

/* The message lasts until the next one. */
static inline const char *stats_message(const char *prefix, const char *fmt,
					va_list args)
{
	static char message[512];
	char text[sizeof(message)];

	/* The arguments may be from the message before. */
	vsnprintf(text, sizeof(text), fmt, args);
	snprintf(message, sizeof(message), "%.8s%.500s", prefix, text);
	return message;
}

static inline __printf(1, 2)
const char *stats_fail(const char *fmt, ...)
{
	const char *message;
	va_list args;

	va_start(args, fmt);
	message = stats_message("", fmt, args);
	va_end(args);
	return message;
}

static inline const char *stats_file_load(struct stats_file *file, int fd)
{
	size_t room = 0;
	ssize_t got;

	memset(file, 0, sizeof(*file));
	do {
		if (file->size == room) {
			room += 4096;
			file->bytes = realloc(file->bytes, room);
			if (!file->bytes)
				return stats_fail("no memory for %zu bytes", room);
		}
		got = pread(fd, file->bytes + file->size, room - file->size,
			    file->size);
		if (got < 0)
			return stats_fail("pread at %zu: %s", file->size,
					  strerror(errno));
		file->size += got;
	} while (got);

	if (file->size < sizeof(file->header))
		return stats_fail("a file of %zu bytes has no header", file->size);
	memcpy(&file->header, file->bytes, sizeof(file->header));
	return NULL;
}

static inline void stats_file_free(struct stats_file *file)
{
	free(file->bytes);
	memset(file, 0, sizeof(*file));
}

static inline const struct kvm_stats_desc *
stats_file_desc(const struct stats_file *file, uint32_t i)
{
	size_t stride = sizeof(struct kvm_stats_desc) + file->header.name_size;
	size_t offset = file->header.desc_offset + i * stride;

	if (i >= file->header.num_desc || offset + stride > file->size)
		return NULL;
	return (const void *)(file->bytes + offset);
}

static inline const struct kvm_stats_desc *
stats_file_find(const struct stats_file *file, const char *name)
{
	const struct kvm_stats_desc *desc;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(file, i)); i++)
		if (!strncmp(desc->name, name, file->header.name_size))
			return desc;
	return NULL;
}

/* The first value of the statistic @name, read now. */
static inline const char *stats_read_value(int fd, const struct stats_file *file,
					   const char *name, uint64_t *value)
{
	const struct kvm_stats_desc *desc = stats_file_find(file, name);
	ssize_t got;

	if (!desc)
		return stats_fail("there is no statistic '%s'", name);
	got = pread(fd, value, sizeof(*value),
		    file->header.data_offset + desc->offset);
	if (got != sizeof(*value))
		return stats_fail("pread of '%s' gives %zd, expected %zu: %s",
				  name, got, sizeof(*value), strerror(errno));
	return NULL;
}

static inline const char *stats_check_header(const struct stats_file *file)
{
	const struct kvm_stats_header *header = &file->header;
	uint32_t data = STATS_DESC_OFFSET + header->num_desc * STATS_DESC_SIZE;

	if (sizeof(*header) != STATS_HEADER_SIZE)
		return stats_fail("a header of %zu bytes, expected %d",
				  sizeof(*header), STATS_HEADER_SIZE);
	if (header->flags)
		return stats_fail("flags are %#x, expected 0", header->flags);
	if (header->name_size != STATS_NAME_SIZE)
		return stats_fail("name_size is %u, expected %d",
				  header->name_size, STATS_NAME_SIZE);
	if (!header->num_desc)
		return stats_fail("num_desc is 0");
	if (header->id_offset != STATS_HEADER_SIZE)
		return stats_fail("id_offset is %u, expected %d",
				  header->id_offset, STATS_HEADER_SIZE);
	if (header->desc_offset != STATS_DESC_OFFSET)
		return stats_fail("desc_offset is %u, expected %d",
				  header->desc_offset, STATS_DESC_OFFSET);
	if (header->data_offset != data)
		return stats_fail("data_offset is %u, expected %u for %u descriptors",
				  header->data_offset, data, header->num_desc);
	if (header->data_offset % 8)
		return stats_fail("data_offset %u is not a multiple of 8",
				  header->data_offset);
	return NULL;
}

/* A text fills its field if nothing but NULs, at least one, follow it. */
static inline bool stats_text_is_padded(const char *text, size_t size)
{
	size_t len = strnlen(text, size);
	size_t i;

	for (i = len; i < size; i++)
		if (text[i])
			return false;
	return len && len < size;
}

static inline const char *stats_check_id(const struct stats_file *file,
					 const char *expected)
{
	const char *id = (const char *)file->bytes + STATS_HEADER_SIZE;

	if (file->size < STATS_DESC_OFFSET)
		return stats_fail("a file of %zu bytes has no id", file->size);
	if (!stats_text_is_padded(id, STATS_NAME_SIZE))
		return stats_fail("the id is empty or not padded with NULs");
	if (strcmp(id, expected))
		return stats_fail("the id is '%s', expected '%s'", id, expected);
	return NULL;
}

static inline const char *stats_check_desc_flags(const struct stats_file *file)
{
	const uint32_t known = KVM_STATS_TYPE_MASK | KVM_STATS_UNIT_MASK |
			       KVM_STATS_BASE_MASK;
	const struct kvm_stats_desc *desc;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(file, i)); i++) {
		uint32_t unit = desc->flags & KVM_STATS_UNIT_MASK;

		if ((desc->flags & KVM_STATS_TYPE_MASK) > KVM_STATS_TYPE_MAX ||
		    unit > KVM_STATS_UNIT_MAX ||
		    (desc->flags & KVM_STATS_BASE_MASK) > KVM_STATS_BASE_MAX ||
		    desc->flags & ~known)
			return stats_fail("'%s' has illegal flags %#x",
					  desc->name, desc->flags);
		if (desc->exponent < -18 || desc->exponent > 18)
			return stats_fail("'%s' has the exponent %d, expected -18 to 18",
					  desc->name, desc->exponent);
		if (unit == KVM_STATS_UNIT_BOOLEAN && desc->exponent)
			return stats_fail("boolean '%s' has the exponent %d",
					  desc->name, desc->exponent);
	}
	return i == file->header.num_desc ? NULL :
	       stats_fail("%u descriptors, expected %u", i, file->header.num_desc);
}

static inline const char *stats_check_desc_sizes(const struct stats_file *file)
{
	const struct kvm_stats_desc *desc;
	uint32_t i;

	if (sizeof(*desc) + STATS_NAME_SIZE != STATS_DESC_SIZE)
		return stats_fail("a descriptor of %zu bytes, expected %d",
				  sizeof(*desc) + STATS_NAME_SIZE, STATS_DESC_SIZE);

	for (i = 0; (desc = stats_file_desc(file, i)); i++) {
		uint32_t type = desc->flags & KVM_STATS_TYPE_MASK;
		bool linear = type == KVM_STATS_TYPE_LINEAR_HIST;
		bool hist = linear || type == KVM_STATS_TYPE_LOG_HIST;

		if (hist ? desc->size < 2 : desc->size != 1)
			return stats_fail("'%s' of flags %#x has %u values",
					  desc->name, desc->flags, desc->size);
		if (linear != !!desc->bucket_size)
			return stats_fail("'%s' of flags %#x has buckets of %u",
					  desc->name, desc->flags, desc->bucket_size);
	}
	return NULL;
}

static inline const char *stats_check_desc_names(const struct stats_file *file)
{
	const struct kvm_stats_desc *desc;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(file, i)); i++) {
		if (!stats_text_is_padded(desc->name, STATS_NAME_SIZE))
			return stats_fail("name %u is empty or not padded with NULs", i);
		if (stats_file_find(file, desc->name) != desc)
			return stats_fail("there are two statistics '%s'", desc->name);
	}
	return NULL;
}

/* Clients add up the sizes and then index by offset: no holes, no overlap. */
static inline const char *stats_check_desc_offsets(const struct stats_file *file)
{
	const struct kvm_stats_desc *desc;
	size_t end = 0;
	uint32_t i;

	for (i = 0; (desc = stats_file_desc(file, i)); i++) {
		if (desc->offset != end)
			return stats_fail("'%s' is at %u, but the one before ends at %zu",
					  desc->name, desc->offset, end);
		end += desc->size * sizeof(uint64_t);
	}
	if (file->header.data_offset + end != file->size)
		return stats_fail("the data end at %zu, the file at %zu",
				  file->header.data_offset + end, file->size);
	return NULL;
}

/* Other statistics may be there as well. */
static inline const char *
stats_check_expectations(const struct stats_file *file,
			 const struct stats_expectation *expect, size_t num)
{
	size_t i;

	for (i = 0; i < num; i++) {
		const struct kvm_stats_desc *desc;

		desc = stats_file_find(file, expect[i].name);
		if (!desc)
			return stats_fail("there is no statistic '%s'",
					  expect[i].name);
		if (desc->flags != expect[i].flags)
			return stats_fail("'%s' has flags %#x, expected %#x",
					  desc->name, desc->flags, expect[i].flags);
		if (desc->exponent != expect[i].exponent)
			return stats_fail("'%s' has exponent %d, expected %d",
					  desc->name, desc->exponent,
					  expect[i].exponent);
		if (desc->size != expect[i].size)
			return stats_fail("'%s' has %u values, expected %u",
					  desc->name, desc->size, expect[i].size);
	}
	return NULL;
}

#endif /* SELFTEST_KVM_STATS_FILE_H */
