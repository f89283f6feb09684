// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Reads files that contain the statistics of a VM and of all its vCPUs: the values of the VM, and
 * after them a record for each vCPU, with one call of pread().
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "vm_file.h"

/* The largest file that the library reads, in bytes: tens of thousands of vCPUs. */
#define MAX_SIZE	268435456u
#define FIRST_RECORDS	8

struct kvmstats_file {
	const struct kvmstats_schema *vm;
	const struct kvmstats_schema *vcpu;
	struct kvmstats_schemas own;	/* empty if the schemas belong to the caller of _shared() */
	struct kvm_stats_vcpus layout;
	uint32_t data_offset;		/* of the VM's values, from the start of the file */
	size_t head;			/* size of the VM's values, up to the first record */
	char *buf;			/* the VM's values and the records */
	size_t capacity;
	size_t vcpus;			/* number of records in @buf */
	uint64_t time;			/* in ns of CLOCK_MONOTONIC, 0 while the file is not read */
};

/* The values of the VM must end before the records, those of a vCPU with its record. */
static int check_sizes(const struct kvmstats_file *file)
{
	if (kvmstats_schema_data_size(file->vm) > file->head)
		return -EPROTO;
	if (kvmstats_schema_data_size(file->vcpu) >
	    file->layout.record_size - file->layout.data_offset)
		return -EPROTO;
	return file->head > KVMSTATS_MAX_BLOCK ? -EOVERFLOW : 0;
}

static int read_layout(struct kvmstats_file *file, int fd, struct kvmstats_schemas *schemas)
{
	struct kvm_stats_header header;
	int err = kvmstats_read_vcpus(fd, &header, &file->layout);

	if (!err)
		err = kvmstats_schemas_find(schemas, fd, false, &file->vm);
	if (!err)
		err = kvmstats_schemas_find(schemas, fd, true, &file->vcpu);
	if (err)
		return err;
	file->data_offset = header.data_offset;
	file->head = file->layout.records_offset - header.data_offset;
	return check_sizes(file);
}

static int set_capacity(struct kvmstats_file *file, size_t capacity)
{
	char *buf;

	if (capacity > MAX_SIZE)
		return -EOVERFLOW;
	buf = realloc(file->buf, capacity);
	if (!buf)
		return -ENOMEM;
	file->buf = buf;
	file->capacity = capacity;
	return 0;
}

int kvmstats_file_new_shared(struct kvmstats_file **filep, int fd,
			     struct kvmstats_schemas *schemas)
{
	struct kvmstats_file *file = calloc(1, sizeof(*file));
	int err;

	*filep = NULL;
	if (!file)
		return -ENOMEM;
	err = read_layout(file, fd, schemas ? schemas : &file->own);
	if (!err)
		err = set_capacity(file, file->head +
				   (size_t)FIRST_RECORDS * file->layout.record_size);
	if (err) {
		kvmstats_file_free(file);
		return err;
	}
	*filep = file;
	return 0;
}

int kvmstats_file_new(struct kvmstats_file **file, int fd)
{
	return kvmstats_file_new_shared(file, fd, NULL);
}

void kvmstats_file_free(struct kvmstats_file *file)
{
	if (!file)
		return;
	kvmstats_schemas_free(&file->own);
	free(file->buf);
	free(file);
}

/* ---- read ---- */

static const char *record_at(const struct kvmstats_file *file, size_t i)
{
	return file->buf + file->head + i * file->layout.record_size;
}

static uint64_t vcpu_id_at(const struct kvmstats_file *file, size_t i)
{
	struct kvm_stats_record record;

	memcpy(&record, record_at(file, i), sizeof(record));
	return record.vcpu_id;
}

static int count_records(struct kvmstats_file *file, size_t size)
{
	size_t count, i;

	if (size < file->head || (size - file->head) % file->layout.record_size)
		return -EPROTO;
	count = (size - file->head) / file->layout.record_size;
	for (i = 0; i < count; i++) {
		if (vcpu_id_at(file, i) > INT_MAX)
			return -EPROTO;
	}
	file->vcpus = count;
	return 0;
}

/*
 * Reads until the end of the file. The buffer always has space for more than the file had at the
 * previous read, so the first pread() normally reads everything, and returns less than was asked.
 */
static int read_all(struct kvmstats_file *file, int fd, size_t *size)
{
	*size = 0;
	for (;;) {
		ssize_t n = pread(fd, file->buf + *size, file->capacity - *size,
				  (off_t)file->data_offset + (off_t)*size);
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*size += n;
		if (*size < file->capacity)
			return 0;
		err = set_capacity(file, file->head + 2 * (file->capacity - file->head));
		if (err)
			return err;
	}
}

int kvmstats_file_read(struct kvmstats_file *file, int fd)
{
	size_t size;
	int err;

	file->time = 0;
	file->vcpus = 0;
	err = read_all(file, fd, &size);
	if (!err)
		err = count_records(file, size);
	if (!err)
		file->time = clock_now();
	return err;
}

/* ---- what was read ---- */

uint64_t kvmstats_file_vm(const struct kvmstats_file *file)
{
	return file->layout.vm;
}

const struct kvmstats_schema *kvmstats_file_schema(const struct kvmstats_file *file,
						   enum kvmstats_kind kind)
{
	return kind == KVMSTATS_KIND_VM ? file->vm : file->vcpu;
}

size_t kvmstats_file_record_size(const struct kvmstats_file *file)
{
	return file->layout.record_size;
}

size_t kvmstats_file_vcpus(const struct kvmstats_file *file)
{
	return file->vcpus;
}

int kvmstats_file_vcpu(const struct kvmstats_file *file, size_t i)
{
	return i < file->vcpus ? (int)vcpu_id_at(file, i) : -ERANGE;
}

int kvmstats_file_vm_sample(const struct kvmstats_file *file, struct kvmstats_sample *sample)
{
	if (!file->time)
		return -ENODATA;
	return kvmstats_sample_copy(sample, file->vm, file->buf, file->time);
}

int kvmstats_file_vcpu_sample(const struct kvmstats_file *file, size_t i,
			      struct kvmstats_sample *sample)
{
	if (!file->time)
		return -ENODATA;
	if (i >= file->vcpus)
		return -ERANGE;
	return kvmstats_sample_copy(sample, file->vcpu,
				    record_at(file, i) + file->layout.data_offset, file->time);
}
