// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "serve_spare.h"

/* Of a low limit the monitor has to get something as well. */
static size_t worth_having(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max / 4 > MAX_SPARE)
		return MAX_SPARE;
	return limit.rlim_max / 4;
}

void spare_take(struct spare_files *spare, size_t clients)
{
	size_t most = worth_having();

	while (spare->count + clients < most) {
		int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

		if (fd < 0)
			return;
		spare->fd[spare->count++] = fd;
	}
}

void spare_release(struct spare_files *spare)
{
	while (spare->count)
		close(spare->fd[--spare->count]);
}
