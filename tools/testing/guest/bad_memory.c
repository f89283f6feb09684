// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads of values into memory that ends behind each of them in turn: in a page that
 * may not be touched, that may not be written to, that is not there. Values are stored
 * one by one, which fault injection does not reach.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "lifetimes.h"

/* Shared with the processes that the checks run in. */
static unsigned long *tried;

static const struct {
	const char *name;
	int prot;		/* -1: unmapped */
} bad_pages[] = {
	{ "without access", PROT_NONE },
	{ "read-only", PROT_READ },
	{ "unmapped", -1 },
};

static const char *make_bad(uint8_t *at, size_t page, int prot)
{
	if (prot < 0 ? munmap(at, page) : mprotect(at, page, prot))
		return stats_fail("a bad page: %s", strerror(errno));
	return NULL;
}

static const char *judge(struct stats_target *target, uint8_t *bad, size_t room,
			 ssize_t got)
{
	++*tried;
	if (got < 0 && errno == EFAULT && room < STATS_COPY_UNIT)
		return NULL;
	if (got < 0)
		return stats_fail("a read that faults after %zu bytes: %s", room,
				  strerror(errno));
	if (!got || got > (ssize_t)room || got <= (ssize_t)room - STATS_COPY_UNIT)
		return stats_fail("a read that faults after %zu bytes gives %zd", room, got);
	return stats_same(target, bad - room, got, target->file.header.data_offset, got);
}

/* By pread, and by preadv with a second buffer that takes nothing. */
static const char *fault_behind(struct stats_target *target, uint8_t *bad, size_t room)
{
	size_t data = target->file.header.data_offset, len = target->file.size - data;
	const struct iovec pieces[] = {
		{ .iov_base = bad - room, .iov_len = room },
		{ .iov_base = bad, .iov_len = len - room },
	};
	const char *message;

	message = judge(target, bad, room, pread(target->fd, bad - room, len, data));
	return message ? message :
	       judge(target, bad, room, preadv(target->fd, pieces, 2, data));
}

static const char *bad_page_behind_each(struct stats_target *target, size_t kind)
{
	size_t len = target->file.size - target->file.header.data_offset;
	size_t page = sysconf(_SC_PAGESIZE), room;
	const char *message;
	uint8_t *map;

	map = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		   -1, 0);
	if (map == MAP_FAILED)
		return stats_fail("mmap: %s", strerror(errno));
	memset(map, 0, 3 * page);
	message = make_bad(map + 2 * page, page, bad_pages[kind].prot);
	for (room = 0; room < len && room <= 2 * page && !message; room += 8)
		message = fault_behind(target, map + 2 * page, room);
	munmap(map, 3 * page);
	return message ? stats_fail("%s: %s", bad_pages[kind].name, message) : NULL;
}

static const char *bad_pages_behind_each(struct stats_target *target)
{
	const char *message = NULL;
	size_t kind;

	for (kind = 0; kind < ARRAY_SIZE(bad_pages) && !message; kind++)
		message = bad_page_behind_each(target, kind);
	if (!message)
		message = stats_read_whole(target);
	return message;
}

static const struct stats_check checks[] = {
	STATS_CHECK("behind_each_value", bad_pages_behind_each),
};

static const struct stats_suite suites[] = {
	{ "vm", -1, checks, ARRAY_SIZE(checks), lifetimes_set_up },
	{ "vcpu", STATS_VCPU_ID, checks, ARRAY_SIZE(checks), lifetimes_set_up },
};

int main(void)
{
	if (lifetimes_cannot_be_seen())
		return tap_skip_all(lifetimes_cannot_be_seen());

	tried = lifetimes_shared(sizeof(*tried));
	run_suites(suites, ARRAY_SIZE(suites));
	tap_tried(*tried, "reads into memory that ends behind a value");
	return tap_end();
}
