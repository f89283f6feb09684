// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "kvm_stats_open.h"

/* Where a part must start, because the part before it ends there. */
static const char *check_start(const char *part, uint64_t start, uint64_t end)
{
	return start == end ? NULL :
	       stats_fail("%s starts at %llu, expected %llu", part,
			  (unsigned long long)start, (unsigned long long)end);
}

static const char *check_vcpus(struct stats_vm_file *file)
{
	const struct kvm_stats_header *header = &file->file.header;
	const struct kvm_stats_vcpus *vcpus = &file->vcpus;
	const char *message;

	message = check_start("the first descriptor of the VM",
			      header->desc_offset,
			      STATS_DESC_OFFSET + STATS_VCPUS_SIZE);
	if (!message)
		message = check_start("the first descriptor of the vCPUs",
				      vcpus->desc_offset, header->desc_offset +
				      header->num_desc * STATS_DESC_SIZE);
	if (!message)
		message = check_start("the data of the VM", header->data_offset,
				      vcpus->desc_offset +
				      vcpus->num_desc * STATS_DESC_SIZE);
	if (!message)
		message = check_start("the data of a record",
				      vcpus->data_offset, STATS_RECORD_SIZE);
	if (!message && (vcpus->records_offset % 8 || vcpus->record_size % 8))
		message = stats_fail("the records of %u bytes are at %u, expected multiples of 8",
				     vcpus->record_size, vcpus->records_offset);
	if (!message && (vcpus->reserved || !vcpus->num_desc))
		message = stats_fail("reserved is %u, num_desc %u",
				     vcpus->reserved, vcpus->num_desc);
	return message;
}

static const char *count_records(struct stats_vm_file *file)
{
	const struct kvm_stats_vcpus *vcpus = &file->vcpus;
	size_t size = file->file.size;

	if (vcpus->record_size <= STATS_RECORD_SIZE ||
	    size < vcpus->records_offset ||
	    (size - vcpus->records_offset) % vcpus->record_size)
		return stats_fail("the file has %zu bytes, with records of %u bytes at %u",
				  size, vcpus->record_size,
				  vcpus->records_offset);
	file->num_records = (size - vcpus->records_offset) / vcpus->record_size;
	return NULL;
}

const char *stats_vm_file_load(struct stats_vm_file *file, int fd)
{
	const char *message = stats_file_load(&file->file, fd);

	if (message)
		return message;
	if (file->file.header.flags != KVM_STATS_HEADER_VCPUS ||
	    file->file.size < STATS_DESC_OFFSET + STATS_VCPUS_SIZE)
		return stats_fail("the header has the flags %#x, expected %#x",
				  file->file.header.flags,
				  KVM_STATS_HEADER_VCPUS);
	memcpy(&file->vcpus, file->file.bytes + STATS_DESC_OFFSET,
	       STATS_VCPUS_SIZE);
	message = check_vcpus(file);
	return message ? message : count_records(file);
}

void stats_vm_file_free(struct stats_vm_file *file)
{
	stats_file_free(&file->file);
}

static const uint8_t *record_at(const struct stats_vm_file *file, uint32_t i)
{
	return file->file.bytes + file->vcpus.records_offset +
	       (size_t)i * file->vcpus.record_size;
}

struct kvm_stats_record stats_vm_file_record(const struct stats_vm_file *file,
					     uint32_t i)
{
	struct kvm_stats_record record;

	memcpy(&record, record_at(file, i), sizeof(record));
	return record;
}

const uint8_t *stats_vm_file_values(const struct stats_vm_file *file,
				    uint32_t i)
{
	return record_at(file, i) + file->vcpus.data_offset;
}

int stats_open_kvm(void)
{
	return open("/dev/kvm", O_RDWR | O_CLOEXEC);
}

const char *stats_open(int vm_fd, int *fd)
{
	struct kvm_stats_open open = { 0 };

	*fd = ioctl(vm_fd, KVM_STATS_OPEN, &open);
	return *fd >= 0 ? NULL :
	       stats_fail("KVM_STATS_OPEN failed: %s", strerror(errno));
}

int stats_open_next(int kvm_fd, uint64_t *vm)
{
	struct kvm_stats_next next = { .vm = *vm, .fd = -1 };

	if (ioctl(kvm_fd, KVM_STATS_NEXT, &next) < 0)
		return -1;
	*vm = next.vm;
	return next.fd;
}

const char *stats_open_last(uint64_t *vm, int *fd)
{
	int kvm = stats_open_kvm(), next;

	*vm = 0;
	*fd = -1;
	while ((next = stats_open_next(kvm, vm)) >= 0) {
		if (*fd >= 0)
			close(*fd);
		*fd = next;
	}
	if (errno == EPERM && geteuid())
		return stats_skip("KVM_STATS_NEXT needs CAP_PERFMON");
	if (errno != ENOENT || *fd < 0)
		return stats_fail("KVM_STATS_NEXT after VM %llu failed: %s",
				  (unsigned long long)*vm, strerror(errno));
	close(kvm);
	return NULL;
}
