// SPDX-License-Identifier: GPL-2.0-only
/* Faults in reads of a statistics file. */
#define _GNU_SOURCE
#include "fault_injection/fault_injection.h"
#include "kvm_stats_check_file.h"

/* The read under test. */
static struct {
	size_t offset;
	size_t len;
	uint8_t *buf;		/* of @len bytes */
} reading;

static long run_pread(struct stats_target *target)
{
	return pread(target->fd, reading.buf, reading.len, reading.offset);
}

static const char *prepare_read(struct stats_target *target)
{
	memset(reading.buf, 0xa5, reading.len);
	if (lseek(target->fd, reading.offset, SEEK_SET) < 0)
		return stats_fail("lseek: %s", strerror(errno));
	return NULL;
}

static long run_read(struct stats_target *target)
{
	return read(target->fd, reading.buf, reading.len);
}

/* Splits the buffer into @num pieces. All but the last one have an odd number of bytes. */
static void split(struct iovec *pieces, unsigned int num)
{
	size_t each = (reading.len / num) | 1, at = 0;
	unsigned int i;

	for (i = 0; i < num; i++) {
		size_t left = reading.len - at;

		pieces[i].iov_base = reading.buf + at;
		pieces[i].iov_len = i + 1 == num || each > left ? left : each;
		at += pieces[i].iov_len;
	}
}

static long run_readv(struct stats_target *target)
{
	struct iovec pieces[3];

	split(pieces, ARRAY_SIZE(pieces));
	return readv(target->fd, pieces, ARRAY_SIZE(pieces));
}

/* The kernel allocates memory for so many pieces instead of using its stack. */
static long run_preadv(struct stats_target *target)
{
	struct iovec pieces[12];

	split(pieces, ARRAY_SIZE(pieces));
	return preadv(target->fd, pieces, ARRAY_SIZE(pieces), reading.offset);
}

/* The bytes that the read returned are right, and a short read is due to a fault. */
static const char *check_bytes(struct stats_target *target, const struct trial *trial)
{
	if (!trial->result && reading.len)
		return stats_fail("a read that failed returned 0, as at the end of the file");
	if (trial->failed == FAIL_NONE && trial->result != (ssize_t)reading.len)
		return stats_fail("%ld of %zu bytes without a fault",
				  trial->result, reading.len);
	if (trial->result > (ssize_t)reading.len)
		return stats_fail("%ld bytes, but only %zu were requested", trial->result,
				  reading.len);
	return stats_same(target, reading.buf, trial->result, reading.offset,
			  trial->result);
}

static const char *check_position(struct stats_target *target, const struct trial *trial)
{
	off_t expected = reading.offset + (trial->result > 0 ? trial->result : 0);
	off_t at = lseek(target->fd, 0, SEEK_CUR);

	return at == expected ? NULL :
	       stats_fail("after a read at %zu that returned %ld, the position is %lld",
			  reading.offset, trial->result, (long long)at);
}

static const char *check_pread(struct stats_target *target, const struct trial *trial)
{
	if (trial->failed == FAIL_SLAB || trial->failed == FAIL_PAGE)
		return stats_fail("a read allocates memory");
	if (trial->result < 0)
		return check_errno(trial, "pread", 0, 0, EFAULT);
	return check_bytes(target, trial);
}

static const char *check_read(struct stats_target *target, const struct trial *trial)
{
	const char *message = check_pread(target, trial);

	return message ? message : check_position(target, trial);
}

static const char *check_preadv(struct stats_target *target, const struct trial *trial)
{
	if (trial->result < 0)
		return check_errno(trial, "preadv", ENOMEM, ENOMEM, EFAULT);
	return check_bytes(target, trial);
}

static const struct operation operations[] = {
	{ "pread", prepare_read, run_pread, check_pread },
	{ "read", prepare_read, run_read, check_read },
	{ "readv", prepare_read, run_readv, check_read },
	{ "preadv", prepare_read, run_preadv, check_preadv },
};

/* Reads the constants alone, the values alone (aligned and unaligned), and the whole file. */
static const char *read_parts(struct stats_target *target, const struct operation *operation,
			      unsigned int failures[FAIL_NUM_KINDS])
{
	size_t data = target->file.header.data_offset, size = target->file.size;
	const struct { size_t offset, len, align; } parts[] = {
		{ 0, data, 0 }, { data, size - data, 0 }, { data, size - data, 1 },
		{ data + 4, size - data - 4, 4 }, { 0, size, 0 },
	};
	uint8_t *buf = aligned_alloc(64, (size + 127) / 64 * 64);
	size_t i;

	if (!buf)
		return stats_fail("out of memory");
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		const char *message;

		reading.offset = parts[i].offset;
		reading.len = parts[i].len;
		reading.buf = buf + parts[i].align;
		message = fail_in_turn(target, operation, failures);
		if (message)
			return stats_fail("%zu bytes at %zu: %s", reading.len,
					  reading.offset, message);
	}
	free(buf);
	return NULL;
}

const char *reads_in_turn(struct stats_target *target)
{
	struct operation operation = operations[target->arg];
	unsigned int failures[FAIL_NUM_KINDS] = { 0 };
	const char *message = faults_open();

	operation.total = &shared->reads;
	if (!message)
		message = read_parts(target, &operation, failures);
	if (message)
		return message;
	report_failures(target, operation.name, failures);
	if (!failures[FAIL_SLAB] && !failures[FAIL_PAGE] && !failures[FAIL_COPY])
		message = fail_nth_has(FAIL_COPY) ? stats_fail("no fault could be injected") :
			  stats_skip("no allocations, and no fault injection for copies");
	return message ? message : target_disappears(target);
}
