/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stop a read midway: a separate thread calls pread() with a buffer that ends in a page
 * that is missing. The read continues when this process supplies the page (userfaultfd).
 */
#ifndef GUEST_HELD_READ_H
#define GUEST_HELD_READ_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HELD_READ_SECONDS	20

struct held_read {
	int fd;
	size_t offset;
	size_t len;
	size_t present;		/* bytes of the buffer before the missing page */
	uint8_t *buf;
	ssize_t got;
	int error;
	int uffd;
	pthread_t thread;
};

/* Does the kernel have userfaultfd? */
bool held_read_is_possible(void);

/*
 * Starts a read and returns when the kernel waits for the missing page. @present bytes of
 * the buffer are before that page. @len is at most @present plus one page.
 */
void held_read_start(struct held_read *read, int fd, size_t offset, size_t len, size_t present);

/* Supplies the missing page, for which the kernel must still wait. */
void held_read_supply(const struct held_read *read);

/* Waits until the read returns, and sets errno to its error. */
void held_read_end(struct held_read *read);

#endif /* GUEST_HELD_READ_H */
