// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Reads values: samples, the growth between two of them, and files that contain the statistics
 * of a VM and of all its vCPUs.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

int kvmstats_pread_all(int fd, void *buf, size_t size, uint64_t offset)
{
	char *to = buf;

	while (size) {
		ssize_t n = pread(fd, to, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EPROTO;
		to += n;
		size -= n;
		offset += n;
	}
	return 0;
}

/* ---- what a file contained when it was read ---- */

/* Samples of the VM and its vCPUs point to it. It does not change while there are any. */
struct kvmstats_block {
	size_t users;		/* samples, and the file */
	size_t capacity;
	uint64_t time;
	uint64_t data[];	/* the VM's values and the records */
};

static void put_block(struct kvmstats_block *block)
{
	if (block && !--block->users)
		free(block);
}

/* ---- samples ---- */

/* Returns the memory that follows a sample, if kvmstats_sample_alloc() made it. */
static uint64_t *own_values(struct kvmstats_sample *sample)
{
	return (uint64_t *)(sample + 1);
}

int kvmstats_sample_alloc(struct kvmstats_sample **sample, const struct kvmstats_schema *schema,
			  size_t size)
{
	*sample = calloc(1, sizeof(**sample) + size);
	if (!*sample)
		return -ENOMEM;
	(*sample)->schema = schema;
	(*sample)->data = own_values(*sample);
	return 0;
}

int kvmstats_sample_new(struct kvmstats_sample **sample, const struct kvmstats_schema *schema)
{
	return kvmstats_sample_alloc(sample, schema, schema->data_size);
}

void kvmstats_sample_clear(struct kvmstats_sample *sample)
{
	put_block(sample->block);
	sample->block = NULL;
	sample->time = 0;
}

void kvmstats_sample_free(struct kvmstats_sample *sample)
{
	if (sample)
		put_block(sample->block);
	free(sample);
}

int kvmstats_sample_read(struct kvmstats_sample *sample, int fd)
{
	const struct kvmstats_schema *schema = sample->schema;
	int err;

	sample->time = 0;
	err = kvmstats_pread_all(fd, own_values(sample), schema->data_size,
				 schema->header.data_offset);
	if (err)
		return err;
	sample->time = clock_now();
	return 0;
}

int kvmstats_sample_set(struct kvmstats_sample *sample, const uint64_t *values, size_t count,
			uint64_t time)
{
	if (count * sizeof(*values) != sample->schema->data_size || !time)
		return -EINVAL;
	memcpy(own_values(sample), values, count * sizeof(*values));
	sample->time = time;
	return 0;
}

uint64_t kvmstats_sample_time(const struct kvmstats_sample *sample)
{
	return sample->time;
}

int kvmstats_sample_value(const struct kvmstats_sample *sample, const struct kvmstats_stat *stat,
			  unsigned int n, uint64_t *value)
{
	if (stat->schema != sample->schema)
		return -EINVAL;
	if (n >= stat->size)
		return -ERANGE;
	if (!sample->time)
		return -ENODATA;
	*value = sample->data[stat->offset / sizeof(uint64_t) + n];
	return 0;
}

const uint64_t *kvmstats_sample_values(const struct kvmstats_sample *sample,
				       const struct kvmstats_stat *stat)
{
	if (stat->schema != sample->schema || !sample->time)
		return NULL;
	return &sample->data[stat->offset / sizeof(uint64_t)];
}

static bool has_delta(const struct kvmstats_stat *stat)
{
	return kvmstats_stat_type(stat) == KVMSTATS_TYPE_CUMULATIVE || kvmstats_stat_is_hist(stat);
}

int kvmstats_delta(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		   const struct kvmstats_stat *stat, unsigned int n, uint64_t *delta)
{
	uint64_t before, after;
	int err;

	if (!has_delta(stat))
		return -EINVAL;
	err = kvmstats_sample_value(from, stat, n, &before);
	if (!err)
		err = kvmstats_sample_value(to, stat, n, &after);
	if (err)
		return err;
	if (after < before)
		return -ESTALE;
	*delta = after - before;
	return 0;
}

int kvmstats_rate(const struct kvmstats_sample *from, const struct kvmstats_sample *to,
		  const struct kvmstats_stat *stat, unsigned int n, double *per_second)
{
	uint64_t delta;
	int err;

	err = kvmstats_delta(from, to, stat, n, &delta);
	if (err)
		return err;
	if (to->time <= from->time)
		return -EAGAIN;
	*per_second = (double)delta * 1e9 / (double)(to->time - from->time);
	return 0;
}

/* ---- files that contain a VM and its vCPUs ---- */

/* The largest file that the library reads, in bytes: tens of thousands of vCPUs. */
#define MAX_SIZE	268435456u
#define FIRST_RECORDS	4

/* The values of the VM must end before the records, those of a vCPU with its record. */
static int check_sizes(const struct kvmstats_file *file)
{
	if (file->vm->data_size > file->head)
		return -EPROTO;
	if (file->vcpu->data_size > file->layout.record_size - file->layout.data_offset)
		return -EPROTO;
	return file->head > KVMSTATS_MAX_BLOCK ? -EOVERFLOW : 0;
}

static int read_layout(struct kvmstats_file *file, struct kvmstats_schemas *schemas)
{
	struct kvm_stats_header header;
	int err = kvmstats_read_vcpus(file->fd, &header, &file->layout);

	if (!err)
		err = kvmstats_schemas_find(schemas, file->fd, false, &file->vm);
	if (!err)
		err = kvmstats_schemas_find(schemas, file->fd, true, &file->vcpu);
	if (err)
		return err;
	file->data_offset = header.data_offset;
	file->head = file->layout.records_offset - header.data_offset;
	return check_sizes(file);
}

int kvmstats_file_open(struct kvmstats_file *file, int fd, struct kvmstats_schemas *schemas)
{
	int err;

	*file = (struct kvmstats_file){ .fd = fd, .vmm_fd = -1, .err = -ENODATA };
	err = read_layout(file, schemas);
	if (err)
		kvmstats_file_close(file);
	return err;
}

void kvmstats_file_close(struct kvmstats_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	put_block(file->block);
	put_block(file->before);
	file->block = NULL;
	file->before = NULL;
	file->vcpus = 0;
}

static const char *record_at(const struct kvmstats_file *file, size_t i)
{
	return (const char *)file->block->data + file->head + i * file->layout.record_size;
}

static uint64_t vcpu_id_at(const struct kvmstats_file *file, size_t i)
{
	return ((const struct kvm_stats_record *)record_at(file, i))->vcpu_id;
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
 * Makes the block, of which @size bytes are filled, larger, or makes a new one. No sample points
 * to it.
 */
static int grow(struct kvmstats_file *file, size_t size)
{
	size_t records = size ? size - file->head : 0;
	size_t capacity = file->head + records + records / 2 +
			  FIRST_RECORDS * (size_t)file->layout.record_size;
	struct kvmstats_block *block;

	if (capacity > MAX_SIZE)
		return -EOVERFLOW;
	block = realloc(file->block, sizeof(*block) + capacity);
	if (!block)
		return -ENOMEM;
	block->users = 1;
	block->capacity = capacity;
	file->block = block;
	return 0;
}

/* Takes the block before the last one, if no sample points to it any more. */
static void next_block(struct kvmstats_file *file)
{
	struct kvmstats_block *block = file->before;

	file->before = file->block;
	file->block = block;
	if (!block || block->users == 1)
		return;
	put_block(block);
	file->block = NULL;
}

/*
 * Reads until the end of the file. The block always has space for more than the file had when it
 * was last used, so the first pread() normally reads everything, and returns less than was asked.
 */
static int read_all(struct kvmstats_file *file, size_t *size)
{
	int err = 0;

	*size = 0;
	while (!err) {
		size_t space = file->block ? file->block->capacity - *size : 0;
		ssize_t n;

		if (!space) {
			err = grow(file, *size);
			continue;
		}
		n = pread(file->fd, (char *)file->block->data + *size, space,
			  (off_t)file->data_offset + (off_t)*size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		*size += n;
		if ((size_t)n < space)
			return 0;
	}
	return err;
}

int kvmstats_file_read(struct kvmstats_file *file)
{
	size_t size;

	if (file->err == -ENODEV)
		return file->err;
	file->vcpus = 0;
	next_block(file);
	file->err = read_all(file, &size);
	if (!file->err)
		file->err = count_records(file, size);
	if (!file->err)
		file->block->time = clock_now();
	return file->err;
}

int kvmstats_file_vcpu(const struct kvmstats_file *file, size_t i)
{
	return (int)vcpu_id_at(file, i);
}

int kvmstats_file_sample(const struct kvmstats_file *file, ssize_t i,
			 struct kvmstats_sample *sample)
{
	const void *values;

	if (file->err)
		return file->err;
	if (i >= (ssize_t)file->vcpus)
		return -ERANGE;
	values = i < 0 ? (const char *)file->block->data :
			 record_at(file, i) + file->layout.data_offset;
	kvmstats_sample_clear(sample);
	file->block->users++;
	sample->block = file->block;
	sample->data = values;
	sample->time = file->block->time;
	return 0;
}
