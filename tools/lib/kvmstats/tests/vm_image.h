/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Builds files that contain a VM and its vCPUs in memory. */
#ifndef VM_IMAGE_H
#define VM_IMAGE_H

#include <stddef.h>

#include "image.h"

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

#endif /* VM_IMAGE_H */
