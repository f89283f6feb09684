// SPDX-License-Identifier: GPL-2.0-only
/* The ways to read a statistics file. */
#define _GNU_SOURCE
#include "lib/uring.h"
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

static long read_by_preadv2_nowait(struct attempt *attempt)
{
	split(attempt);
	return preadv2(attempt->target->fd, attempt->piece, attempt->pieces,
		       attempt->offset, RWF_NOWAIT);
}

static struct uring ring;

static bool open_ring(void)
{
	return !uring_open(&ring);
}

static long read_by_uring(struct attempt *attempt)
{
	int result = 0, error;

	error = uring_submit_read(&ring, attempt->target->fd, attempt_buf(attempt),
				  attempt->len, attempt->offset, 0);
	if (!error)
		error = uring_wait(&ring, &result);
	if (!error && result >= 0)
		return result;
	errno = error ? -error : -result;
	return -1;
}

/* Moves the data through a pipe. The inaccessible page is not used. */
static long read_by_splice(struct attempt *attempt)
{
	static int ends[2];
	loff_t at = attempt->offset;
	long got, sum = 0;

	if (!ends[1] && pipe(ends))
		return -1;
	attempt->writable = attempt->len;
	while ((size_t)sum < attempt->len) {
		got = splice(attempt->target->fd, &at, ends[1], NULL,
			     attempt->len - sum, 0);
		if (got <= 0)
			return got < 0 ? got : sum;
		if (read(ends[0], attempt_buf(attempt) + sum, got) != got)
			return -1;
		sum += got;
	}
	return sum;
}

const struct method methods[NUM_METHODS] = {
	{ "read", NULL, read_by_read },
	{ "pread", NULL, read_by_pread },
	{ "preadv", NULL, read_by_preadv },
	{ "preadv2_nowait", NULL, read_by_preadv2_nowait },
	{ "io_uring", open_ring, read_by_uring },
	{ "splice", NULL, read_by_splice },
};
