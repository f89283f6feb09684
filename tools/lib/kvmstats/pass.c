// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Passes: the records of all VMs and vCPUs at one time. Reads one from the host file, or writes one
 * for another origin, and checks the records. host_format.h has the format.
 *
 * The stream is untrusted, because a copy can come from anywhere, and can have another byte order.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* The largest pass that the library reads, in bytes: 100,000 vCPUs have about half of it. */
#define MAX_PASS	268435456u
#define READ_SIZE	65536u

/* The kernel returns EAGAIN if VMs ended meanwhile. After as many times, it is an error. */
#define MAX_TRIES	1000

/* ---- byte order ---- */

static void swap(void *from, size_t count, size_t size)
{
	unsigned char *at = from;

	for (; count--; at += size) {
		size_t i;

		for (i = 0; i < size / 2; i++) {
			unsigned char byte = at[i];

			at[i] = at[size - 1 - i];
			at[size - 1 - i] = byte;
		}
	}
}

static void swap_record(struct kvm_host_record *record)
{
	swap(&record->type, 2, 2);
	swap(&record->size, 1, 4);
	swap(&record->vm, 1, 8);
}

static void swap_header(struct kvm_host_header *header)
{
	swap(&header->version, 8, 4);
	swap(&header->session, 5, 8);
}

static void swap_descs(const struct kvm_host_header *header)
{
	char *desc = (char *)header + header->desc_offset;
	size_t count = (size_t)header->vm_descs + header->vcpu_descs;

	for (; count--; desc += header->desc_size) {
		swap(desc + offsetof(struct kvm_stats_desc, flags), 1, 4);
		swap(desc + offsetof(struct kvm_stats_desc, exponent), 2, 2);
		swap(desc + offsetof(struct kvm_stats_desc, offset), 2, 4);
	}
}

/*
 * Converts a record after struct kvm_host_record to this machine's byte order: the members, and the
 * values that follow them. A later version may add data after the values, which is not used. Other
 * functions reject records that are too short.
 */
static void swap_content(char *at)
{
	const struct kvm_host_record *record = (const void *)at;

	if (record->type == KVM_HOST_VM && record->size >= sizeof(struct kvm_host_vm)) {
		swap(at + offsetof(struct kvm_host_vm, time), 2, 8);
		swap(at + offsetof(struct kvm_host_vm, pid), 2, 4);
		swap(at + sizeof(struct kvm_host_vm),
		     (record->size - sizeof(struct kvm_host_vm)) / 8, 8);
	} else if (record->type == KVM_HOST_VCPU && record->size >= sizeof(struct kvm_host_vcpu)) {
		swap(at + offsetof(struct kvm_host_vcpu, time), 1, 8);
		swap(at + offsetof(struct kvm_host_vcpu, vcpu_id), 4, 4);
		swap(at + sizeof(struct kvm_host_vcpu),
		     (record->size - sizeof(struct kvm_host_vcpu)) / 8, 8);
	} else if (record->type == KVM_HOST_NAMES &&
		   record->size >= sizeof(struct kvm_host_names)) {
		swap(at + offsetof(struct kvm_host_names, start_time), 1, 8);
		swap(at + offsetof(struct kvm_host_names, pid), 2, 4);
	} else if (record->type == KVM_HOST_END) {
		swap(at + offsetof(struct kvm_host_end, monotonic), 2, 8);
		swap(at + offsetof(struct kvm_host_end, vms), 2, 4);
	}
}

/* ---- finding the end of a pass ---- */

static int check_header(const struct kvm_host_header *header)
{
	uint64_t descs = (uint64_t)header->vm_descs + header->vcpu_descs;

	if (header->version != KVM_HOST_VERSION)
		return -EPROTONOSUPPORT;
	if (header->desc_offset < sizeof(*header) || header->desc_offset > header->record.size ||
	    header->desc_size <= sizeof(struct kvm_stats_desc) ||
	    descs > (header->record.size - header->desc_offset) / header->desc_size)
		return -EPROTO;
	if (header->vm_values < sizeof(struct kvm_host_vm) || header->vm_values % 8 ||
	    header->vcpu_values < sizeof(struct kvm_host_vcpu) || header->vcpu_values % 8)
		return -EPROTO;
	return 0;
}

/* Checks the first record of a pass, and gives it this machine's byte order. */
static int take_header(struct kvmstats_pass *pass)
{
	struct kvm_host_header *header = (void *)pass->data;
	int err;

	if (pass->swapped)
		swap_header(header);
	err = check_header(header);
	if (!err && pass->swapped)
		swap_descs(header);
	return err;
}

static int check_record(const struct kvm_host_record *record, bool first)
{
	uint32_t min = sizeof(*record);

	if (first && (record->vm != KVM_HOST_MAGIC || record->type != KVM_HOST_HEADER))
		return -EPROTO;
	if (!first && record->type == KVM_HOST_HEADER)
		return record->vm == KVM_HOST_MAGIC ? -EAGAIN : -EPROTO;
	if (first)
		min = sizeof(struct kvm_host_header);
	else if (record->type == KVM_HOST_END)
		min = sizeof(struct kvm_host_end);
	if (record->size < min || record->size % 8 || record->size > KVMSTATS_MAX_BLOCK)
		return -EPROTO;
	return 0;
}

/*
 * Returns 1 at the end of the pass, 0 if more has to be read, or -errno. -EAGAIN: the next pass
 * begins before this one has ended.
 */
static int find_end(struct kvmstats_pass *pass)
{
	while (pass->used - pass->end >= sizeof(struct kvm_host_record)) {
		char *at = pass->data + pass->end;
		struct kvm_host_record record;
		int err;

		memcpy(&record, at, sizeof(record));
		if (!pass->end)
			pass->swapped = record.vm == __builtin_bswap64(KVM_HOST_MAGIC);
		if (pass->swapped)
			swap_record(&record);
		err = check_record(&record, !pass->end);
		if (err)
			return err;
		if (pass->used - pass->end < record.size)
			return 0;
		memcpy(at, &record, sizeof(record));
		if (!pass->end)
			err = take_header(pass);
		else if (pass->swapped)
			swap_content(at);
		if (err)
			return err;
		pass->end += record.size;
		if (record.type == KVM_HOST_END)
			return 1;
	}
	return 0;
}

/* ---- reading a pass ---- */

static int make_space(struct kvmstats_pass *pass, size_t space)
{
	size_t size = pass->size ? pass->size : 2 * READ_SIZE;
	char *data;

	if (pass->size - pass->used >= space)
		return 0;
	while (size - pass->used < space)
		size *= 2;
	if (size > MAX_PASS)
		return -EOVERFLOW;
	data = realloc(pass->data, size);
	if (!data)
		return -ENOMEM;
	pass->data = data;
	pass->size = size;
	return 0;
}

/* Returns the number of bytes, 0 at the end of the file, or -errno. Sockets time out. */
static ssize_t read_some(int fd, struct kvmstats_pass *pass)
{
	uint64_t deadline = clock_now() + KVMSTATS_SOCKET_TIME;
	int tries, err = make_space(pass, READ_SIZE);

	for (tries = 0; !err && tries < MAX_TRIES; tries++) {
		ssize_t n = read(fd, pass->data + pass->used, READ_SIZE);

		if (n >= 0) {
			pass->used += n;
			return n;
		}
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
		if (clock_now() >= deadline)
			return -ETIMEDOUT;
	}
	return err ? err : -EAGAIN;
}

/* Begins with what was read behind the last pass. */
static int continue_stream(struct kvmstats_pass *pass, struct kvmstats_stream *stream)
{
	int err = make_space(pass, READ_SIZE);

	if (err)
		return err;
	memcpy(pass->data, stream->rest, stream->rest_size);
	pass->used = stream->rest_size;
	pass->end = 0;
	stream->rest_size = 0;
	return 0;
}

int kvmstats_pass_read(struct kvmstats_pass *pass, struct kvmstats_stream *stream)
{
	int found, err = pass->used ? 0 : continue_stream(pass, stream);
	uint64_t deadline = clock_now() + KVMSTATS_PASS_TIME;

	while (!err && !(found = find_end(pass))) {
		ssize_t n = read_some(stream->fd, pass);

		if (n < 0)
			return (int)n;
		if (stream->has_one_pass && clock_now() >= deadline)
			return -ETIMEDOUT;
		if (!n) {
			err = pass->used || stream->has_one_pass ? -EAGAIN : -ENODATA;
			pass->used = 0;
		}
	}
	if (err)
		return err;
	if (found == 1 || found == -EAGAIN) {
		stream->rest_size = pass->used - pass->end;
		memcpy(stream->rest, pass->data + pass->end, stream->rest_size);
	}
	pass->used = 0;
	return found < 0 ? found : 0;
}

/* ---- writing a pass ---- */

void *kvmstats_pass_add(struct kvmstats_pass *pass, enum kvm_host_type type, size_t size,
			uint64_t vm)
{
	struct kvm_host_record *record;

	if (make_space(pass, size))
		return NULL;
	record = (void *)(pass->data + pass->used);
	memset(record, 0, size);
	record->type = type;
	record->size = (uint32_t)size;
	record->vm = vm;
	pass->used += size;
	pass->vms += type == KVM_HOST_VM;
	pass->vcpus += type == KVM_HOST_VCPU;
	return record;
}

int kvmstats_pass_start(struct kvmstats_pass *pass, const struct kvm_host_header *like,
			const void *descs)
{
	size_t descs_size = ((size_t)like->vm_descs + like->vcpu_descs) * like->desc_size;
	struct kvm_host_header *header;
	struct kvm_host_record record;

	pass->used = 0;
	pass->end = 0;
	pass->vms = 0;
	pass->vcpus = 0;
	header = kvmstats_pass_add(pass, KVM_HOST_HEADER,
				   sizeof(*header) + (descs_size + 7) / 8 * 8, KVM_HOST_MAGIC);
	if (!header)
		return -ENOMEM;
	record = header->record;
	*header = *like;
	header->record = record;
	header->record.flags = like->record.flags;
	header->version = KVM_HOST_VERSION;
	header->desc_offset = sizeof(*header);
	if (!descs_size)
		header->desc_size = sizeof(struct kvm_stats_desc) + KVM_HOST_NAME_SIZE;
	header->vm_values = sizeof(struct kvm_host_vm);
	header->vcpu_values = sizeof(struct kvm_host_vcpu);
	header->monotonic = clock_now();
	header->boottime = clock_read(CLOCK_BOOTTIME);
	if (descs_size)
		memcpy(header + 1, descs, descs_size);
	return 0;
}

int kvmstats_pass_finish(struct kvmstats_pass *pass)
{
	struct kvm_host_end *end = kvmstats_pass_add(pass, KVM_HOST_END, sizeof(*end), 0);
	int found;

	if (!end)
		return -ENOMEM;
	end->monotonic = clock_now();
	end->boottime = clock_read(CLOCK_BOOTTIME);
	end->vms = pass->vms;
	end->vcpus = pass->vcpus;
	found = find_end(pass);
	pass->used = 0;
	return found < 0 ? found : 0;
}
