// SPDX-License-Identifier: GPL-2.0-only
/*
 * lseek() on a statistics fd.
 */
#define _GNU_SOURCE
#include "kvm_stats_check_file.h"

#define READ_SIZE	16

/* Checks the position that lseek() returns, and reads from there. */
static const char *seek_and_read(struct stats_target *target, off_t offset,
				 int whence, size_t expected)
{
	off_t pos = lseek(target->fd, offset, whence);
	uint8_t buf[READ_SIZE];
	size_t left;

	if (pos < 0)
		return stats_fail("lseek(%lld, %d) failed: %s",
				  (long long)offset, whence, strerror(errno));
	if (pos != (off_t)expected)
		return stats_fail("lseek(%lld, %d) returned %lld, expected %zu",
				  (long long)offset, whence, (long long)pos,
				  expected);
	left = expected < target->file.size ? target->file.size - expected : 0;
	return stats_same(target, buf, read(target->fd, buf, sizeof(buf)),
			  expected, left < sizeof(buf) ? left : sizeof(buf));
}

const char *stats_lseek(struct stats_target *target)
{
	size_t size = target->file.size, pos = STATS_HEADER_SIZE;
	const char *message;

	message = seek_and_read(target, pos, SEEK_SET, pos);
	pos += READ_SIZE + 50;
	if (!message)
		message = seek_and_read(target, 50, SEEK_CUR, pos);
	pos += READ_SIZE - 20;
	if (!message)
		message = seek_and_read(target, -20, SEEK_CUR, pos);
	if (!message)
		message = seek_and_read(target, 0, SEEK_END, size);
	if (!message)
		message = seek_and_read(target, -8, SEEK_END, size - 8);
	if (!message)
		message = seek_and_read(target, 0, SEEK_SET, 0);
	return message;
}

const char *stats_lseek_invalid(struct stats_target *target)
{
	const char *message;
	uint8_t buf[READ_SIZE];

	message = stats_refused("lseek() to -1", lseek(target->fd, -1, SEEK_SET),
				EINVAL);
	if (!message)
		message = stats_refused("lseek() to before the start",
					lseek(target->fd, -1000000, SEEK_END),
					EINVAL);
	if (!message)
		message = stats_refused("lseek() with whence 99",
					lseek(target->fd, 0, 99), EINVAL);
	if (message)
		return message;
	return stats_same(target, buf, read(target->fd, buf, sizeof(buf)), 0,
			  sizeof(buf));
}

/* The fd behaves like a regular file without holes. */
const char *stats_lseek_past_end(struct stats_target *target)
{
	size_t size = target->file.size;
	const char *message;

	message = seek_and_read(target, size + 100, SEEK_SET, size + 100);
	if (!message)
		message = seek_and_read(target, 10, SEEK_DATA, 10);
	if (!message)
		message = seek_and_read(target, 10, SEEK_HOLE, size);
	if (message)
		return message;
	return stats_refused("lseek() for data at the end",
			     lseek(target->fd, size, SEEK_DATA), ENXIO);
}
