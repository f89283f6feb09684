/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/uaccess.h>
#include <sys/uio.h>

#define READ	0

/* The number of calls of copy_to_iter(). */
extern unsigned long copies_to_iter;

struct iov_iter {
	const struct iovec *iov;
	size_t offset;		/* in the first buffer */
	size_t count;		/* bytes left in all of them */
};

static inline void iov_iter_init(struct iov_iter *iter, unsigned int direction,
				 const struct iovec *iov, unsigned long num, size_t count)
{
	*iter = (struct iov_iter) { .iov = iov, .count = count };
}

static inline size_t iov_iter_count(const struct iov_iter *iter)
{
	return iter->count;
}

static inline void iov_iter_advance(struct iov_iter *iter, size_t size)
{
	iter->count -= size;
	iter->offset += size;
	while (iter->count && iter->offset >= iter->iov->iov_len)
		iter->offset -= iter->iov++->iov_len;
}

/* Return the number of bytes copied, fewer than @size after a fault. */
static inline size_t copy_to_iter(const void *from, size_t size, struct iov_iter *iter)
{
	size_t copied = 0;

	copies_to_iter++;
	size = min(size, iter->count);
	while (copied < size) {
		char *to = iter->iov->iov_base + iter->offset;
		size_t part = min(size - copied, iter->iov->iov_len - iter->offset);
		size_t accessible = user_accessible(to, part);

		memcpy(to, from + copied, accessible);
		iov_iter_advance(iter, accessible);
		copied += accessible;
		if (accessible < part)
			break;
	}
	return copied;
}
