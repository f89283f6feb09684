// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read values into buffers that end in a bad page, which is inaccessible, read-only or
 * unmapped. The bad page begins after each value in turn, so that the kernel's copy to the buffer
 * ends in the middle. Copies that fault injection lets fail copy nothing.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "kvm_stats_check_open.h"
#include "lib/extensions.h"
#include "lib/run_suites.h"
#include "lifetimes/setup.h"

/* The number of reads, in memory that the processes of all checks share. */
static unsigned long *total;

static const struct {
	const char *name;
	int prot;		/* -1: unmapped */
} bad_pages[] = {
	{ "inaccessible", PROT_NONE },
	{ "read-only", PROT_READ },
	{ "unmapped", -1 },
};

static const char *make_bad(uint8_t *at, size_t page, int prot)
{
	if (prot < 0 ? munmap(at, page) : mprotect(at, page, prot))
		return stats_fail("munmap or mprotect: %s", strerror(errno));
	return NULL;
}

/* Checks a read that returned @got. The buffer has @good bytes before the bad page. */
static const char *check_read(struct stats_target *target, uint8_t *bad, size_t good,
			      ssize_t got)
{
	++*total;
	if (got < 0 && errno == EFAULT && good < STATS_COPY_UNIT)
		return NULL;
	if (got < 0)
		return stats_fail("a read that faults after %zu bytes: %s", good,
				  strerror(errno));
	if (!got || got > (ssize_t)good || got <= (ssize_t)good - STATS_COPY_UNIT)
		return stats_fail("a read that faults after %zu bytes returns %zd", good, got);
	return stats_same(target, bad - good, got, target->file.header.data_offset, got);
}

/* Reads with pread(), and with preadv() and a second buffer that is in the bad page. */
static const char *fault_after(struct stats_target *target, uint8_t *bad, size_t good)
{
	size_t data = target->file.header.data_offset, len = target->file.size - data;
	const struct iovec pieces[] = {
		{ .iov_base = bad - good, .iov_len = good },
		{ .iov_base = bad, .iov_len = len - good },
	};
	const char *message;

	message = check_read(target, bad, good, pread(target->fd, bad - good, len, data));
	return message ? message :
	       check_read(target, bad, good, preadv(target->fd, pieces, 2, data));
}

static const char *bad_page_after_each(struct stats_target *target, size_t kind)
{
	size_t len = target->file.size - target->file.header.data_offset;
	size_t page = sysconf(_SC_PAGESIZE), good;
	const char *message;
	uint8_t *map;

	map = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		   -1, 0);
	if (map == MAP_FAILED)
		return stats_fail("mmap: %s", strerror(errno));
	memset(map, 0, 3 * page);
	message = make_bad(map + 2 * page, page, bad_pages[kind].prot);
	for (good = 0; good < len && good <= 2 * page && !message; good += 8)
		message = fault_after(target, map + 2 * page, good);
	munmap(map, 3 * page);
	return message ? stats_fail("%s page: %s", bad_pages[kind].name, message) : NULL;
}

static const char *bad_pages_after_each(struct stats_target *target)
{
	const char *message = NULL;
	size_t kind;

	for (kind = 0; kind < ARRAY_SIZE(bad_pages) && !message; kind++)
		message = bad_page_after_each(target, kind);
	if (!message)
		message = stats_read_whole(target);
	return message;
}

static const struct stats_check checks[] = {
	STATS_CHECK("after_each_value", bad_pages_after_each),
};

static const char *set_up_open(struct stats_target *target)
{
	return kernel_has_stats_open() ? stats_set_up_open(target) : stats_skip(NO_STATS_OPEN);
}

static const struct stats_suite suites[] = {
	{ "vm", -1, checks, ARRAY_SIZE(checks), lifetimes_set_up },
	{ "vcpu", STATS_VCPU_ID, checks, ARRAY_SIZE(checks), lifetimes_set_up },
	{ "observer", -1, checks, ARRAY_SIZE(checks), set_up_open },
};

int main(void)
{
	if (lifetimes_skip_reason())
		return tap_skip_all(lifetimes_skip_reason());

	total = shared_memory(sizeof(*total));
	run_suites(suites, ARRAY_SIZE(suites));
	tap_tried(*total, "reads into memory that ends after a value");
	return tap_end();
}
