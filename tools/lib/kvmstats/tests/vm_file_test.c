// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Test reading files that contain a VM and all its vCPUs. */
#include <errno.h>

#include "internal.h"
#include "tap.h"
#include "vm_file.h"
#include "vm_image.h"

#define MANY_VCPUS	100

static struct kvmstats_file *open_image(const struct vm_image *image, int *fd)
{
	struct kvmstats_file *file;

	*fd = vm_image_fd(image);
	if (!kvmstats_file_new(&file, *fd))
		return file;
	close(*fd);
	return NULL;
}

static void test_description(const struct vm_image *image)
{
	const struct kvmstats_schema *vm, *vcpu;
	struct kvmstats_sample *sample;
	struct kvmstats_file *file;
	int fd;

	file = open_image(image, &fd);
	if (!tap_ok(file, "a file with vCPUs is described"))
		return;
	vm = kvmstats_file_schema(file, KVMSTATS_KIND_VM);
	vcpu = kvmstats_file_schema(file, KVMSTATS_KIND_VCPU);
	tap_is(kvmstats_file_vm(file), VM_IMAGE_NUMBER, "the VM has its number");
	tap_is(kvmstats_file_record_size(file), 32, "the record size is that of the file");
	tap_ok(kvmstats_schema_count(vm) == 2 && kvmstats_schema_find(vm, "flushes") &&
	       !kvmstats_schema_find(vm, "exits"), "the VM has its own statistics");
	tap_ok(kvmstats_schema_count(vcpu) == 2 && kvmstats_schema_find(vcpu, "exits") &&
	       !kvmstats_schema_find(vcpu, "pages"), "the vCPUs have their own statistics");
	tap_is(kvmstats_schema_flags(vm), KVM_STATS_HEADER_VCPUS,
	       "the flag of the header is reported");
	tap_is(kvmstats_file_vcpus(file), 0, "before the first read no vCPU is known");
	kvmstats_sample_new(&sample, vm);
	tap_is(kvmstats_file_vm_sample(file, sample), -ENODATA,
	       "before the first read there are no values");
	kvmstats_sample_free(sample);
	kvmstats_file_free(file);
	kvmstats_file_free(NULL);
	close(fd);
}

/* Returns value @n of vCPU @i, or of the VM if @i is -1, or an error. */
static int64_t value_of(const struct kvmstats_file *file, int i, size_t n)
{
	const struct kvmstats_schema *schema =
		kvmstats_file_schema(file, i < 0 ? KVMSTATS_KIND_VM : KVMSTATS_KIND_VCPU);
	struct kvmstats_sample *sample;
	uint64_t value = 0;
	int err = kvmstats_sample_new(&sample, schema);

	if (!err)
		err = i < 0 ? kvmstats_file_vm_sample(file, sample) :
			      kvmstats_file_vcpu_sample(file, (size_t)i, sample);
	if (!err)
		err = kvmstats_sample_value(sample, kvmstats_schema_stat(schema, n), 0, &value);
	kvmstats_sample_free(sample);
	return err ? err : (int64_t)value;
}

static void test_read(const struct vm_image *image)
{
	struct kvmstats_sample *sample;
	struct kvmstats_file *file;
	int fd;

	file = open_image(image, &fd);
	tap_is(kvmstats_file_read(file, fd), 0, "the file is read");
	tap_is(kvmstats_file_vcpus(file), VM_IMAGE_VCPUS, "all vCPUs are found");
	tap_is(kvmstats_file_vcpu(file, 2), 20, "a vCPU has its ID");
	tap_is(kvmstats_file_vcpu(file, 3), -ERANGE, "a vCPU that does not exist has no ID");
	tap_ok(value_of(file, -1, 0) == 1000 && value_of(file, -1, 1) == 1001,
	       "the values of the VM are found");
	tap_ok(value_of(file, 0, 0) == 0 && value_of(file, 1, 1) == 101 &&
	       value_of(file, 2, 0) == 200, "the values of each vCPU are found");
	tap_is(value_of(file, 3, 0), -ERANGE, "a vCPU that does not exist has no values");
	kvmstats_sample_new(&sample, kvmstats_file_schema(file, KVMSTATS_KIND_VM));
	tap_is(kvmstats_file_vcpu_sample(file, 0, sample), -EINVAL,
	       "the values of a vCPU are not copied to a sample of a VM");
	kvmstats_sample_free(sample);
	kvmstats_file_free(file);
	close(fd);
}

static void append_vcpu(int fd, int i)
{
	struct vm_image_record record = { .record.vcpu_id = i, .value = { i, 2 * i } };

	if (pwrite(fd, &record, sizeof(record), offsetof(struct vm_image, record) +
		   (off_t)sizeof(record) * i) != sizeof(record))
		exit(1);
}

static void test_growth(const struct vm_image *image)
{
	struct kvmstats_file *file;
	int fd, i;

	file = open_image(image, &fd);
	kvmstats_file_read(file, fd);
	for (i = VM_IMAGE_VCPUS; i < MANY_VCPUS; i++)
		append_vcpu(fd, i);
	tap_is(kvmstats_file_read(file, fd), 0, "a file that has grown is read");
	tap_is(kvmstats_file_vcpus(file), MANY_VCPUS, "new vCPUs are found");
	tap_is(value_of(file, MANY_VCPUS - 1, 1), 2 * (MANY_VCPUS - 1),
	       "the values of the last vCPU are found");
	kvmstats_file_free(file);
	close(fd);
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

static void test_shared_schemas(struct vm_image *image)
{
	struct kvmstats_schemas schemas = { 0 };
	struct kvmstats_file *a, *b;
	int fd = vm_image_fd(image), other;

	image->vcpus.vm++;
	other = vm_image_fd(image);
	image->vcpus.vm--;
	kvmstats_file_new_shared(&a, fd, &schemas);
	kvmstats_file_new_shared(&b, other, &schemas);
	tap_is(schemas.count, 2, "two VMs share the schemas of VMs and of vCPUs");
	tap_ok(kvmstats_file_schema(a, KVMSTATS_KIND_VCPU) ==
	       kvmstats_file_schema(b, KVMSTATS_KIND_VCPU), "their vCPUs have the same schema");
	kvmstats_file_free(a);
	kvmstats_file_free(b);
	kvmstats_schemas_free(&schemas);
	close(fd);
	close(other);
}

/* ---- damaged files ---- */

static int error_of(const struct vm_image *image, size_t size)
{
	int fd = bytes_fd((const unsigned char *)image, size);
	struct kvmstats_file *file;
	int err = kvmstats_file_new(&file, fd);

	if (!err)
		err = kvmstats_file_read(file, fd);
	kvmstats_file_free(file);
	close(fd);
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
	test_description(&image);
	test_read(&image);
	test_growth(&image);
	test_mainline_reader(&image);
	test_shared_schemas(&image);
	test_damage(&image);
	test_names_and_ids(&image);
	test_truncated(&image);
	return tap_end();
}
