/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Builds host files in memory. ../host_format.h has the format. */
#ifndef HOST_IMAGE_H
#define HOST_IMAGE_H

#include <stdbool.h>

#include "host_format.h"
#include "image.h"

#define HOST_IMAGE_VM_STATS	2
#define HOST_IMAGE_VCPU_STATS	5
#define HOST_IMAGE_BUCKETS	4

struct host_image {
	unsigned char *data;
	size_t size;
	size_t capacity;
	bool swapped;		/* the other byte order */
	/* In bytes: what a later version adds to the header, descriptors and records */
	size_t more_header, more_desc, more_record;
	uint64_t session;
	uint64_t time;		/* CLOCK_MONOTONIC, which each record advances by 1 */
	bool stands_still;	/* it does not */
	uint64_t arrival;	/* in the header */
	uint64_t rq_clock, last_arrival, last_queued;	/* in records of vCPUs */
	uint32_t vms, vcpus;	/* in the last pass */
};

static inline void host_image_put(struct host_image *image, uint64_t value, size_t size)
{
	bool little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != image->swapped;
	size_t i;

	if (image->size + size > image->capacity) {
		image->capacity = 2 * image->capacity + 4096;
		image->data = realloc(image->data, image->capacity);
		if (!image->data)
			exit(1);
	}
	for (i = 0; i < size; i++)
		image->data[image->size++] =
			(unsigned char)(value >> 8 * (little ? i : size - 1 - i));
}

/* Bytes that no reader knows */
static inline void host_image_pad(struct host_image *image, size_t size)
{
	while (size--)
		host_image_put(image, 0xee, 1);
}

static inline void host_image_record(struct host_image *image, unsigned int type,
				     unsigned int flags, size_t size, uint64_t vm)
{
	host_image_put(image, type, 2);
	host_image_put(image, flags, 2);
	host_image_put(image, size, 4);
	host_image_put(image, vm, 8);
}

static inline void host_image_desc(struct host_image *image, const char *name, uint32_t flags,
				   int exponent, unsigned int size, unsigned int offset)
{
	size_t i, length = strlen(name);

	host_image_put(image, flags, 4);
	host_image_put(image, (uint16_t)exponent, 2);
	host_image_put(image, size, 2);
	host_image_put(image, offset, 4);
	host_image_put(image, 0, 4);
	for (i = 0; i < KVM_HOST_NAME_SIZE; i++)
		host_image_put(image, i < length ? (unsigned char)name[i] : 0, 1);
	host_image_pad(image, image->more_desc);
}

static inline void host_image_descs(struct host_image *image)
{
	const uint32_t ns = KVM_STATS_TYPE_INSTANT | KVM_STATS_UNIT_SECONDS;

	host_image_desc(image, "remote_tlb_flush", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	host_image_desc(image, "pages_4k", KVM_STATS_TYPE_INSTANT, 0, 1, 8);
	host_image_desc(image, "exits", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	host_image_desc(image, "halt_wait_hist", KVM_STATS_TYPE_LOG_HIST | KVM_STATS_UNIT_SECONDS,
			-9, HOST_IMAGE_BUCKETS, 8);
	host_image_desc(image, "thread_rq_clock_ns", ns, -9, 1, 40);
	host_image_desc(image, "thread_last_arrival_ns", ns, -9, 1, 48);
	host_image_desc(image, "thread_last_queued_ns", ns, -9, 1, 56);
}

static inline void host_image_time(struct host_image *image)
{
	image->time += !image->stands_still;
	host_image_put(image, image->time, 8);
}

/* Begins a pass. The descriptors follow. */
static inline void host_image_begin(struct host_image *image, unsigned int flags, size_t vm_descs,
				    size_t vcpu_descs)
{
	size_t offset = sizeof(struct kvm_host_header) + image->more_header;
	size_t desc_size = IMAGE_STRIDE + image->more_desc;
	int i;

	image->vms = 0;
	image->vcpus = 0;
	host_image_record(image, KVM_HOST_HEADER, flags,
			  offset + (vm_descs + vcpu_descs) * desc_size, KVM_HOST_MAGIC);
	host_image_put(image, KVM_HOST_VERSION, 4);
	host_image_put(image, offset, 4);
	host_image_put(image, desc_size, 4);
	host_image_put(image, vm_descs, 4);
	host_image_put(image, vcpu_descs, 4);
	host_image_put(image, sizeof(struct kvm_host_vm) + image->more_record, 4);
	host_image_put(image, sizeof(struct kvm_host_vcpu) + image->more_record, 4);
	host_image_put(image, 0, 4);
	for (i = 0; i < 16; i++)
		host_image_put(image, (uint64_t)i, 1);
	host_image_put(image, image->session, 8);
	host_image_put(image, 4711, 8);			/* the instance of KVM's module */
	host_image_time(image);
	host_image_put(image, image->time + 500, 8);	/* CLOCK_BOOTTIME */
	host_image_put(image, image->arrival, 8);
	host_image_pad(image, image->more_header);
}

static inline void host_image_header(struct host_image *image, unsigned int flags)
{
	host_image_begin(image, flags, HOST_IMAGE_VM_STATS, HOST_IMAGE_VCPU_STATS);
	host_image_descs(image);
}

/* A VM without its values, which have @size bytes with what is behind them */
static inline void host_image_vm_members(struct host_image *image, uint64_t id, unsigned int flags,
					 uint64_t pid, size_t size)
{
	image->vms++;
	host_image_record(image, KVM_HOST_VM, flags, sizeof(struct kvm_host_vm) +
			  image->more_record + size, id);
	host_image_time(image);
	host_image_put(image, 999000 + pid, 8);		/* when the process started */
	host_image_put(image, pid, 4);
	host_image_put(image, 2, 4);
	host_image_pad(image, image->more_record);
}

/* The same of a vCPU */
static inline void host_image_vcpu_members(struct host_image *image, uint64_t vm, uint32_t id,
					   uint32_t tid, size_t size)
{
	image->vcpus++;
	host_image_record(image, KVM_HOST_VCPU, 0, sizeof(struct kvm_host_vcpu) +
			  image->more_record + size, vm);
	host_image_time(image);
	host_image_put(image, id, 4);
	host_image_put(image, tid, 4);
	host_image_put(image, 1, 4);
	host_image_put(image, 0, 4);
	host_image_pad(image, image->more_record);
}

/* The values are @value and @value + 1. */
static inline void host_image_vm(struct host_image *image, uint64_t id, unsigned int flags,
				 uint64_t value)
{
	host_image_vm_members(image, id, flags, 1000 + id,
			      8 * HOST_IMAGE_VM_STATS + image->more_record);
	host_image_put(image, value, 8);
	host_image_put(image, value + 1, 8);
	host_image_pad(image, image->more_record);
}

/* The values are @value, those of the histogram @value + 1 and so on, and the clocks. */
static inline void host_image_vcpu(struct host_image *image, uint64_t vm, uint32_t id,
				   uint64_t value)
{
	uint64_t i;

	host_image_vcpu_members(image, vm, id, 2000 + id, image->more_record +
				8 * (HOST_IMAGE_VCPU_STATS - 1 + HOST_IMAGE_BUCKETS));
	for (i = 0; i <= HOST_IMAGE_BUCKETS; i++)
		host_image_put(image, value + i, 8);
	host_image_put(image, image->rq_clock, 8);
	host_image_put(image, image->last_arrival, 8);
	host_image_put(image, image->last_queued, 8);
	host_image_pad(image, image->more_record);
}

static inline void host_image_end(struct host_image *image, unsigned int flags)
{
	host_image_record(image, KVM_HOST_END, flags, sizeof(struct kvm_host_end) +
			  image->more_record, 0);
	host_image_time(image);
	host_image_put(image, image->time + 500, 8);
	host_image_put(image, image->vms, 4);
	host_image_put(image, image->vcpus, 4);
	host_image_pad(image, image->more_record);
}

/* Adds a pass with the VMs 10 and 20, which have the vCPUs 0 and 1. */
static inline void host_image_pass(struct host_image *image, uint64_t value)
{
	uint64_t vm;

	host_image_header(image, 0);
	for (vm = 10; vm <= 20; vm += 10) {
		host_image_vm(image, vm, 0, value + 100 * vm);
		host_image_vcpu(image, vm, 0, value + 100 * vm + 10);
		host_image_vcpu(image, vm, 1, value + 100 * vm + 20);
	}
	host_image_end(image, 0);
}

/* Adds the names of the process of VM @id: @text has them, with a NUL after each. */
static inline void host_image_names(struct host_image *image, uint64_t id, uint32_t error,
				    const char *text, size_t size)
{
	size_t i, padded = (size + 7) / 8 * 8;

	host_image_record(image, KVM_HOST_NAMES, 0, sizeof(struct kvm_host_names) + padded, 0);
	host_image_put(image, 1000000 + id, 8);
	host_image_put(image, 1000 + id, 4);
	host_image_put(image, error, 4);
	for (i = 0; i < padded; i++)
		host_image_put(image, i < size ? (unsigned char)text[i] : 0, 1);
}

/* Overwrites a number. */
static inline void host_image_patch(struct host_image *image, size_t at, uint64_t value,
				    size_t size)
{
	size_t end = image->size;

	image->size = at;
	host_image_put(image, value, size);
	image->size = end;
}

#endif /* HOST_IMAGE_H */
