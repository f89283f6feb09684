// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read from random offsets, with random sizes, into random buffers, some of which fault, and
 * compare with a model: an array that has the contents of the file.
 */
#include "fake.h"
#include "tap.h"

#include <stdlib.h>

#define READS		200000
#define MOST_BUFFERS	5
#define LARGEST_FILE	65536
#define UNTOUCHED	0xa5

struct model {
	const char *name;
	struct kvm_stats_source *source;
	void *values;
	size_t values_size;
	const char *id;
	size_t size;
	struct file *file;
	u8 bytes[LARGEST_FILE];
};

/* The buffers of one read, which are consecutive in memory, with gaps between them. */
struct request {
	loff_t pos;
	int num;
	struct iovec iov[MOST_BUFFERS];
	size_t size;
	size_t used;		/* bytes of memory, with the gaps */
	const u8 *end;		/* the end of user memory, or NULL */
	bool simple;		/* pread() into one buffer, instead of preadv() */
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

static bool header_is_right(const struct model *model)
{
	const struct kvm_stats_header *header = (const void *)model->bytes;

	return model->size == header->data_offset + model->values_size &&
	       header->data_offset == header->desc_offset + header->num_desc * 64 &&
	       !strcmp((const char *)model->bytes + header->id_offset, model->id) &&
	       !memcmp(model->bytes + header->data_offset, model->values, model->values_size);
}

static bool create_model(struct model *model)
{
	struct iovec iov = { .iov_base = model->bytes, .iov_len = LARGEST_FILE };
	size_t i;

	for (i = 0; i < model->values_size; i++)
		((u8 *)model->values)[i] = 1 + i % 251;
	model->file = open_stats(model->source);
	model->size = preadv_file(model->file, &iov, 1, 0);
	return header_is_right(model);
}

/* ---- requests ---- */

static void add_buffer(struct request *request, size_t limit)
{
	struct iovec *iov = &request->iov[request->num++];

	request->used += random_size(64);
	iov->iov_base = memory + request->used;
	iov->iov_len = random_size(limit);
	request->used += iov->iov_len;
	request->size += iov->iov_len;
}

static void create_request(const struct model *model, struct request *request)
{
	int i, num = 1 + random_below(MOST_BUFFERS);

	*request = (struct request) { .simple = num == 1 && random() % 2 };
	request->pos = model->size - random_size(model->size + 1);
	if (!random_below(50))
		request->pos += random();
	for (i = 0; i < num; i++)
		add_buffer(request, random() % 2 ? 300 : model->size / num + 100);
	if (!random_below(4))
		request->end = memory + random_below(request->used + 1);
	memset(memory, UNTOUCHED, request->used + 64);
}

static ssize_t expected_result(const struct model *model, const struct request *request)
{
	size_t in_file = request->pos < model->size ? model->size - request->pos : 0;
	size_t left = min(in_file, request->size), wanted = left, copied = 0;
	int i;

	for (i = 0; i < request->num; i++) {
		const u8 *start = request->iov[i].iov_base;
		size_t part = min(left, request->iov[i].iov_len);
		size_t accessible = part;

		if (request->end)
			accessible = start < request->end ? min(part, request->end - start) : 0;
		copied += accessible;
		left -= part;
		if (accessible < part)
			break;
	}
	return wanted && !copied ? -EFAULT : copied;
}

/* The bytes in the buffers must equal the file, and no other byte may change. */
static bool memory_is_right(const struct model *model, const struct request *request,
			    size_t copied)
{
	const u8 *expected = model->bytes + request->pos, *byte = memory;
	int i;

	for (i = 0; i < request->num; i++) {
		size_t part = min(copied, request->iov[i].iov_len);

		while (byte < (u8 *)request->iov[i].iov_base)
			if (*byte++ != UNTOUCHED)
				return false;
		if (memcmp(byte, expected, part))
			return false;
		byte += part;
		expected += part;
		copied -= part;
	}
	while (byte < memory + request->used + 64)
		if (*byte++ != UNTOUCHED)
			return false;
	return true;
}

static ssize_t read_request(const struct model *model, const struct request *request)
{
	ssize_t result;

	set_user_end(request->end);
	if (request->simple)
		result = pread_file(model->file, request->iov[0].iov_base, request->size,
				    request->pos);
	else
		result = preadv_file(model->file, request->iov, request->num, request->pos);
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
	snprintf(text, sizeof(text), "%s of %zu bytes at %lld, %d buffers, %s: %zd, expected %zd%s",
		 request.simple ? "pread" : "preadv", request.size, (long long)request.pos,
		 request.num, request.end ? "faults" : "no fault", result, expected,
		 result == expected ? ", wrong bytes" : "");
	return false;
}

static void test_file(struct model *model)
{
	int reads = 0;

	if (!create_model(model)) {
		tap_ok(false, "%s: header, id and values are those of the fake %s", model->name,
		       model->name);
		return;
	}
	tap_ok(true, "%s: header, id and values are those of the fake %s", model->name,
	       model->name);
	while (reads < READS && read_at_random(model))
		reads++;
	tap_ok(reads == READS, "%s: random reads return what a regular file would return",
	       model->name);
	if (reads < READS)
		printf("# read %d: %s\n", reads, text);
}

int main(void)
{
	static char vm_id[48], vcpu_id[48];
	static struct model models[] = {
		{ "VM", &vm.stats_source, &vm.stat, sizeof(vm.stat), vm_id },
		{ "vCPU", &vcpu.stats_source, &vcpu.stat, sizeof(vcpu.stat), vcpu_id },
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(vm_id, sizeof(vm_id), "kvm-%d", getpid());
	snprintf(vcpu_id, sizeof(vcpu_id), "kvm-%d/vcpu-%d", getpid(), vcpu.vcpu_id);
	open_stats(&vm.stats_source);
	srandom(1);
	test_file(&models[0]);
	test_file(&models[1]);
	return tap_end();
}
