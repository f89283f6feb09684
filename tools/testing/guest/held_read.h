/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A read that stops in the middle, in a thread of its own: its buffer ends in a page
 * that this process has to supply (userfaultfd), which it does when told to.
 */
#ifndef BOOT_TESTS_HELD_READ_H
#define BOOT_TESTS_HELD_READ_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/userfaultfd.h>

#define HELD_READ_ROOM		8	/* bytes before the missing page, unless the test says */
#define HELD_READ_SECONDS	20

struct held_read {
	int fd;
	size_t offset;
	size_t len;
	size_t room;		/* bytes before the missing page */
	uint8_t *buf;
	ssize_t got;
	int error;
	int uffd;
	pthread_t thread;
};

static inline const char *held_read_why(const char *what)
{
	static char why[128];

	snprintf(why, sizeof(why), "%s: %s", what, strerror(errno));
	return why;
}

static inline bool held_read_is_possible(void)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static inline uint8_t *held_read_page(const struct held_read *read)
{
	return read->buf + read->room;
}

/* Two pages, the first there, the second to be supplied by whoever reads @uffd. */
static inline const char *held_read_memory(struct held_read *read)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register slow = {
		.range.len = page,
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	uint8_t *map;

	map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return held_read_why("mmap");
	madvise(map, 2 * page, MADV_NOHUGEPAGE);
	memset(map, 0, page);
	read->buf = map + page - read->room;
	read->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	slow.range.start = (uintptr_t)map + page;
	if (read->uffd < 0 || ioctl(read->uffd, UFFDIO_API, &api) ||
	    ioctl(read->uffd, UFFDIO_REGISTER, &slow))
		return held_read_why("userfaultfd");
	return NULL;
}

static inline void *held_read_main(void *arg)
{
	struct held_read *read = arg;

	read->got = pread(read->fd, read->buf, read->len, read->offset);
	read->error = errno;
	return NULL;
}

/*
 * Returns when the kernel waits for the page. @room bytes of the buffer are before
 * that page. @len is at most @room and a page.
 */
static inline const char *held_read_start_after(struct held_read *read, int fd, size_t offset,
						size_t len, size_t room)
{
	const char *message;
	struct pollfd event;

	*read = (struct held_read){ .fd = fd, .offset = offset, .len = len, .room = room };
	message = held_read_memory(read);
	if (message)
		return message;
	if (pthread_create(&read->thread, NULL, held_read_main, read))
		return "pthread_create failed";
	event = (struct pollfd){ .fd = read->uffd, .events = POLLIN };
	if (poll(&event, 1, HELD_READ_SECONDS * 1000) != 1)
		return "the read does not come to the missing page";
	return NULL;
}

static inline const char *held_read_start(struct held_read *read, int fd, size_t offset,
					  size_t len)
{
	return held_read_start_after(read, fd, offset, len, HELD_READ_ROOM);
}

/* Supplies the page: errno tells whether that is still wanted. */
static inline int held_read_supply(const struct held_read *read)
{
	struct uffdio_zeropage zero = {
		.range.start = (uintptr_t)held_read_page(read),
		.range.len = sysconf(_SC_PAGESIZE),
	};

	return ioctl(read->uffd, UFFDIO_ZEROPAGE, &zero);
}

/* The page goes instead. */
static inline int held_read_unmap(const struct held_read *read)
{
	struct uffdio_range range = {
		.start = (uintptr_t)held_read_page(read),
		.len = sysconf(_SC_PAGESIZE),
	};

	return munmap(held_read_page(read), range.len) ||
	       ioctl(read->uffd, UFFDIO_WAKE, &range);
}

static inline void held_read_end(struct held_read *read)
{
	pthread_join(read->thread, NULL);
	errno = read->error;
}

#endif /* BOOT_TESTS_HELD_READ_H */
