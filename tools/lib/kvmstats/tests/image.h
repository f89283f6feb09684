/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Builds statistics files in memory. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kvm_stats.h>

#define IMAGE_NAME_SIZE	48
#define IMAGE_STRIDE	(sizeof(struct kvm_stats_desc) + IMAGE_NAME_SIZE)
#define IMAGE_MAX_DESC	16
#define IMAGE_MAX_DATA	4096

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct image {
	struct kvm_stats_header header;
	char id[IMAGE_NAME_SIZE];
	unsigned char desc[IMAGE_MAX_DESC * IMAGE_STRIDE];
	uint64_t data[IMAGE_MAX_DATA / sizeof(uint64_t)];
	uint32_t descs;
	uint32_t data_size;
};

static inline struct kvm_stats_desc *image_desc(struct image *image, int i)
{
	return (struct kvm_stats_desc *)(image->desc + i * IMAGE_STRIDE);
}

static inline void image_init(struct image *image)
{
	memset(image, 0, sizeof(*image));
	image->header.name_size = IMAGE_NAME_SIZE;
	image->header.id_offset = sizeof(image->header);
	image->header.desc_offset = sizeof(image->header) + IMAGE_NAME_SIZE;
	image->header.data_offset = image->header.desc_offset;
	strcpy(image->id, "kvm-1/vcpu-0");
}

/* Adds a statistic after the existing ones and returns its index. */
static inline int image_add(struct image *image, const char *name, uint32_t flags, int exponent,
			    unsigned int size, uint32_t bucket_size)
{
	int i = image->descs++;
	struct kvm_stats_desc *desc = image_desc(image, i);

	desc->flags = flags;
	desc->exponent = exponent;
	desc->size = size;
	desc->offset = image->data_size;
	desc->bucket_size = bucket_size;
	strncpy((char *)(desc + 1), name, IMAGE_NAME_SIZE - 1);
	image->data_size += size * sizeof(uint64_t);
	image->header.num_desc++;
	image->header.data_offset += IMAGE_STRIDE;
	return i;
}

/*
 * Writes header, ID, descriptors and data to @bytes, one after the other. Tests can set other
 * offsets in the header than these. Returns the size in bytes.
 */
static inline size_t image_bytes(const struct image *image, unsigned char *bytes)
{
	size_t desc_size = image->descs * IMAGE_STRIDE;
	unsigned char *to = bytes;

	memcpy(to, &image->header, sizeof(image->header));
	to += sizeof(image->header);
	memcpy(to, image->id, sizeof(image->id));
	to += sizeof(image->id);
	memcpy(to, image->desc, desc_size);
	to += desc_size;
	memcpy(to, image->data, image->data_size);
	return to + image->data_size - bytes;
}

/* Returns the fd of a new file with these contents, which the caller closes. */
static inline int bytes_fd(const unsigned char *bytes, size_t size)
{
	int fd = memfd_create("stats", MFD_CLOEXEC);

	if (fd < 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size) {
		perror("cannot create a file in memory");
		exit(1);
	}
	return fd;
}

static inline int image_fd(const struct image *image)
{
	unsigned char bytes[sizeof(*image)];

	return bytes_fd(bytes, image_bytes(image, bytes));
}

#endif /* IMAGE_H */
