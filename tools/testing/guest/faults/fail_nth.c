// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults/fail_nth.h"

#define MAX_FAULTS	1000000

static const char *const dirs[FAIL_NUM_KINDS] = {
	[FAIL_SLAB] = FAIL_NTH_SLAB_DIR,
	[FAIL_PAGE] = "/sys/kernel/debug/fail_page_alloc/",
	[FAIL_COPY] = "/sys/kernel/debug/fail_usercopy/",
};

static int nth_fd = -1;
static bool kinds[FAIL_NUM_KINDS];
static long armed_times[FAIL_NUM_KINDS];	/* "times" counts down by one at each fault */
static int times_fds[FAIL_NUM_KINDS];

static int write_attribute(enum fail_kind kind, const char *name, const char *value)
{
	ssize_t written;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s%s", dirs[kind], name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	written = write(fd, value, strlen(value));
	close(fd);
	return written < 0 ? -1 : 0;
}

/* With "verbose" 0 the kernel does not log the faults. */
static bool open_kind(enum fail_kind kind)
{
	char times[16];

	snprintf(times, sizeof(times), "%d", MAX_FAULTS);
	return !write_attribute(kind, "verbose", "0") && !write_attribute(kind, "times", times);
}

bool fail_nth_has(enum fail_kind kind)
{
	return kinds[kind];
}

int fail_nth_choose(bool slab, bool page)
{
	if (write_attribute(FAIL_SLAB, "ignore-gfp-wait", "N") ||
	    write_attribute(FAIL_SLAB, "cache-filter", slab ? "N" : "Y"))
		return -1;
	if (!fail_nth_has(FAIL_PAGE))
		return 0;
	if (write_attribute(FAIL_PAGE, "ignore-gfp-wait", "N") ||
	    write_attribute(FAIL_PAGE, "ignore-gfp-highmem", "Y") ||
	    write_attribute(FAIL_PAGE, "min-order", page ? "0" : "32"))
		return -1;
	return 0;
}

int fail_nth_open(void)
{
	int kind;

	for (kind = 0; kind < FAIL_NUM_KINDS; kind++)
		kinds[kind] = open_kind(kind);
	if (!fail_nth_has(FAIL_SLAB) || fail_nth_choose(true, true))
		return -1;
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return nth_fd < 0 ? -1 : 0;
}

/* A "times" file can be read only once after it is opened. */
static int open_times(enum fail_kind kind)
{
	char path[64];

	snprintf(path, sizeof(path), "%stimes", dirs[kind]);
	return fail_nth_has(kind) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static long read_times(int fd)
{
	char text[24] = "";
	long times = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 ? atol(text) : -1;

	close(fd);
	return times;
}

static int set_nth(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(nth_fd, text, len, 0) == len ? 0 : -errno;
}

/* Opens the files that fail_nth_disarm() reads, because the test may use up all fds. */
int fail_nth_arm(unsigned int nth)
{
	int kind;

	for (kind = 0; kind < FAIL_NUM_KINDS; kind++) {
		armed_times[kind] = read_times(open_times(kind));
		times_fds[kind] = open_times(kind);
	}
	return set_nth(nth);
}

enum fail_kind fail_nth_disarm(void)
{
	enum fail_kind failed = FAIL_NONE;
	char text[16] = "";
	int error = errno;
	bool hit;
	int kind;

	/* If the copy of this pread() or of set_nth() fails, none failed before. */
	hit = pread(nth_fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
	if (set_nth(0))
		set_nth(0);
	for (kind = 0; kind < FAIL_NUM_KINDS; kind++)
		if (read_times(times_fds[kind]) != armed_times[kind] && hit)
			failed = kind;
	errno = error;
	return failed;
}
