/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Builds statistics files in memory: of a VM or vCPU, and of a VM with its vCPUs. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stddef.h>
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

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

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

/* ---- files that contain a VM and its vCPUs ---- */

#define VM_IMAGE_STATS		2	/* of the VM, and of each vCPU */
#define VM_IMAGE_VCPUS		3
#define VM_IMAGE_NUMBER		7

struct vm_image_desc {
	struct kvm_stats_desc desc;
	char name[IMAGE_NAME_SIZE];
};

struct vm_image_record {
	struct kvm_stats_record record;
	uint64_t value[VM_IMAGE_STATS];
};

/* The layout is that of the file, without gaps. */
struct vm_image {
	struct kvm_stats_header header;
	char id[IMAGE_NAME_SIZE];
	struct kvm_stats_vcpus vcpus;
	struct vm_image_desc vm_desc[VM_IMAGE_STATS];
	struct vm_image_desc vcpu_desc[VM_IMAGE_STATS];
	uint64_t value[VM_IMAGE_STATS];
	struct vm_image_record record[VM_IMAGE_VCPUS];
};

static inline void vm_image_set_desc(struct vm_image_desc *desc, int i, const char *name)
{
	desc[i].desc = (struct kvm_stats_desc){ .size = 1, .offset = 8 * (unsigned int)i };
	strcpy(desc[i].name, name);
}

/* vCPU i has the ID 10 * i, and the values 100 * i and 100 * i + 1. The VM has 1000 and 1001. */
static inline void vm_image_init(struct vm_image *image)
{
	int i, n;

	memset(image, 0, sizeof(*image));
	image->header = (struct kvm_stats_header){
		.flags = KVM_STATS_HEADER_VCPUS,
		.name_size = IMAGE_NAME_SIZE,
		.num_desc = VM_IMAGE_STATS,
		.id_offset = offsetof(struct vm_image, id),
		.desc_offset = offsetof(struct vm_image, vm_desc),
		.data_offset = offsetof(struct vm_image, value),
	};
	strcpy(image->id, "kvm-1");
	image->vcpus = (struct kvm_stats_vcpus){
		.vm = VM_IMAGE_NUMBER,
		.num_desc = VM_IMAGE_STATS,
		.desc_offset = offsetof(struct vm_image, vcpu_desc),
		.records_offset = offsetof(struct vm_image, record),
		.record_size = sizeof(struct vm_image_record),
		.data_offset = offsetof(struct vm_image_record, value),
	};
	vm_image_set_desc(image->vm_desc, 0, "pages");
	vm_image_set_desc(image->vm_desc, 1, "flushes");
	vm_image_set_desc(image->vcpu_desc, 0, "exits");
	vm_image_set_desc(image->vcpu_desc, 1, "halts");
	for (n = 0; n < VM_IMAGE_STATS; n++)
		image->value[n] = 1000 + n;
	for (i = 0; i < VM_IMAGE_VCPUS; i++) {
		image->record[i].record.vcpu_id = 10 * i;
		for (n = 0; n < VM_IMAGE_STATS; n++)
			image->record[i].value[n] = 100 * i + n;
	}
}

static inline int vm_image_fd(const struct vm_image *image)
{
	return bytes_fd((const unsigned char *)image, sizeof(*image));
}

#endif /* IMAGE_H */
