// SPDX-License-Identifier: GPL-2.0-only
/* Other ways to read a statistics file: splice() and io_uring. */
#define _GNU_SOURCE
#include <dirent.h>

#include "lib/uring.h"
#include "stats_abi/stats_abi.h"

const char *splice_to_pipe(struct stats_target *target)
{
	size_t size = target->file.size, done = 0;
	const char *message = NULL;
	loff_t offset = 0;
	int ends[2];

	if (pipe(ends))
		return stats_fail("pipe: %s", strerror(errno));
	while (!message && done < size) {
		uint8_t buf[4096];
		ssize_t moved = splice(target->fd, &offset, ends[1], NULL,
				       sizeof(buf), 0);

		if (moved <= 0)
			return stats_fail("splice at %zu returns %zd: %s", done,
					  moved, strerror(errno));
		message = stats_same(target, buf, read(ends[0], buf, moved), done,
				     moved);
		done += moved;
	}
	if (!message && splice(target->fd, &offset, ends[1], NULL, 8, 0))
		return stats_fail("splice at the end does not return 0");
	return message;
}

static int count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int count = 0;

	while (dir && readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/*
 * Checks that uring_completes_inline() would notice a worker: io_uring gives requests that
 * could wait to a worker, which is a thread of this process.
 */
static const char *uring_workers_are_visible(struct uring *ring, int fd)
{
	int before = count_threads();
	uint8_t buf[8];
	int result;

	if (uring_submit_read(ring, fd, buf, sizeof(buf), 0, IOSQE_ASYNC) ||
	    uring_wait(ring, &result))
		return stats_fail("asynchronous read: %s", strerror(errno));
	return count_threads() > before ? NULL :
	       stats_skip("this kernel does not show io_uring workers as threads of the process");
}

const char *uring_completes_inline(struct stats_target *target)
{
	uint8_t buf[target->file.size];
	int before = count_threads();
	const char *message;
	struct uring ring;
	bool completed;
	int error, result;

	error = uring_open(&ring);
	if (error)
		return stats_skip("no io_uring: %s", strerror(-error));

	error = uring_submit_read(&ring, target->fd, buf, sizeof(buf), 0, 0);
	if (error)
		return stats_fail("io_uring_enter: %s", strerror(-error));
	completed = uring_completed(&ring, &result);
	if (count_threads() > before)
		return stats_fail("io_uring gave the read to a worker thread");
	if (!completed)
		return stats_fail("the read was not complete when io_uring_enter returned");
	if (result < 0)
		return stats_fail("read: %s", strerror(-result));
	message = stats_same(target, buf, result, 0, sizeof(buf));
	return message ? message : uring_workers_are_visible(&ring, target->fd);
}
