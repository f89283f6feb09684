// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read from random offsets, with random sizes, into buffers some of which fault, and compare
 * with a model: an array that has the contents of the file.
 */
#include "fake.h"
#include "tap.h"

#include <stdlib.h>

#define READS		200000
#define LARGEST_FILE	65536
#define UNTOUCHED	0xa5

struct model {
	const char *name;
	bool of_vm;
	bool with_vcpus;
	int num_records;
	size_t size;
	struct file *file;
	u8 bytes[LARGEST_FILE];
};

struct request {
	loff_t pos;
	u8 *buf;
	size_t size;
	const u8 *end;		/* the end of user memory, or NULL */
};

static u8 memory[LARGEST_FILE * 2] __attribute__((aligned(64)));
static char text[200];

static size_t random_below(size_t limit)
{
	return limit ? (size_t)random() % limit : 0;
}

/* At least half of the sizes and offsets are multiples of 8, the size of a value. */
static size_t random_size(size_t limit)
{
	size_t size = random_below(limit);

	return random() % 2 ? size : size & ~7;
}

/* ---- the model ---- */

static void fill(void *values, size_t size, u8 first)
{
	size_t i;

	for (i = 0; i < size; i++)
		((u8 *)values)[i] = 1 + (first + i) % 251;
}

static void fill_values(void)
{
	int i;

	fill(&vm.stat, sizeof(vm.stat), 0);
	for (i = 0; i < NUM_VCPUS; i++)
		fill(&vm.vcpus[i]->stat, sizeof(vcpu.stat), 50 * (i + 1));
}

static bool id_is_right(const struct model *model, const char *id)
{
	char expected[48];

	snprintf(expected, sizeof(expected), model->of_vm ? "kvm-%d" : "kvm-%d/vcpu-%d", getpid(),
		 vcpu.vcpu_id);
	return !strcmp(id, expected);
}

static bool header_is_right(const struct model *model)
{
	const struct kvm_stats_header *header = (const void *)model->bytes;
	const void *values = model->of_vm ? (void *)&vm.stat : &vcpu.stat;
	size_t size = model->of_vm ? sizeof(vm.stat) : sizeof(vcpu.stat);

	return header->flags == (model->with_vcpus ? KVM_STATS_HEADER_VCPUS : 0) &&
	       header->name_size == 48 && header->id_offset == 24 &&
	       header->desc_offset == (model->with_vcpus ? 104 : 72) &&
	       id_is_right(model, (const char *)model->bytes + header->id_offset) &&
	       !memcmp(model->bytes + header->data_offset, values, size);
}

static bool plain_size_is_right(const struct model *model)
{
	const struct kvm_stats_header *header = (const void *)model->bytes;
	size_t size = model->of_vm ? sizeof(vm.stat) : sizeof(vcpu.stat);

	return header->data_offset == header->desc_offset + header->num_desc * 64 &&
	       model->size == header->data_offset + size;
}

static bool record_is_right(const u8 *bytes, const struct kvm_vcpu *vcpu)
{
	const struct kvm_stats_record *record = (const void *)bytes;

	return record->vcpu_id == vcpu->vcpu_id && !record->reserved &&
	       !memcmp(record + 1, &vcpu->stat, sizeof(vcpu->stat));
}

static bool vcpus_are_right(const struct model *model)
{
	const struct kvm_stats_header *header = (const void *)model->bytes;
	const struct kvm_stats_vcpus *vcpus = (const void *)(model->bytes + 72);
	int i;

	for (i = 0; i < model->num_records; i++)
		if (!record_is_right(model->bytes + vcpus->records_offset +
				     i * vcpus->record_size, vm.vcpus[i]))
			return false;
	return !vcpus->vm && !vcpus->reserved && vcpus->data_offset == 16 &&
	       vcpus->desc_offset == header->desc_offset + header->num_desc * 64 &&
	       header->data_offset == vcpus->desc_offset + vcpus->num_desc * 64 &&
	       vcpus->records_offset == header->data_offset + sizeof(vm.stat) &&
	       vcpus->record_size == 16 + sizeof(vcpu.stat) &&
	       model->size == vcpus->records_offset + model->num_records * vcpus->record_size;
}

static bool create_model(struct model *model)
{
	model->file = model->of_vm ? open_vm(model->with_vcpus, model->num_records) : open_vcpu();
	fill_values();
	model->size = pread_file(model->file, model->bytes, LARGEST_FILE, 0);
	return header_is_right(model) &&
	       (model->with_vcpus ? vcpus_are_right(model) : plain_size_is_right(model));
}

/* ---- requests ---- */

static void create_request(const struct model *model, struct request *request)
{
	*request = (struct request) { .buf = memory + random_size(64) };
	request->size = random_size(random() % 2 ? 300 : model->size + 100);
	request->pos = model->size - random_size(model->size + 1);
	if (!random_below(3))
		request->pos &= ~7;
	if (!random_below(50))
		request->pos += random();
	if (!random_below(4))
		request->end = request->buf + random_below(request->size + 1);
	memset(memory, UNTOUCHED, request->size + 128);
}

static ssize_t expected_result(const struct model *model, const struct request *request)
{
	size_t in_file = request->pos < model->size ? model->size - request->pos : 0;
	size_t wanted = min(in_file, request->size), accessible = wanted;

	if (request->end)
		accessible = min(wanted, (size_t)(request->end - request->buf));
	return wanted && !accessible ? -EFAULT : accessible;
}

/* The bytes in the buffer must equal the file, and no other byte may change. */
static bool memory_is_right(const struct model *model, const struct request *request,
			    size_t copied)
{
	const u8 *expected = model->bytes + request->pos, *byte;

	for (byte = memory; byte < request->buf; byte++)
		if (*byte != UNTOUCHED)
			return false;
	if (memcmp(byte, expected, copied))
		return false;
	for (byte += copied; byte < memory + request->size + 128; byte++)
		if (*byte != UNTOUCHED)
			return false;
	return true;
}

static ssize_t read_request(const struct model *model, const struct request *request)
{
	ssize_t result;

	set_user_end(request->end);
	result = pread_file(model->file, request->buf, request->size, request->pos);
	set_user_end(NULL);
	return result;
}

static bool read_at_random(const struct model *model)
{
	struct request request;
	ssize_t expected, result;

	create_request(model, &request);
	expected = expected_result(model, &request);
	result = read_request(model, &request);
	if (result == expected && memory_is_right(model, &request, result > 0 ? result : 0))
		return true;
	snprintf(text, sizeof(text), "pread of %zu bytes at %lld, %s: %zd, expected %zd%s",
		 request.size, (long long)request.pos, request.end ? "faults" : "no fault", result,
		 expected, result == expected ? ", wrong bytes" : "");
	return false;
}

static void test_file(struct model *model)
{
	bool right = create_model(model);
	int reads = 0;

	tap_ok(right, "%s: the parts of the file are those of the fake VM", model->name);
	if (!right)
		return;
	while (reads < READS && read_at_random(model))
		reads++;
	tap_ok(reads == READS, "%s: random reads return what a regular file would return",
	       model->name);
	if (reads < READS)
		printf("# read %d: %s\n", reads, text);
}

/* A reader that does not know the flag of the header finds what the plain file has. */
static void test_plain_reader(const struct model *plain, const struct model *with_vcpus)
{
	const struct kvm_stats_header *a = (const void *)plain->bytes;
	const struct kvm_stats_header *b = (const void *)with_vcpus->bytes;

	tap_ok(a->num_desc == b->num_desc && a->name_size == b->name_size &&
	       !memcmp(plain->bytes + a->id_offset, with_vcpus->bytes + b->id_offset, 48) &&
	       !memcmp(plain->bytes + a->desc_offset, with_vcpus->bytes + b->desc_offset,
		       a->num_desc * 64) &&
	       !memcmp(plain->bytes + a->data_offset, with_vcpus->bytes + b->data_offset,
		       sizeof(vm.stat)),
	       "the header of a file with vCPUs describes the VM as that of the plain file");
}

int main(void)
{
	static struct model models[] = {
		{ "vCPU", false },
		{ "VM", true },
		{ "VM without vCPUs", true, true, 0 },
		{ "VM with 1 vCPU", true, true, 1 },
		{ "VM with 3 vCPUs", true, true, 3 },
	};
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	srandom(1);
	for (i = 0; i < ARRAY_SIZE(models); i++)
		test_file(&models[i]);
	test_plain_reader(&models[1], &models[4]);
	return tap_end();
}
