// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/userfaultfd.h>

#include "lib/held_read.h"
#include "lib/test.h"

bool held_read_is_possible(void)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static uint8_t *missing_page(const struct held_read *read)
{
	return read->buf + read->present;
}

/* Maps two pages. The first one is present, the second one is supplied later. */
static void map_buffer(struct held_read *read)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register missing = {
		.range.len = page,
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	uint8_t *map;

	map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		fail("mmap: %s", strerror(errno));
	madvise(map, 2 * page, MADV_NOHUGEPAGE);
	memset(map, 0, page);
	read->buf = map + page - read->present;
	read->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	missing.range.start = (uintptr_t)map + page;
	if (read->uffd < 0 || ioctl(read->uffd, UFFDIO_API, &api) ||
	    ioctl(read->uffd, UFFDIO_REGISTER, &missing))
		fail("userfaultfd: %s", strerror(errno));
}

static void *read_main(void *arg)
{
	struct held_read *read = arg;
	sigset_t all;

	/* This thread stays in its read: the other threads of the program handle signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	read->got = pread(read->fd, read->buf, read->len, read->offset);
	read->error = errno;
	return NULL;
}

void held_read_start(struct held_read *read, int fd, size_t offset, size_t len, size_t present)
{
	struct pollfd event;

	*read = (struct held_read){ .fd = fd, .offset = offset, .len = len, .present = present };
	map_buffer(read);
	if (pthread_create(&read->thread, NULL, read_main, read))
		fail("pthread_create failed");
	event = (struct pollfd){ .fd = read->uffd, .events = POLLIN };
	if (poll(&event, 1, HELD_READ_SECONDS * 1000) != 1)
		fail("the read did not reach the missing page");
}

void held_read_supply(const struct held_read *read)
{
	struct uffdio_zeropage zero = {
		.range.start = (uintptr_t)missing_page(read),
		.range.len = sysconf(_SC_PAGESIZE),
	};

	if (ioctl(read->uffd, UFFDIO_ZEROPAGE, &zero))
		fail("the kernel no longer waits for the page: %s", strerror(errno));
}

void held_read_end(struct held_read *read)
{
	pthread_join(read->thread, NULL);
	errno = read->error;
}
