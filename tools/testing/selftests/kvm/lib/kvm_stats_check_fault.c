// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads to memory that cannot be written to, from the start or in part.
 */
#define _GNU_SOURCE
#include "kvm_stats_check_file.h"

/* Returns the end of a writable page.  The page behind it is inaccessible. */
static uint8_t *map_cliff(size_t *page)
{
	uint8_t *map;

	*page = sysconf(_SC_PAGESIZE);
	map = mmap(NULL, 2 * *page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED || mprotect(map + *page, *page, PROT_NONE))
		return NULL;
	return map + *page;
}

const char *stats_fault(struct stats_target *target)
{
	const size_t offsets[] = { 0, STATS_HEADER_SIZE, STATS_DESC_OFFSET,
				   target->file.header.data_offset,
				   target->file.size - 1 };
	uint8_t buf[16];
	size_t page, i;
	uint8_t *cliff = map_cliff(&page);
	const char *message;

	if (!cliff)
		return stats_fail("mmap() failed: %s", strerror(errno));
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		message = stats_refused("pread() to bad memory",
					pread(target->fd, cliff, page,
					      offsets[i]), EFAULT);
		if (message)
			return message;
	}
	message = stats_refused("read() to bad memory",
				read(target->fd, cliff, page), EFAULT);
	if (message)
		return message;
	return stats_same(target, buf, read(target->fd, buf, 16), 0, 16);
}

/*
 * A read with @space writable bytes must deliver those, except for at most the
 * store of the kernel that faulted.
 */
static const char *delivered_all(ssize_t got, size_t space)
{
	if (got <= (ssize_t)space && got > (ssize_t)space - STATS_COPY_UNIT)
		return NULL;
	return stats_fail("a read to %zu writable bytes returned %zd: %s", space,
			  got, got < 0 ? strerror(errno) : "no error");
}

static const char *fault_after(struct stats_target *target, uint8_t *cliff,
			       size_t space)
{
	uint8_t *buf = cliff - space;
	const char *message;
	uint8_t next[8];
	ssize_t got;

	lseek(target->fd, 0, SEEK_SET);
	memset(buf, 0xa5, space);
	got = read(target->fd, buf, target->file.size);
	if (got < 0 && errno == EFAULT && space < STATS_COPY_UNIT)
		return NULL;
	message = delivered_all(got, space);
	if (!message)
		message = stats_same(target, buf, got, 0, got);
	if (message)
		return message;
	return stats_same(target, next, read(target->fd, next, 8), got, 8);
}

const char *stats_fault_midway(struct stats_target *target)
{
	size_t page, space;
	uint8_t *cliff = map_cliff(&page);
	const char *message;

	if (!cliff)
		return stats_fail("mmap() failed: %s", strerror(errno));
	if (lseek(target->fd, 0, SEEK_SET))
		return stats_fail("lseek() to the start failed: %s",
				  strerror(errno));
	for (space = 1; space <= page && space < target->file.size - 8; space++) {
		message = fault_after(target, cliff, space);
		if (message)
			return message;
	}
	return NULL;
}

/* The same with pread(), for kernels on which lseek() does not work. */
const char *stats_fault_midway_at(struct stats_target *target)
{
	size_t page, offset, space = 100;
	uint8_t *cliff = map_cliff(&page);
	const char *message;
	ssize_t got;

	if (!cliff)
		return stats_fail("mmap() failed: %s", strerror(errno));
	for (offset = 0; offset + space < target->file.size; offset++) {
		got = pread(target->fd, cliff - space, target->file.size, offset);
		message = delivered_all(got, space);
		if (!message)
			message = stats_same(target, cliff - space, got, offset,
					     got);
		if (message)
			return message;
	}
	return NULL;
}
