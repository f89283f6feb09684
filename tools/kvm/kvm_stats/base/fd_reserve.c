// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd_reserve.h"

/* If the limit of open files is low, at least three quarters of it remain for the monitor. */
static size_t reserve_size(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max / 4 > MAX_RESERVED)
		return MAX_RESERVED;
	return limit.rlim_max / 4;
}

void fd_reserve_fill(struct fd_reserve *reserve, size_t clients)
{
	size_t size = reserve_size();

	while (reserve->count + clients < size) {
		int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

		if (fd < 0)
			return;
		reserve->fd[reserve->count++] = fd;
	}
}

void fd_reserve_release(struct fd_reserve *reserve)
{
	while (reserve->count)
		close(reserve->fd[--reserve->count]);
}
