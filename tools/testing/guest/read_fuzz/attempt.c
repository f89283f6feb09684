// SPDX-License-Identifier: GPL-2.0-only
/* Choose offset, length and buffer of a read at random, and check what the read returned. */
#define _GNU_SOURCE
#include "read_fuzz/read_fuzz.h"

#define FILL		0xa5

/* The pages to read into. The page after them is inaccessible. */
static uint8_t *area;
static size_t area_size;

const char *map_area(size_t file_size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	area_size = (file_size + 256 + page - 1) / page * page;
	area = mmap(NULL, area_size + page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || mprotect(area + area_size, page, PROT_NONE))
		return stats_fail("mmap: %s", strerror(errno));
	return NULL;
}

/*
 * Returns the maximum that the read may return, and stores the minimum. They differ if the read
 * faults, because the kernel may lose the last bytes before the inaccessible page.
 */
static size_t expected_size(const struct attempt *attempt, size_t *min)
{
	size_t size = attempt->target->file.size;
	size_t left = attempt->offset < size ? size - attempt->offset : 0;
	size_t max = left < attempt->len ? left : attempt->len;

	*min = max;
	if (max <= attempt->writable)
		return max;
	*min = attempt->writable < STATS_COPY_UNIT ? 0 :
	       attempt->writable - (STATS_COPY_UNIT - 1);
	return attempt->writable;
}

static size_t random_near(size_t boundary)
{
	size_t off = random_below(19);

	return boundary + 9 > off ? boundary + 9 - off : 0;
}

/* In a file with vCPUs, the start of a record or the end of the file. */
static size_t random_record(const struct stats_file *file)
{
	struct kvm_stats_vcpus vcpus;

	if (!(file->header.flags & KVM_STATS_HEADER_VCPUS))
		return file->size;
	memcpy(&vcpus, file->bytes + STATS_DESC_OFFSET, sizeof(vcpus));
	return vcpus.records_offset + vcpus.record_size *
	       random_below((file->size - vcpus.records_offset) / vcpus.record_size + 1);
}

static size_t random_offset(const struct stats_file *file)
{
	size_t desc = sizeof(struct kvm_stats_desc) + file->header.name_size;
	size_t record = random_record(file);
	const size_t boundaries[] = {
		0, STATS_HEADER_SIZE, STATS_DESC_OFFSET,
		STATS_DESC_OFFSET + desc * random_below(file->header.num_desc),
		file->header.data_offset,
		file->header.data_offset + 8 * random_below(32),
		file->header.data_offset + 256, record, record + 16, file->size,
	};

	switch (random_below(4)) {
	case 0:
		return random_below(file->size + 100);
	case 1:
		return boundaries[random_below(ARRAY_SIZE(boundaries))];
	default:
		return random_near(boundaries[random_below(ARRAY_SIZE(boundaries))]);
	}
}

static size_t random_length(const struct stats_file *file, size_t offset)
{
	size_t left = offset < file->size ? file->size - offset : 0;
	const size_t boundaries[] = { 0, 8, 64, 128, 256, 512, 1024, left, left + 8 };
	size_t len = boundaries[random_below(ARRAY_SIZE(boundaries))];

	switch (random_below(4)) {
	case 0:
		len = random_below(left + 100);
		break;
	case 1:
		len = random_near(len);
		break;
	case 2:
		len = 8 * random_below(left / 8 + 2);
		break;
	}
	return len < area_size ? len : area_size;
}

void make_attempt(struct attempt *attempt, const struct stats_target *target)
{
	*attempt = (struct attempt){ .target = target };
	attempt->offset = random_offset(&target->file);
	attempt->len = random_length(&target->file, attempt->offset);
	attempt->writable = attempt->len;
	if (attempt->len && !random_below(4))
		attempt->writable = random_below(attempt->len);
	else if (attempt->len < area_size - 16 && random_below(2))
		attempt->writable = attempt->len + random_below(16);
	memset(area, FILL, area_size);
}

/* Returns the buffer. Its first @writable bytes are before the inaccessible page. */
uint8_t *attempt_buf(const struct attempt *attempt)
{
	return area + area_size - attempt->writable;
}

static const char *check_area(const struct attempt *attempt, size_t got)
{
	const uint8_t *buf = attempt_buf(attempt);
	size_t min, max = expected_size(attempt, &min), i;
	const char *message;

	message = stats_same(attempt->target, buf, got, attempt->offset, got);
	if (message)
		return message;
	for (i = 0; i < (size_t)(buf - area); i++)
		if (area[i] != FILL)
			return stats_fail("the read overwrites byte %zu before the buffer",
					  buf - area - i);
	/* A copy that faults may have stored more bytes than it returned. */
	for (i = max; i < attempt->writable; i++)
		if (buf[i] != FILL)
			return stats_fail("the read overwrites byte %zu, after the data",
					  i);
	return NULL;
}

const char *check_attempt(const struct attempt *attempt, long got)
{
	size_t min, max = expected_size(attempt, &min);
	const char *what = "";
	const char *message;

	if (got < 0 && errno == EFAULT && !min && attempt->writable < attempt->len &&
	    attempt->offset < attempt->target->file.size)
		return NULL;
	if (got >= 0 && (size_t)got <= max && (size_t)got >= min && (got || !max)) {
		message = check_area(attempt, got);
		if (!message)
			return NULL;
		what = message;
	}
	return stats_fail("%zu bytes at %zu, %zu of them writable, in %u pieces: %ld (%s), "
			  "expected %zu to %zu; %s",
			  attempt->len, attempt->offset, attempt->writable,
			  attempt->pieces, got, got < 0 ? strerror(errno) : "no error",
			  min, max, what);
}
