// SPDX-License-Identifier: GPL-2.0-only
/* The ways to read a statistics file. */
#define _GNU_SOURCE
#include "read_fuzz/read_fuzz.h"

static long read_by_pread(struct attempt *attempt)
{
	return pread(attempt->target->fd, attempt_buf(attempt), attempt->len,
		     attempt->offset);
}

static long read_by_read(struct attempt *attempt)
{
	int fd = attempt->target->fd;
	long got;
	off_t at;

	/* lseek() refuses positions beyond the end. */
	if (attempt->offset > attempt->target->file.size)
		attempt->offset = attempt->target->file.size;
	if (lseek(fd, attempt->offset, SEEK_SET) < 0)
		return -1;
	got = read(fd, attempt_buf(attempt), attempt->len);
	at = lseek(fd, 0, SEEK_CUR);
	if (at != (off_t)attempt->offset + (got > 0 ? got : 0)) {
		errno = ESPIPE;
		return -1;
	}
	return got;
}

/* Splits the buffer into adjacent pieces. */
static void split(struct attempt *attempt)
{
	uint8_t *at = attempt_buf(attempt);
	size_t left = attempt->len;
	unsigned int i;

	attempt->pieces = 1 + random_below(MAX_PIECES);
	for (i = 0; i < attempt->pieces; i++) {
		size_t len = i + 1 == attempt->pieces ? left : random_below(left + 1);

		if (random_below(2) && len > 8 && i + 1 < attempt->pieces)
			len -= len % 8;
		attempt->piece[i] = (struct iovec){ .iov_base = at, .iov_len = len };
		at += len;
		left -= len;
	}
}

static long read_by_preadv(struct attempt *attempt)
{
	split(attempt);
	return preadv(attempt->target->fd, attempt->piece, attempt->pieces,
		      attempt->offset);
}

const struct method methods[NUM_METHODS] = {
	{ "read", read_by_read },
	{ "pread", read_by_pread },
	{ "preadv", read_by_preadv },
};
