// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads of any offset and length, with each of the system calls for it.
 */
#define _GNU_SOURCE
#include "kvm_stats_check_file.h"

#define CANARY	0xa5

const char *stats_read_whole(struct stats_target *target)
{
	size_t size = target->file.size;
	uint8_t buf[size + 64];
	const char *message;

	message = stats_same(target, buf, read(target->fd, buf, sizeof(buf)), 0,
			     size);
	if (message)
		return message;
	return stats_same(target, buf, read(target->fd, buf, sizeof(buf)), size, 0);
}

const char *stats_read_bytewise(struct stats_target *target)
{
	const char *message;
	uint8_t byte;
	size_t pos;

	for (pos = 0; pos < target->file.size; pos++) {
		message = stats_same(target, &byte, read(target->fd, &byte, 1),
				     pos, 1);
		if (message)
			return message;
	}
	return stats_same(target, &byte, read(target->fd, &byte, 1), pos, 0);
}

/* Two fds of one VM or vCPU each have their own file position. */
const char *stats_read_own_position(struct stats_target *target)
{
	const char *message;
	uint8_t buf[32];
	int other;

	message = stats_getfd(target->getfd_fd, &other);
	if (message)
		return message;
	message = stats_same(target, buf, read(target->fd, buf, 20), 0, 20);
	if (!message)
		message = stats_same(target, buf, read(other, buf, 32), 0, 32);
	close(other);
	return message;
}

static const char *pread_one(struct stats_target *target, size_t offset,
			     size_t len)
{
	size_t size = target->file.size;
	size_t left = offset < size ? size - offset : 0;
	uint8_t buf[len + 1];
	const char *message;

	buf[len] = CANARY;
	message = stats_same(target, buf, pread(target->fd, buf, len, offset),
			     offset, len < left ? len : left);
	if (!message && buf[len] != CANARY)
		return stats_fail("pread() of %zu bytes at %zu wrote past the buffer",
				  len, offset);
	return message;
}

const char *stats_pread_all_offsets(struct stats_target *target)
{
	const size_t lens[] = { 1, 3, 7, 8, 9, 24, 63, 300, target->file.size };
	const char *message;
	size_t offset, i;

	for (offset = 0; offset <= target->file.size + 9; offset++) {
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			message = pread_one(target, offset, lens[i]);
			if (message)
				return message;
		}
	}
	return NULL;
}

const char *stats_pread_all_lengths(struct stats_target *target)
{
	size_t data = target->file.header.data_offset;
	const size_t offsets[] = {
		0, 1, STATS_HEADER_SIZE - 1, STATS_HEADER_SIZE,
		STATS_DESC_OFFSET - 3, STATS_DESC_OFFSET,
		STATS_DESC_OFFSET + STATS_DESC_SIZE + 5, data - 1, data,
		data + 4, target->file.size - 8, target->file.size - 1,
	};
	/* A file with vCPUs is long: not all lengths, for slow machines. */
	size_t step = target->file.size < 8192 ? 1 : 7;
	const char *message;
	size_t len, i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		for (len = 1; len <= target->file.size + 9; len += step) {
			message = pread_one(target, offsets[i], len);
			if (message)
				return message;
		}
	}
	return NULL;
}

/* The lower 32 bits of one of these offsets are an offset in the file. */
const char *stats_pread_huge_offset(struct stats_target *target)
{
	const int64_t offsets[] = {
		1LL << 31, 1LL << 32, (1LL << 32) + STATS_HEADER_SIZE, 1LL << 40,
		(1LL << 62) + 8, LLONG_MAX - 16,
	};
	uint8_t buf[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		ssize_t got = pread(target->fd, buf, sizeof(buf), offsets[i]);

		if (got)
			return stats_fail("pread() at %lld returned %zd, expected 0: %s",
					  (long long)offsets[i], got,
					  got < 0 ? strerror(errno) : "no error");
	}
	return NULL;
}

const char *stats_pread_negative(struct stats_target *target)
{
	uint8_t buf[16];
	const char *message;

	message = stats_refused("pread() at -1",
				pread(target->fd, buf, sizeof(buf), -1), EINVAL);
	if (message)
		return message;
	return stats_refused("pread() at the lowest offset",
			     pread(target->fd, buf, sizeof(buf), LLONG_MIN),
			     EINVAL);
}

const char *stats_pread_keeps_position(struct stats_target *target)
{
	uint8_t buf[32];
	const char *message;

	message = stats_same(target, buf, read(target->fd, buf, 10), 0, 10);
	if (!message)
		message = pread_one(target, 40, 8);
	if (message)
		return message;
	return stats_same(target, buf, read(target->fd, buf, 32), 10, 32);
}

const char *stats_readv(struct stats_target *target)
{
	size_t size = target->file.size;
	uint8_t buf[size + 8];
	const struct iovec parts[] = {
		{ .iov_base = buf, .iov_len = 5 },
		{ .iov_base = NULL, .iov_len = 0 },
		{ .iov_base = buf + 5, .iov_len = size - 12 },
		{ .iov_base = buf + size - 7, .iov_len = 15 },
	};
	const char *message;

	message = stats_same(target, buf, readv(target->fd, parts, 4), 0, size);
	if (message)
		return message;
	message = stats_same(target, buf, preadv(target->fd, parts, 4, 9), 9,
			     size - 9);
	if (message)
		return message;
	return stats_same(target, buf, preadv2(target->fd, parts, 4, 9, 0), 9,
			  size - 9);
}

const char *stats_splice_refused(struct stats_target *target)
{
	int ends[2];

	if (pipe(ends))
		return stats_fail("pipe() failed: %s", strerror(errno));
	return stats_refused("splice()",
			     splice(target->fd, NULL, ends[1], NULL, 1, 0),
			     EINVAL);
}
