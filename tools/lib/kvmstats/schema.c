// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/*
 * Schemas and their statistics: reads and checks the header and the descriptors of a statistics
 * file, and those of the vCPUs in a file that contains them.
 *
 * The file is untrusted: the fd can come from any process, and a later kernel can have
 * extensions that this library does not know. Offsets and sizes have 32 bits and are added with
 * 64 bits, so sums do not overflow.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* Limit the memory that a file can make the library allocate. No kernel comes close to them. */
#define MAX_NAME_SIZE	4096u	/* bytes, including the NUL */
#define MAX_DESC	65536u

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

/* ---- where a file has its parts ---- */

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

/* The descriptors of vCPUs have names of the same size as those of the VM. */
static struct range vcpu_desc_range(const struct kvm_stats_header *h,
				    const struct kvm_stats_vcpus *vcpus)
{
	uint64_t size = (uint64_t)vcpus->num_desc * desc_stride(h);

	return (struct range){ vcpus->desc_offset, vcpus->desc_offset + size };
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

/* The parts that do not change must be in front of the records, and not overlap. */
static int check_vcpus_position(const struct kvm_stats_header *h,
				const struct kvm_stats_vcpus *vcpus)
{
	const struct range range[] = {
		header_range(), id_range(h), vcpus_range(h), desc_range(h),
		vcpu_desc_range(h, vcpus), { h->data_offset, vcpus->records_offset },
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
	const struct range descs = vcpu_desc_range(h, vcpus);

	if (vcpus->num_desc > MAX_DESC || vcpus->record_size > KVMSTATS_MAX_BLOCK)
		return -EOVERFLOW;
	if (descs.end - descs.start > KVMSTATS_MAX_BLOCK)
		return -EOVERFLOW;
	if (vcpus->records_offset % 8 || vcpus->record_size % 8 || vcpus->data_offset % 8)
		return -EPROTO;
	if (vcpus->data_offset < sizeof(struct kvm_stats_record) ||
	    vcpus->data_offset > vcpus->record_size)
		return -EPROTO;
	return check_vcpus_position(h, vcpus);
}

int kvmstats_read_vcpus(int fd, struct kvm_stats_header *h, struct kvm_stats_vcpus *vcpus)
{
	int err = kvmstats_pread_all(fd, h, sizeof(*h), 0);

	if (!err)
		err = check_header(h);
	if (err)
		return err;
	if (!(h->flags & KVM_STATS_HEADER_VCPUS))
		return -ENODATA;
	err = kvmstats_pread_all(fd, vcpus, sizeof(*vcpus), vcpus_range(h).start);
	return err ? err : check_vcpus(h, vcpus);
}

static int check_data(const struct kvmstats_schema *schema, int fd)
{
	const struct kvm_stats_header *h = &schema->header;
	struct range data = { h->data_offset, h->data_offset + (uint64_t)schema->data_size };
	uint64_t last;	/* the last value, to check that the file contains it */

	if (!schema->data_size)
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

/* One byte and one element more, so that an empty schema does not allocate 0 bytes. */
static int alloc_descs(struct kvmstats_schema *schema, size_t desc_size, size_t count)
{
	schema->desc_size = desc_size;
	schema->desc = malloc(desc_size + 1);
	schema->stat = calloc(count + 1, sizeof(*schema->stat));
	return schema->desc && schema->stat ? 0 : -ENOMEM;
}

int kvmstats_schema_parse(struct kvmstats_schema **schemap, const void *descs, size_t count,
			  size_t desc_size)
{
	struct kvmstats_schema *schema;
	size_t i;
	int err;

	*schemap = NULL;
	if (count > MAX_DESC || desc_size > sizeof(struct kvm_stats_desc) + MAX_NAME_SIZE)
		return -EOVERFLOW;
	schema = calloc(1, sizeof(*schema));
	if (!schema)
		return -ENOMEM;
	schema->header.num_desc = (uint32_t)count;
	schema->header.name_size = (uint32_t)(desc_size - sizeof(struct kvm_stats_desc));
	err = alloc_descs(schema, count * desc_size, count);
	if (!err)
		memcpy(schema->desc, descs, schema->desc_size);
	for (i = 0; !err && i < count; i++)
		err = parse_desc(schema, i);
	if (err) {
		kvmstats_schema_free(schema);
		return err;
	}
	*schemap = schema;
	return 0;
}

static int check_id(const struct kvm_stats_header *h, int fd)
{
	char id[MAX_NAME_SIZE];
	int err = kvmstats_pread_all(fd, id, h->name_size, h->id_offset);

	return err || is_printable(id, h->name_size) ? err : -EPROTO;
}

int kvmstats_schema_read(struct kvmstats_schema **schemap, int fd)
{
	struct kvm_stats_header header;
	int err = kvmstats_pread_all(fd, &header, sizeof(header), 0);
	char *descs;
	size_t size;

	*schemap = NULL;
	if (!err)
		err = check_header(&header);
	if (!err)
		err = check_id(&header, fd);
	if (err)
		return err;
	size = header.num_desc * desc_stride(&header);
	descs = malloc(size + 1);
	if (!descs)
		return -ENOMEM;
	err = kvmstats_pread_all(fd, descs, size, header.desc_offset);
	if (!err)
		err = kvmstats_schema_parse(schemap, descs, header.num_desc, desc_stride(&header));
	free(descs);
	if (err)
		return err;
	(*schemap)->header = header;
	err = check_data(*schemap, fd);
	if (err) {
		kvmstats_schema_free(*schemap);
		*schemap = NULL;
	}
	return err;
}

void kvmstats_schema_free(struct kvmstats_schema *schema)
{
	if (!schema)
		return;
	free(schema->stat);
	free(schema->desc);
	free(schema);
}

size_t kvmstats_schema_count(const struct kvmstats_schema *schema)
{
	return schema->header.num_desc;
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

/* ---- schemas of statistics whose values do not come from a statistics fd ---- */

static int check_desc(const struct kvmstats_desc *desc)
{
	if (!desc->name || !*desc->name || !desc->size || desc->size > UINT16_MAX)
		return -EINVAL;
	if (desc->exponent < INT16_MIN || desc->exponent > INT16_MAX)
		return -EINVAL;
	if (!kvmstats_type_name(desc->type) || !kvmstats_unit_name(desc->unit) ||
	    !kvmstats_base_name(desc->base))
		return -EINVAL;
	return 0;
}

/*
 * Copies and checks descriptor @i of an array. Each has @size bytes, those of an earlier or a later
 * version of struct kvmstats_desc. A later one must not need what this version does not know.
 */
static int take_desc(struct kvmstats_desc *to, const void *descs, size_t i, size_t size)
{
	const char *from = (const char *)descs + i * size;
	size_t n;

	*to = (struct kvmstats_desc){ 0 };
	memcpy(to, from, size < sizeof(*to) ? size : sizeof(*to));
	for (n = sizeof(*to); n < size; n++) {
		if (from[n])
			return -E2BIG;
	}
	return check_desc(to);
}

static void add_stat(struct kvmstats_schema *schema, const struct kvmstats_desc *desc, char **names)
{
	struct kvmstats_stat *stat = &schema->stat[schema->header.num_desc++];

	*stat = (struct kvmstats_stat){
		.schema = schema,
		.name = strcpy(*names, desc->name),
		.flags = (uint32_t)desc->type << KVM_STATS_TYPE_SHIFT |
			 (uint32_t)desc->unit << KVM_STATS_UNIT_SHIFT |
			 (uint32_t)desc->base << KVM_STATS_BASE_SHIFT,
		.exponent = desc->exponent,
		.size = desc->size,
		.offset = (uint32_t)schema->data_size,
		.bucket_size = desc->bucket_size,
	};
	*names += strlen(desc->name) + 1;
	schema->data_size += desc->size * sizeof(uint64_t);
}

int kvmstats_schema_make(struct kvmstats_schema **schema, const struct kvmstats_desc *descs,
			 size_t count, size_t desc_size)
{
	struct kvmstats_desc desc;
	uint64_t values = 0;
	size_t names = 0;
	char *name;
	size_t i;

	*schema = NULL;
	/* The members behind @size have 0 as default. */
	if (count > UINT16_MAX || desc_size < offsetof(struct kvmstats_desc, bucket_size))
		return -EINVAL;
	for (i = 0; i < count; i++) {
		int err = take_desc(&desc, descs, i, desc_size);

		if (err)
			return err;
		names += strlen(desc.name) + 1;
		values += desc.size;
	}
	if (values * sizeof(uint64_t) > KVMSTATS_MAX_BLOCK)
		return -EOVERFLOW;

	*schema = calloc(1, sizeof(**schema));
	if (!*schema || alloc_descs(*schema, names, count)) {
		kvmstats_schema_free(*schema);
		*schema = NULL;
		return -ENOMEM;
	}
	name = (*schema)->desc;
	for (i = 0; i < count; i++) {
		take_desc(&desc, descs, i, desc_size);
		add_stat(*schema, &desc, &name);
	}
	return 0;
}

/* ---- names of types, units and bases ---- */

static const char * const type_names[] = {
	[KVMSTATS_TYPE_CUMULATIVE] = "cumulative",
	[KVMSTATS_TYPE_INSTANT] = "instant",
	[KVMSTATS_TYPE_PEAK] = "peak",
	[KVMSTATS_TYPE_LINEAR_HIST] = "linear-histogram",
	[KVMSTATS_TYPE_LOG_HIST] = "log2-histogram",
};

static const char * const unit_names[] = {
	[KVMSTATS_UNIT_NONE] = "none",
	[KVMSTATS_UNIT_BYTES] = "bytes",
	[KVMSTATS_UNIT_SECONDS] = "seconds",
	[KVMSTATS_UNIT_CYCLES] = "cycles",
	[KVMSTATS_UNIT_BOOLEAN] = "boolean",
};

static const char * const base_names[] = {
	[KVMSTATS_BASE_POW10] = "pow10",
	[KVMSTATS_BASE_POW2] = "pow2",
};

const char *kvmstats_type_name(unsigned int type)
{
	return type < ARRAY_SIZE(type_names) ? type_names[type] : NULL;
}

const char *kvmstats_unit_name(unsigned int unit)
{
	return unit < ARRAY_SIZE(unit_names) ? unit_names[unit] : NULL;
}

const char *kvmstats_base_name(unsigned int base)
{
	return base < ARRAY_SIZE(base_names) ? base_names[base] : NULL;
}

/* ---- statistics ---- */

#define FIELD(flags, name)	(((flags) & KVM_STATS_##name##_MASK) >> KVM_STATS_##name##_SHIFT)

const char *kvmstats_stat_name(const struct kvmstats_stat *stat)
{
	return stat->name;
}

uint32_t kvmstats_stat_flags(const struct kvmstats_stat *stat)
{
	return stat->flags;
}

unsigned int kvmstats_stat_type(const struct kvmstats_stat *stat)
{
	return FIELD(stat->flags, TYPE);
}

unsigned int kvmstats_stat_unit(const struct kvmstats_stat *stat)
{
	return FIELD(stat->flags, UNIT);
}

unsigned int kvmstats_stat_base(const struct kvmstats_stat *stat)
{
	return FIELD(stat->flags, BASE);
}

int kvmstats_stat_exponent(const struct kvmstats_stat *stat)
{
	return stat->exponent;
}

unsigned int kvmstats_stat_size(const struct kvmstats_stat *stat)
{
	return stat->size;
}

uint32_t kvmstats_stat_offset(const struct kvmstats_stat *stat)
{
	return stat->offset;
}

uint32_t kvmstats_stat_bucket_size(const struct kvmstats_stat *stat)
{
	return stat->bucket_size;
}

int kvmstats_stat_is_hist(const struct kvmstats_stat *stat)
{
	unsigned int type = kvmstats_stat_type(stat);

	return type == KVMSTATS_TYPE_LINEAR_HIST || type == KVMSTATS_TYPE_LOG_HIST;
}

static uint64_t log_bucket_min(unsigned int n)
{
	return n ? UINT64_C(1) << (n - 1) : 0;
}

static uint64_t linear_bucket_min(const struct kvmstats_stat *stat, unsigned int n)
{
	return (uint64_t)stat->bucket_size * n;
}

int kvmstats_stat_bucket(const struct kvmstats_stat *stat, unsigned int n,
			 uint64_t *min, uint64_t *max)
{
	bool open = n == stat->size - 1;

	if (!kvmstats_stat_is_hist(stat))
		return -EINVAL;
	if (n >= stat->size)
		return -ERANGE;

	if (kvmstats_stat_type(stat) == KVMSTATS_TYPE_LINEAR_HIST) {
		if (!stat->bucket_size)
			return -ERANGE;
		*min = linear_bucket_min(stat, n);
		*max = open ? UINT64_MAX : linear_bucket_min(stat, n + 1) - 1;
		return 0;
	}

	/* Bucket 64 counts values with bit 63 set, so there is no value for a later bucket. */
	if (n > 64)
		return -ERANGE;
	*min = log_bucket_min(n);
	*max = open || n == 64 ? UINT64_MAX : log_bucket_min(n + 1) - 1;
	return 0;
}
