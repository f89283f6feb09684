// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bytes of a sample: its files, and its pass as runs of words. kvm-stats-record(1) describes
 * them. Texts are not coded, because what zstd makes of them is hardly larger than a difference.
 */
#include <stdlib.h>
#include <string.h>

#include "host_format.h"
#include "record/sample.h"

#define WORD	sizeof(uint64_t)

/* ---- numbers ---- */

static void put_number(struct bytes *to, uint64_t number)
{
	unsigned char byte[10];
	size_t n = 0;

	for (; number > 0x7f; number >>= 7)
		byte[n++] = (unsigned char)(number | 0x80);
	byte[n++] = (unsigned char)number;
	bytes_add(to, byte, n);
}

static uint64_t fold(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold(uint64_t number)
{
	return number >> 1 ^ (number & 1 ? UINT64_MAX : 0);
}

/* What is left to decode */
struct input {
	const unsigned char *at, *end;
	bool failed;
};

static uint64_t get_number(struct input *input)
{
	uint64_t number = 0;
	unsigned int shift;

	for (shift = 0; shift < 64 && input->at < input->end; shift += 7) {
		number |= (uint64_t)(*input->at & 0x7f) << shift;
		if (!(*input->at++ & 0x80))
			return number;
	}
	input->failed = true;
	return 0;
}

static uint64_t get_word(const char *at, bool swapped)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return swapped ? __builtin_bswap64(word) : word;
}

/* ---- passes ---- */

/* Returns the size of the record at @at, or of all that follows if that is not one. */
static size_t record_size(const struct bytes *pass, size_t at)
{
	const struct kvm_host_record *record = (const void *)(pass->data + at);
	size_t left = pass->size - at, size;

	if (left < sizeof(*record))
		return left;
	size = pass_is_swapped(pass) ? __builtin_bswap32(record->size) : record->size;
	return size >= sizeof(*record) && size <= left && size % WORD == 0 ? size : left;
}

/* Whether the records are of the same VM, vCPU or VMM: the words that differ can have any value. */
static bool is_alike(const char *a, const char *b, size_t size)
{
	const struct kvm_host_vcpu *x = (const void *)a, *y = (const void *)b;

	if (size < sizeof(*x) || x->record.type != y->record.type || x->record.vm != y->record.vm)
		return false;
	/* Where a vCPU has its ID, a VM has the start of its process, and names have the PID. */
	return x->record.type == KVM_HOST_END || x->vcpu_id == y->vcpu_id;
}

/* Returns where the pass has such a record from @at to @end, or SIZE_MAX. */
static size_t find_alike(const struct bytes *pass, size_t at, size_t end, const char *record,
			 size_t size)
{
	size_t its_size;

	for (; at < end; at += its_size) {
		its_size = record_size(pass, at);
		if (its_size == size && is_alike(pass->data + at, record, size))
			return at;
	}
	return SIZE_MAX;
}

/* It is usually the one after the last one that was found, which ends at @from. */
static void encode_record(struct bytes *to, const char *record, size_t size,
			  const struct bytes *before, size_t *from)
{
	size_t at = find_alike(before, *from, before->size, record, size), i;
	bool swapped = pass_is_swapped(before);

	if (at == SIZE_MAX)
		at = find_alike(before, 0, *from, record, size);
	put_number(to, 2 * (size / WORD) + (at != SIZE_MAX));
	if (at == SIZE_MAX) {
		bytes_add(to, record, size);
		return;
	}
	put_number(to, fold(at / WORD - *from / WORD));
	for (i = 0; i < size; i += WORD)
		put_number(to, fold(get_word(record + i, swapped) -
				    get_word(before->data + at + i, swapped)));
	*from = at + size;
}

void sample_encode(struct bytes *to, const struct sample *sample, const struct bytes *before)
{
	const struct bytes *pass = &sample->pass;
	size_t at, size, from = 0;

	bytes_add(to, sample->files.data, sample->files.size);
	bytes_add(to, "", 1);
	for (at = 0; at < pass->size; at += size) {
		size = record_size(pass, at);
		encode_record(to, pass->data + at, size, before, &from);
	}
}

static void decode_run(struct input *input, struct bytes *pass, const struct bytes *before,
		       uint64_t *from)
{
	bool swapped = pass_is_swapped(before);
	uint64_t number = get_number(input), words = number / 2;
	bool is_growth = number & 1;
	size_t size = words * WORD;
	char *to;

	if (is_growth)
		*from += unfold(get_number(input));
	/* Each word of growth has at least one byte. */
	if (words > (size_t)(input->end - input->at) / (is_growth ? 1 : WORD) ||
	    (is_growth && (*from > before->size / WORD || words > before->size / WORD - *from)) ||
	    pass->size + size > MAX_SAMPLE)
		input->failed = true;
	to = input->failed || !size ? NULL : bytes_extend(pass, size);
	if (!to)
		return;
	if (!is_growth) {
		memcpy(to, input->at, size);
		input->at += size;
		return;
	}
	for (; words--; ++*from, to += WORD) {
		uint64_t word = get_word(before->data + *from * WORD, swapped);

		word += unfold(get_number(input));
		word = swapped ? __builtin_bswap64(word) : word;
		memcpy(to, &word, sizeof(word));
	}
}

/* ---- files ---- */

/* Returns the next string, or NULL. */
static const char *get_string(struct input *input)
{
	const char *text = (const char *)input->at;
	const char *end = memchr(text, '\0', (size_t)(input->end - input->at));

	if (end)
		input->at = (const unsigned char *)end + 1;
	input->failed |= !end;
	return end ? text : NULL;
}

bool sample_decode(struct sample *sample, const struct bytes *before, const void *data, size_t size)
{
	struct input input = { .at = data, .end = (const unsigned char *)data + size };
	const char *path, *text;
	uint64_t from = 0;

	sample_clear(sample);
	while ((path = get_string(&input)) && *path) {
		text = get_string(&input);
		if (text)
			sample_add_file(sample, path, text);
	}
	while (input.at < input.end && !input.failed && !sample->pass.failed)
		decode_run(&input, &sample->pass, before, &from);
	return !input.failed && !sample_failed(sample);
}
