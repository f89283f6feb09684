// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Reads and checks the header and the descriptors of a statistics file, and those of the vCPUs in
 * a file that contains them.
 *
 * The file is untrusted: the fd can come from any process, and a later kernel can have
 * extensions that this library does not know. Offsets and sizes have 32 bits and are added with
 * 64 bits, so sums do not overflow.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kvm_stats.h>

#include "internal.h"

/* Limit the memory that a file can make the library allocate. No kernel comes close to them. */
#define MAX_NAME_SIZE	4096u	/* bytes, including the NUL */
#define MAX_DESC	65536u

struct range {
	uint64_t start;
	uint64_t end;
};

static bool ranges_overlap(struct range a, struct range b)
{
	return a.start < b.end && b.start < a.end;
}

static struct range header_range(void)
{
	return (struct range){ 0, sizeof(struct kvm_stats_header) };
}

static struct range id_range(const struct kvm_stats_header *h)
{
	return (struct range){ h->id_offset, (uint64_t)h->id_offset + h->name_size };
}

static size_t desc_stride(const struct kvm_stats_header *h)
{
	return sizeof(struct kvm_stats_desc) + h->name_size;
}

static struct range desc_range(const struct kvm_stats_header *h)
{
	uint64_t size = (uint64_t)h->num_desc * desc_stride(h);

	return (struct range){ h->desc_offset, h->desc_offset + size };
}

static int check_header(const struct kvm_stats_header *h)
{
	if (!h->name_size)
		return -EPROTO;
	if (h->name_size > MAX_NAME_SIZE || h->num_desc > MAX_DESC)
		return -EOVERFLOW;
	if (desc_range(h).end - desc_range(h).start > KVMSTATS_MAX_BLOCK)
		return -EOVERFLOW;
	/* Values are of type __u64. */
	if (h->data_offset % 8)
		return -EPROTO;
	if (ranges_overlap(header_range(), id_range(h)) ||
	    ranges_overlap(header_range(), desc_range(h)) ||
	    ranges_overlap(id_range(h), desc_range(h)))
		return -EPROTO;
	return 0;
}

static struct range vcpus_range(const struct kvm_stats_header *h)
{
	uint64_t start = id_range(h).end;

	return (struct range){ start, start + sizeof(struct kvm_stats_vcpus) };
}

/* The header that a file with only one vCPU would have, if its data were that of the records. */
static struct kvm_stats_header vcpu_header(const struct kvm_stats_header *h,
					   const struct kvm_stats_vcpus *vcpus)
{
	return (struct kvm_stats_header){
		.name_size = h->name_size,
		.num_desc = vcpus->num_desc,
		.id_offset = h->id_offset,
		.desc_offset = vcpus->desc_offset,
		.data_offset = vcpus->data_offset,
	};
}

/* The parts that do not change must be in front of the records, and not overlap. */
static int check_vcpus_position(const struct kvm_stats_header *h,
				const struct kvm_stats_vcpus *vcpus)
{
	const struct kvm_stats_header vcpu = vcpu_header(h, vcpus);
	const struct range range[] = {
		header_range(), id_range(h), vcpus_range(h), desc_range(h), desc_range(&vcpu),
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(range); i++) {
		if (range[i].end > vcpus->records_offset)
			return -EPROTO;
		for (j = 0; j < i; j++) {
			if (ranges_overlap(range[i], range[j]))
				return -EPROTO;
		}
	}
	return vcpus->records_offset < h->data_offset ? -EPROTO : 0;
}

static int check_vcpus(const struct kvm_stats_header *h, const struct kvm_stats_vcpus *vcpus)
{
	struct kvm_stats_header vcpu = vcpu_header(h, vcpus);

	if (vcpus->num_desc > MAX_DESC || vcpus->record_size > KVMSTATS_MAX_BLOCK)
		return -EOVERFLOW;
	if (desc_range(&vcpu).end - desc_range(&vcpu).start > KVMSTATS_MAX_BLOCK)
		return -EOVERFLOW;
	if (vcpus->records_offset % 8 || vcpus->record_size % 8 || vcpus->data_offset % 8)
		return -EPROTO;
	if (vcpus->data_offset < sizeof(struct kvm_stats_record) ||
	    vcpus->data_offset > vcpus->record_size)
		return -EPROTO;
	return check_vcpus_position(h, vcpus);
}

static int check_data(const struct kvmstats_schema *schema, int fd)
{
	const struct kvm_stats_header *h = &schema->header;
	struct range data = { h->data_offset, h->data_offset + (uint64_t)schema->data_size };
	uint64_t last;	/* the last value, to check that the file contains it */

	/* kvmstats_file_new() checks that the values of vCPUs fit in their records. */
	if (!schema->data_size || schema->records)
		return 0;
	if (ranges_overlap(header_range(), data) || ranges_overlap(id_range(h), data) ||
	    ranges_overlap(desc_range(h), data))
		return -EPROTO;
	return kvmstats_pread_all(fd, &last, sizeof(last), data.end - sizeof(last));
}

/*
 * Names and IDs must be one line of printable ASCII, because programs print them on terminals
 * and in other formats.
 */
static bool is_printable(const char *text, size_t size)
{
	size_t len = strnlen(text, size);
	size_t i;

	if (!len || len == size)
		return false;
	for (i = 0; i < len; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	return true;
}

static int parse_desc(struct kvmstats_schema *schema, size_t i)
{
	const struct kvm_stats_header *h = &schema->header;
	const char *entry = schema->desc + i * desc_stride(h);
	struct kvmstats_stat *stat = &schema->stat[i];
	struct kvm_stats_desc desc;
	uint64_t end;

	memcpy(&desc, entry, sizeof(desc));
	if (!is_printable(entry + sizeof(desc), h->name_size))
		return -EPROTO;
	if (!desc.size || desc.offset % sizeof(uint64_t))
		return -EPROTO;
	end = desc.offset + (uint64_t)desc.size * sizeof(uint64_t);
	if (end > KVMSTATS_MAX_BLOCK)
		return -EOVERFLOW;
	if (end > schema->data_size)
		schema->data_size = end;

	*stat = (struct kvmstats_stat){
		.schema = schema,
		.name = entry + sizeof(desc),
		.flags = desc.flags,
		.exponent = desc.exponent,
		.size = desc.size,
		.offset = desc.offset,
		.bucket_size = desc.bucket_size,
	};
	return 0;
}

static int read_descs(struct kvmstats_schema *schema, int fd)
{
	const struct kvm_stats_header *h = &schema->header;
	size_t i;
	int err;

	schema->desc_size = h->num_desc * desc_stride(h);
	/* One byte and one element more, so that an empty schema does not allocate 0 bytes. */
	schema->desc = malloc(schema->desc_size + 1);
	schema->stat = calloc(h->num_desc + 1u, sizeof(*schema->stat));
	if (!schema->desc || !schema->stat)
		return -ENOMEM;

	err = kvmstats_pread_all(fd, schema->desc, schema->desc_size, h->desc_offset);
	for (i = 0; !err && i < h->num_desc; i++)
		err = parse_desc(schema, i);
	return err;
}

static int read_header(struct kvm_stats_header *h, int fd)
{
	int err = kvmstats_pread_all(fd, h, sizeof(*h), 0);

	return err ? err : check_header(h);
}

int kvmstats_read_vcpus(int fd, struct kvm_stats_header *h, struct kvm_stats_vcpus *vcpus)
{
	int err = read_header(h, fd);

	if (err)
		return err;
	if (!(h->flags & KVM_STATS_HEADER_VCPUS))
		return -ENODATA;
	err = kvmstats_pread_all(fd, vcpus, sizeof(*vcpus), vcpus_range(h).start);
	return err ? err : check_vcpus(h, vcpus);
}

/* Reads the header of a file without checking it, or, of @records, what vcpu_header() makes. */
static int read_header_of(struct kvm_stats_header *h, int fd, bool records)
{
	struct kvm_stats_vcpus vcpus;
	int err;

	if (!records)
		return kvmstats_pread_all(fd, h, sizeof(*h), 0);
	err = kvmstats_read_vcpus(fd, h, &vcpus);
	if (!err)
		*h = vcpu_header(h, &vcpus);
	return err;
}

int kvmstats_schema_read_part(struct kvmstats_schema **schemap, int fd, bool records)
{
	struct kvmstats_schema *schema = calloc(1, sizeof(*schema));
	char id[MAX_NAME_SIZE];
	int err;

	*schemap = NULL;
	if (!schema)
		return -ENOMEM;

	schema->records = records;
	err = read_header_of(&schema->header, fd, records);
	if (!err)
		err = check_header(&schema->header);
	if (!err)
		err = kvmstats_schema_id(schema, fd, id, sizeof(id));
	if (!err)
		err = read_descs(schema, fd);
	if (!err)
		err = check_data(schema, fd);
	if (err) {
		kvmstats_schema_free(schema);
		return err;
	}
	*schemap = schema;
	return 0;
}

int kvmstats_schema_read(struct kvmstats_schema **schema, int fd)
{
	return kvmstats_schema_read_part(schema, fd, false);
}

void kvmstats_schema_free(struct kvmstats_schema *schema)
{
	if (!schema)
		return;
	free(schema->stat);
	free(schema->desc);
	free(schema);
}

int kvmstats_schema_same(const struct kvmstats_schema *schema, int fd)
{
	struct kvm_stats_header header;
	char *desc;
	int err;

	err = read_header_of(&header, fd, schema->records);
	if (err)
		return err;
	if (memcmp(&header, &schema->header, sizeof(header)))
		return 0;

	desc = malloc(schema->desc_size + 1);
	if (!desc)
		return -ENOMEM;
	err = kvmstats_pread_all(fd, desc, schema->desc_size, header.desc_offset);
	if (!err)
		err = !memcmp(desc, schema->desc, schema->desc_size);
	free(desc);
	return err;
}

int kvmstats_schema_id(const struct kvmstats_schema *schema, int fd, char *buf, size_t size)
{
	const struct kvm_stats_header *h = &schema->header;
	char id[MAX_NAME_SIZE];
	int err;

	err = kvmstats_pread_all(fd, id, h->name_size, h->id_offset);
	if (err)
		return err;
	if (!is_printable(id, h->name_size))
		return -EPROTO;
	if (strlen(id) >= size)
		return -EOVERFLOW;
	strcpy(buf, id);
	return 0;
}

uint32_t kvmstats_schema_flags(const struct kvmstats_schema *schema)
{
	return schema->header.flags;
}

size_t kvmstats_schema_count(const struct kvmstats_schema *schema)
{
	return schema->header.num_desc;
}

size_t kvmstats_schema_data_size(const struct kvmstats_schema *schema)
{
	return schema->data_size;
}

uint32_t kvmstats_schema_data_offset(const struct kvmstats_schema *schema)
{
	return schema->header.data_offset;
}

const struct kvmstats_stat *kvmstats_schema_stat(const struct kvmstats_schema *schema, size_t i)
{
	return i < schema->header.num_desc ? &schema->stat[i] : NULL;
}

const struct kvmstats_stat *kvmstats_schema_find(const struct kvmstats_schema *schema,
						 const char *name)
{
	size_t i;

	for (i = 0; i < schema->header.num_desc; i++) {
		if (!strcmp(schema->stat[i].name, name))
			return &schema->stat[i];
	}
	return NULL;
}
