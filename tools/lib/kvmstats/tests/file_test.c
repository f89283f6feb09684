// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test samples, their growth, and files that contain a VM and all its vCPUs. */
#include "image.h"
#include "internal.h"
#include "tap.h"

#define MANY_VCPUS	100

/* ---- samples ---- */

static const struct kvmstats_desc descs[] = {
	{ .name = "counter", .size = 1 },
	{ .name = "instant", .type = KVMSTATS_TYPE_INSTANT, .size = 1 },
	{ .name = "peak", .type = KVMSTATS_TYPE_PEAK, .size = 1 },
	{ .name = "hist", .type = KVMSTATS_TYPE_LINEAR_HIST, .size = 4, .bucket_size = 10 },
};

#define VALUES	7	/* of all statistics */

static void test_read(void)
{
	struct kvmstats_schema *schema;
	struct kvmstats_sample *sample;
	const struct kvmstats_stat *stat;
	struct image image;
	uint64_t value = 0;
	int fd;

	image_init(&image);
	image_add(&image, "counter", KVM_STATS_TYPE_CUMULATIVE, 0, 1, 0);
	image_add(&image, "hist", KVM_STATS_TYPE_LINEAR_HIST, 0, 4, 10);
	image.data[0] = UINT64_MAX;
	image.data[4] = 42;
	fd = image_fd(&image);
	kvmstats_schema_read(&schema, fd);
	kvmstats_sample_new(&sample, schema);
	stat = kvmstats_schema_find(schema, "counter");
	tap_is(kvmstats_sample_value(sample, stat, 0, &value), -ENODATA,
	       "a value of an empty sample returns ENODATA");
	tap_is(kvmstats_sample_time(sample), 0, "an empty sample has time 0");
	tap_is(kvmstats_sample_read(sample, fd), 0, "a sample is read");
	tap_ok(kvmstats_sample_time(sample) > 0, "a sample that was read has a time");
	kvmstats_sample_value(sample, stat, 0, &value);
	tap_ok(value == UINT64_MAX, "the largest 64-bit value is returned unchanged");
	kvmstats_sample_value(sample, kvmstats_schema_find(schema, "hist"), 3, &value);
	tap_is(value, 42, "the last value of a histogram is returned");
	tap_is(kvmstats_sample_value(sample, stat, 1, &value), -ERANGE,
	       "a value after the last one returns ERANGE");
	if (ftruncate(fd, image.header.data_offset + 8))
		perror("# ftruncate");
	tap_is(kvmstats_sample_read(sample, fd), -EPROTO,
	       "reading a file that has shrunk returns EPROTO");
	tap_is(kvmstats_sample_value(sample, stat, 0, &value), -ENODATA,
	       "the sample is empty after a failed read");
	kvmstats_sample_free(sample);
	kvmstats_schema_free(schema);
	close(fd);
}

static void test_set(void)
{
	static const uint64_t values[VALUES] = { 10, 0, 0, 1, 2, 3, 4 };
	struct kvmstats_schema *schema, *other;
	struct kvmstats_sample *sample;
	const uint64_t *found;
	uint64_t value;

	kvmstats_schema_make(&schema, descs, ARRAY_SIZE(descs), sizeof(*descs));
	kvmstats_schema_make(&other, descs, 1, sizeof(*descs));
	kvmstats_sample_new(&sample, schema);
	tap_ok(!kvmstats_sample_values(sample, kvmstats_schema_stat(schema, 0)),
	       "an empty sample has no values");
	tap_is(kvmstats_sample_set(sample, values, VALUES - 1, 1), -EINVAL,
	       "setting too few values returns EINVAL");
	tap_is(kvmstats_sample_set(sample, values, VALUES, 0), -EINVAL,
	       "setting time 0 returns EINVAL");
	tap_is(kvmstats_sample_set(sample, values, VALUES, 1), 0, "values of a sample are set");
	found = kvmstats_sample_values(sample, kvmstats_schema_find(schema, "hist"));
	tap_ok(found && found[0] == 1 && found[3] == 4, "all values of a histogram are returned");
	tap_ok(!kvmstats_sample_values(sample, kvmstats_schema_stat(other, 0)),
	       "a statistic of another schema has no values");
	tap_is(kvmstats_sample_value(sample, kvmstats_schema_stat(other, 0), 0, &value), -EINVAL,
	       "a statistic of another schema returns EINVAL");
	kvmstats_sample_free(sample);
	kvmstats_schema_free(other);
	kvmstats_schema_free(schema);
}

/* The second sample is two seconds later. */
static const struct growth {
	const char *stat;
	unsigned int n;
	uint64_t before;
	uint64_t after;
	int err;
	uint64_t delta;
	const char *what;
} growths[] = {
	{ "counter", 0, 1000, 3500, 0, 2500, "a counter grows" },
	{ "counter", 0, UINT64_MAX - 1, UINT64_MAX, 0, 1, "a large counter grows" },
	{ "counter", 0, 3500, 3, -ESTALE, 0, "a counter was cleared" },
	{ "hist", 1, 5, 6, 0, 1, "a bucket grows" },
	{ "hist", 1, 6, 5, -ESTALE, 0, "a bucket was cleared" },
	{ "hist", 4, 0, 0, -ERANGE, 0, "a bucket does not exist" },
	{ "instant", 0, 1, 2, -EINVAL, 0, "an instantaneous value has no rate" },
	{ "peak", 0, 1, 2, -EINVAL, 0, "a peak value has no rate" },
};

static void test_growth(void)
{
	uint64_t before[VALUES], after[VALUES];
	struct kvmstats_sample *from, *to;
	struct kvmstats_schema *schema;
	size_t i, n;

	kvmstats_schema_make(&schema, descs, ARRAY_SIZE(descs), sizeof(*descs));
	kvmstats_sample_new(&from, schema);
	kvmstats_sample_new(&to, schema);
	for (i = 0; i < ARRAY_SIZE(growths); i++) {
		const struct growth *g = &growths[i];
		const struct kvmstats_stat *stat = kvmstats_schema_find(schema, g->stat);
		uint64_t delta = 0;
		double rate = 0;

		for (n = 0; n < VALUES; n++) {
			before[n] = g->before;
			after[n] = g->after;
		}
		kvmstats_sample_set(from, before, VALUES, SECOND);
		kvmstats_sample_set(to, after, VALUES, 3 * SECOND);
		tap_ok(kvmstats_delta(from, to, stat, g->n, &delta) == g->err &&
		       kvmstats_rate(from, to, stat, g->n, &rate) == g->err &&
		       delta == g->delta && rate * 2 == (double)g->delta,
		       "%s, found %llu, %f/s", g->what, (unsigned long long)delta, rate);
		if (!g->err)
			tap_is(kvmstats_rate(to, to, stat, g->n, &rate), -EAGAIN,
			       "samples of the same time have no rate");
	}
	kvmstats_sample_free(from);
	kvmstats_sample_free(to);
	kvmstats_schema_free(schema);
}

/* ---- files of a VM and its vCPUs ---- */

static struct kvmstats_schemas schemas;

/* Returns value @n of vCPU @i, or of the VM if @i is -1, or an error. */
static int64_t value_of(const struct kvmstats_file *file, ssize_t i, size_t n)
{
	const struct kvmstats_schema *schema = i < 0 ? file->vm : file->vcpu;
	struct kvmstats_sample *sample;
	uint64_t value = 0;
	int err = kvmstats_sample_new(&sample, schema);

	if (!err)
		err = kvmstats_file_sample(file, i, sample);
	if (!err)
		err = kvmstats_sample_value(sample, kvmstats_schema_stat(schema, n), 0, &value);
	kvmstats_sample_free(sample);
	return err ? err : (int64_t)value;
}

static void append_vcpu(int fd, int i)
{
	struct vm_image_record record = { .record.vcpu_id = i, .value = { i, 2 * i } };

	if (pwrite(fd, &record, sizeof(record), offsetof(struct vm_image, record) +
		   (off_t)sizeof(record) * i) != sizeof(record))
		exit(1);
}

static void test_file(const struct vm_image *image)
{
	struct kvmstats_file file, other;
	int i;

	tap_is(kvmstats_file_open(&file, vm_image_fd(image), &schemas), 0, "a file is opened");
	tap_is(file.layout.vm, VM_IMAGE_NUMBER, "the VM has its number");
	tap_ok(kvmstats_schema_count(file.vm) == 2 && kvmstats_schema_find(file.vm, "flushes"),
	       "the VM has its own statistics");
	tap_ok(kvmstats_schema_count(file.vcpu) == 2 && kvmstats_schema_find(file.vcpu, "exits"),
	       "the vCPUs have their own statistics");
	tap_is(value_of(&file, -1, 0), -ENODATA, "before the first read there are no values");
	tap_is(kvmstats_file_read(&file), 0, "the file is read");
	tap_is(file.vcpus, VM_IMAGE_VCPUS, "all vCPUs are found");
	tap_is(kvmstats_file_vcpu(&file, 2), 20, "a vCPU has its ID");
	tap_ok(value_of(&file, -1, 0) == 1000 && value_of(&file, -1, 1) == 1001,
	       "the values of the VM are found");
	tap_ok(value_of(&file, 0, 0) == 0 && value_of(&file, 1, 1) == 101 &&
	       value_of(&file, 2, 0) == 200, "the values of each vCPU are found");
	tap_is(value_of(&file, 3, 0), -ERANGE, "a vCPU that does not exist has no values");

	for (i = VM_IMAGE_VCPUS; i < MANY_VCPUS; i++)
		append_vcpu(file.fd, i);
	tap_is(kvmstats_file_read(&file), 0, "a file that has grown is read");
	tap_is(file.vcpus, MANY_VCPUS, "new vCPUs are found");
	tap_is(value_of(&file, MANY_VCPUS - 1, 1), 2 * (MANY_VCPUS - 1),
	       "the values of the last vCPU are found");

	kvmstats_file_open(&other, vm_image_fd(image), &schemas);
	tap_is(schemas.count, 2, "two VMs share the schemas of VMs and of vCPUs");
	kvmstats_file_close(&other);
	kvmstats_file_close(&file);
}

/* The first read and the last one use the same memory if no sample has it. */
static void test_kept_sample(const struct vm_image *image)
{
	struct kvmstats_sample *first, *last;
	struct kvmstats_file file;
	uint64_t value = 0, changed = 5;
	int i;

	kvmstats_file_open(&file, vm_image_fd(image), &schemas);
	kvmstats_sample_alloc(&first, file.vm, 0);
	kvmstats_sample_alloc(&last, file.vm, 0);
	kvmstats_file_read(&file);
	kvmstats_file_sample(&file, -1, first);
	if (pwrite(file.fd, &changed, sizeof(changed), offsetof(struct vm_image, value)) < 0)
		exit(1);
	for (i = 0; i < 3; i++)
		kvmstats_file_read(&file);
	kvmstats_file_sample(&file, -1, last);
	kvmstats_file_close(&file);
	kvmstats_sample_value(first, kvmstats_schema_stat(file.vm, 0), 0, &value);
	tap_is(value, 1000, "a sample keeps its values while the file is read again");
	kvmstats_sample_value(last, kvmstats_schema_stat(file.vm, 0), 0, &value);
	tap_is(value, 5, "a sample keeps its values after the file is closed");
	kvmstats_sample_clear(last);
	tap_is(kvmstats_sample_value(last, kvmstats_schema_stat(file.vm, 0), 0, &value), -ENODATA,
	       "a cleared sample has no values");
	kvmstats_sample_free(first);
	kvmstats_sample_free(last);
}

static void test_mainline_reader(const struct vm_image *image)
{
	struct kvmstats_schema *schema;
	struct kvmstats_sample *sample;
	int fd = vm_image_fd(image);
	uint64_t value = 0;

	tap_is(kvmstats_schema_read(&schema, fd), 0,
	       "a program that does not know the flag can read the schema of the VM");
	kvmstats_sample_new(&sample, schema);
	kvmstats_sample_read(sample, fd);
	kvmstats_sample_value(sample, kvmstats_schema_find(schema, "flushes"), 0, &value);
	tap_is(value, 1001, "and the values of the VM");
	kvmstats_sample_free(sample);
	kvmstats_schema_free(schema);
	close(fd);
}

/* ---- damaged files ---- */

static int error_of(const struct vm_image *image, size_t size)
{
	struct kvmstats_file file;
	int err = kvmstats_file_open(&file, bytes_fd((const unsigned char *)image, size), &schemas);

	if (!err)
		err = kvmstats_file_read(&file);
	kvmstats_file_close(&file);
	return err;
}

#define HEADER(field)	offsetof(struct vm_image, header.field)
#define VCPUS(field)	offsetof(struct vm_image, vcpus.field)
#define FILE_SIZE	sizeof(struct vm_image)

static const struct damage {
	size_t field;		/* its position, of 32 bits */
	uint32_t value;
	int err;
	const char *what;
} damages[] = {
	{ HEADER(flags), 0, -ENODATA, "without the flag" },
	{ HEADER(name_size), 0, -EPROTO, "with names without bytes" },
	{ HEADER(name_size), UINT32_MAX, -EOVERFLOW, "with huge names" },
	{ HEADER(num_desc), UINT32_MAX, -EOVERFLOW, "with too many statistics of the VM" },
	{ HEADER(num_desc), 4, -EPROTO, "with the descriptors of the VM over those of vCPUs" },
	{ HEADER(id_offset), 0, -EPROTO, "with the ID in the header" },
	{ HEADER(id_offset), UINT32_MAX, -EPROTO, "with the ID behind the end" },
	{ HEADER(desc_offset), 72, -EPROTO, "with the descriptors of the VM over the vCPUs' part" },
	{ HEADER(desc_offset), FILE_SIZE, -EPROTO, "with descriptors of the VM behind the end" },
	{ HEADER(data_offset), 7, -EPROTO, "with unaligned values of the VM" },
	{ HEADER(data_offset), FILE_SIZE, -EPROTO, "with the values of the VM behind the records" },
	{ HEADER(data_offset), 0, -EPROTO, "with the values of the VM in the header" },
	{ VCPUS(num_desc), UINT32_MAX, -EOVERFLOW, "with too many statistics of vCPUs" },
	{ VCPUS(num_desc), 3, -EPROTO, "with descriptors of vCPUs over the values" },
	{ VCPUS(desc_offset), 0, -EPROTO, "with descriptors of vCPUs over the header" },
	{ VCPUS(desc_offset), 104, -EPROTO, "with descriptors of vCPUs over those of the VM" },
	{ VCPUS(desc_offset), UINT32_MAX, -EPROTO, "with descriptors of vCPUs behind the end" },
	{ VCPUS(records_offset), 0, -EPROTO, "with records from the start" },
	{ VCPUS(records_offset), offsetof(struct vm_image, value) + 8, -EPROTO,
	  "with records over the values of the VM" },
	{ VCPUS(records_offset), offsetof(struct vm_image, record) + 4, -EPROTO,
	  "with unaligned records" },
	{ VCPUS(records_offset), UINT32_MAX - 7, -EOVERFLOW, "with records far behind the end" },
	{ VCPUS(record_size), 0, -EPROTO, "with records without bytes" },
	{ VCPUS(record_size), 8, -EPROTO, "with records that are too short" },
	{ VCPUS(record_size), 24, -EPROTO, "with records that are shorter than the values" },
	{ VCPUS(record_size), 36, -EPROTO, "with records of an unaligned size" },
	{ VCPUS(record_size), 40, -EPROTO, "with an incomplete last record" },
	{ VCPUS(record_size), UINT32_MAX - 7, -EOVERFLOW, "with huge records" },
	{ VCPUS(data_offset), 8, -EPROTO, "with values over the IDs of vCPUs" },
	{ VCPUS(data_offset), 20, -EPROTO, "with unaligned values of vCPUs" },
	{ VCPUS(data_offset), 24, -EPROTO, "with values beyond the end of a record" },
	{ VCPUS(data_offset), UINT32_MAX - 7, -EPROTO, "with values far beyond their record" },
};

static void test_damage(const struct vm_image *image)
{
	char name[96];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(damages); i++) {
		struct vm_image damaged = *image;

		memcpy((char *)&damaged + damages[i].field, &damages[i].value, sizeof(uint32_t));
		snprintf(name, sizeof(name), "a file %s is refused", damages[i].what);
		tap_is(error_of(&damaged, sizeof(damaged)), damages[i].err, name);
	}
}

static void test_names_and_ids(const struct vm_image *image)
{
	struct vm_image damaged = *image;

	damaged.vcpu_desc[1].name[0] = '\n';
	tap_is(error_of(&damaged, sizeof(damaged)), -EPROTO,
	       "a statistic of vCPUs whose name is not text is refused");
	damaged = *image;
	damaged.vcpu_desc[1].desc.offset = 16;
	tap_is(error_of(&damaged, sizeof(damaged)), -EPROTO,
	       "a statistic behind the end of the record is refused");
	damaged = *image;
	damaged.record[1].record.vcpu_id = UINT64_C(1) << 32;
	tap_is(error_of(&damaged, sizeof(damaged)), -EPROTO,
	       "an ID of a vCPU that is no int is refused");
}

/* A file can end after any record, and nowhere else. */
static void test_truncated(const struct vm_image *image)
{
	size_t records = offsetof(struct vm_image, record);
	int wrong = 0;
	size_t size;

	for (size = 0; size <= sizeof(*image); size++) {
		bool complete = size >= records && (size - records) % image->vcpus.record_size == 0;

		wrong += error_of(image, size) != (complete ? 0 : -EPROTO);
	}
	tap_is(wrong, 0, "a file that ends within a part is refused, whatever its size is");
}

int main(void)
{
	struct vm_image image;

	vm_image_init(&image);
	test_read();
	test_set();
	test_growth();
	test_file(&image);
	test_kept_sample(&image);
	test_mainline_reader(&image);
	test_damage(&image);
	test_names_and_ids(&image);
	test_truncated(&image);
	kvmstats_schemas_free(&schemas);
	return tap_end();
}
