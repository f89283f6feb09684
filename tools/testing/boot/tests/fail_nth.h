/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make the nth allocation of the calling thread fail (CONFIG_FAILSLAB and
 * debugfs needed; see Documentation/fault-injection).
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

#define FAIL_NTH_KNOBS	"/sys/kernel/debug/failslab/"

static inline int fail_nth_knob(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t written;

	if (fd < 0)
		return -1;
	written = write(fd, value, strlen(value));
	close(fd);
	return written < 0 ? -1 : 0;
}

/*
 * Returns the fd for fail_nth_set(), or -1 if the kernel has no such thing.
 * Allocations that may wait fail too; the kernel log stays silent about it.
 */
static inline int fail_nth_open(void)
{
	if (fail_nth_knob(FAIL_NTH_KNOBS "verbose", "0") ||
	    fail_nth_knob(FAIL_NTH_KNOBS "ignore-gfp-wait", "N"))
		return -1;
	return open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
}

/* 0 calls it off. */
static inline int fail_nth_set(int fd, unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(fd, text, len, 0) == len ? 0 : -errno;
}

/* Has the allocation been reached, and so failed? */
static inline bool fail_nth_was_hit(int fd)
{
	char text[16] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
}

#endif /* BOOT_TESTS_FAIL_NTH_H */
