/* SPDX-License-Identifier: GPL-2.0-only */
/* Use io_uring without a library, for one read at a time. */
#ifndef GUEST_URING_H
#define GUEST_URING_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/io_uring.h>

struct uring {
	int fd;
	uint8_t *rings;
	size_t size;		/* of the rings */
	struct io_uring_sqe *sqe;
	struct io_uring_params params;
};

static inline uint32_t *uring_word(const struct uring *ring, uint32_t offset)
{
	return (uint32_t *)(ring->rings + offset);
}

/* Returns 0 or a negative errno. */
static inline int uring_open(struct uring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->fd = syscall(SYS_io_uring_setup, 1, &ring->params);
	if (ring->fd < 0)
		return -errno;
	if (!(ring->params.features & IORING_FEAT_SINGLE_MMAP))
		return -EOPNOTSUPP;

	/* Either ring may be the last one in the mapping. The sum covers both cases. */
	ring->size = ring->params.cq_off.cqes +
		     ring->params.cq_entries * sizeof(struct io_uring_cqe) +
		     ring->params.sq_off.array +
		     ring->params.sq_entries * sizeof(uint32_t);
	ring->rings = mmap(NULL, ring->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			   ring->fd, IORING_OFF_SQ_RING);
	ring->sqe = mmap(NULL, sizeof(*ring->sqe), PROT_READ | PROT_WRITE,
			 MAP_SHARED, ring->fd, IORING_OFF_SQES);
	return ring->rings == MAP_FAILED || ring->sqe == MAP_FAILED ? -errno : 0;
}

/* Does nothing if @ring is all zeros. */
static inline void uring_close(struct uring *ring)
{
	if (!ring->size)
		return;
	munmap(ring->sqe, sizeof(*ring->sqe));
	munmap(ring->rings, ring->size);
	close(ring->fd);
	memset(ring, 0, sizeof(*ring));
}

/* Returns 0 or a negative errno. */
static inline int uring_submit_read(struct uring *ring, int fd, void *buf,
				    size_t size, uint64_t offset, uint8_t flags)
{
	uint32_t *tail = uring_word(ring, ring->params.sq_off.tail);

	memset(ring->sqe, 0, sizeof(*ring->sqe));
	ring->sqe->opcode = IORING_OP_READ;
	ring->sqe->flags = flags;
	ring->sqe->fd = fd;
	ring->sqe->addr = (uintptr_t)buf;
	ring->sqe->len = size;
	ring->sqe->off = offset;
	*uring_word(ring, ring->params.sq_off.array) = 0;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);

	if (syscall(SYS_io_uring_enter, ring->fd, 1, 0, 0, NULL, 0) != 1)
		return -errno;
	return 0;
}

/* Returns true and stores the result if the read is complete. */
static inline bool uring_completed(struct uring *ring, int *result)
{
	uint32_t *head = uring_word(ring, ring->params.cq_off.head);
	uint32_t *tail = uring_word(ring, ring->params.cq_off.tail);
	uint32_t mask = *uring_word(ring, ring->params.cq_off.ring_mask);
	struct io_uring_cqe *cqes = (void *)(ring->rings + ring->params.cq_off.cqes);

	if (*head == __atomic_load_n(tail, __ATOMIC_ACQUIRE))
		return false;
	*result = cqes[*head & mask].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return true;
}

/* Waits for the completion. Returns 0 or a negative errno. */
static inline int uring_wait(struct uring *ring, int *result)
{
	while (!uring_completed(ring, result)) {
		if (syscall(SYS_io_uring_enter, ring->fd, 0, 1,
			    IORING_ENTER_GETEVENTS, NULL, 0) < 0)
			return -errno;
	}
	return 0;
}

#endif /* GUEST_URING_H */
