/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make the nth allocation or copy between the kernel and user space of the calling
 * thread fail, and tell which kind it was (CONFIG_FAILSLAB, and where there are
 * CONFIG_FAIL_PAGE_ALLOC and CONFIG_FAULT_INJECTION_USERCOPY; debugfs; see
 * Documentation/fault-injection).
 *
 * All kinds are counted by one count. Of the copies, those that store or load
 * single words (put_user(), unsafe_put_user()) neither count nor fail.
 */
#ifndef BOOT_TESTS_FAIL_NTH_H
#define BOOT_TESTS_FAIL_NTH_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum fail_kind { FAIL_SLAB, FAIL_PAGE, FAIL_COPY, FAIL_NUM_KINDS, FAIL_NONE };

#define FAIL_NTH_KNOBS	"/sys/kernel/debug/failslab/"
#define FAIL_NTH_TIMES	1000000

static const char *const fail_nth_knobs[FAIL_NUM_KINDS] = {
	[FAIL_SLAB] = FAIL_NTH_KNOBS,
	[FAIL_PAGE] = "/sys/kernel/debug/fail_page_alloc/",
	[FAIL_COPY] = "/sys/kernel/debug/fail_usercopy/",
};

static int fail_nth_fd = -1;
static bool fail_nth_kinds[FAIL_NUM_KINDS];
static long fail_nth_times[FAIL_NUM_KINDS];	/* counts down by each failure */
static int fail_nth_times_fd[FAIL_NUM_KINDS];

static inline int fail_nth_knob(enum fail_kind kind, const char *name,
				const char *value)
{
	ssize_t written;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s%s", fail_nth_knobs[kind], name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	written = write(fd, value, strlen(value));
	close(fd);
	return written < 0 ? -1 : 0;
}

/* The kernel log stays silent about it. */
static inline bool fail_nth_open_kind(enum fail_kind kind)
{
	char times[16];

	snprintf(times, sizeof(times), "%d", FAIL_NTH_TIMES);
	return !fail_nth_knob(kind, "verbose", "0") && !fail_nth_knob(kind, "times", times);
}

static inline bool fail_nth_has(enum fail_kind kind)
{
	return fail_nth_kinds[kind];
}

/* Which allocations count and fail: those that may wait, too, but no highmem. */
static inline int fail_nth_choose(bool slab, bool page)
{
	if (fail_nth_knob(FAIL_SLAB, "ignore-gfp-wait", "N") ||
	    fail_nth_knob(FAIL_SLAB, "cache-filter", slab ? "N" : "Y"))
		return -1;
	if (!fail_nth_has(FAIL_PAGE))
		return 0;
	if (fail_nth_knob(FAIL_PAGE, "ignore-gfp-wait", "N") ||
	    fail_nth_knob(FAIL_PAGE, "ignore-gfp-highmem", "Y") ||
	    fail_nth_knob(FAIL_PAGE, "min-order", page ? "0" : "32"))
		return -1;
	return 0;
}

/* Returns -1 if the kernel has no such thing. */
static inline int fail_nth_open(void)
{
	int kind;

	for (kind = 0; kind < FAIL_NUM_KINDS; kind++)
		fail_nth_kinds[kind] = fail_nth_open_kind(kind);
	if (!fail_nth_has(FAIL_SLAB) || fail_nth_choose(true, true))
		return -1;
	fail_nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return fail_nth_fd < 0 ? -1 : 0;
}

/* Such a file is read once. */
static inline int fail_nth_open_times(enum fail_kind kind)
{
	char path[64];

	snprintf(path, sizeof(path), "%stimes", fail_nth_knobs[kind]);
	return fail_nth_has(kind) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static inline long fail_nth_read_times(int fd)
{
	char text[24] = "";
	long times = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 ? atol(text) : -1;

	close(fd);
	return times;
}

static inline int fail_nth_set(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(fail_nth_fd, text, len, 0) == len ? 0 : -errno;
}

/* What is needed to disarm is opened here, as later no fd may be left. */
static inline int fail_nth_arm(unsigned int nth)
{
	int kind;

	for (kind = 0; kind < FAIL_NUM_KINDS; kind++) {
		fail_nth_times[kind] = fail_nth_read_times(fail_nth_open_times(kind));
		fail_nth_times_fd[kind] = fail_nth_open_times(kind);
	}
	return fail_nth_set(nth);
}

/* What has failed? errno stays. */
static inline enum fail_kind fail_nth_disarm(void)
{
	enum fail_kind failed = FAIL_NONE;
	char text[16] = "";
	int error = errno;
	bool hit;
	int kind;

	/* If it is the copy of this read, or of the write, that fails, none did before. */
	hit = pread(fail_nth_fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
	if (fail_nth_set(0))
		fail_nth_set(0);
	for (kind = 0; kind < FAIL_NUM_KINDS; kind++)
		if (fail_nth_read_times(fail_nth_times_fd[kind]) != fail_nth_times[kind] &&
		    hit)
			failed = kind;
	errno = error;
	return failed;
}

#endif /* BOOT_TESTS_FAIL_NTH_H */
