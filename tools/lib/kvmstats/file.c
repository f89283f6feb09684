// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Reads that retry until they are complete. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

int kvmstats_pread_all(int fd, void *buf, size_t size, uint64_t offset)
{
	char *to = buf;

	while (size) {
		ssize_t n = pread(fd, to, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EPROTO;
		to += n;
		size -= n;
		offset += n;
	}
	return 0;
}

static int read_to_end(int fd, size_t max, char **text, size_t *len)
{
	size_t capacity = 256;
	char *buf = malloc(capacity);
	size_t used = 0;

	if (!buf)
		return -ENOMEM;

	for (;;) {
		ssize_t n = read(fd, buf + used, capacity - 1 - used);
		char *more;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int err = -errno;

			free(buf);
			return err;
		}
		used += n;
		if (!n || used >= max)
			break;
		if (used < capacity - 1)
			continue;
		more = realloc(buf, capacity * 2);
		if (!more) {
			free(buf);
			return -ENOMEM;
		}
		buf = more;
		capacity *= 2;
	}
	if (used > max)
		used = max;
	buf[used] = '\0';
	*text = buf;
	*len = used;
	return 0;
}

int kvmstats_read_proc(pid_t pid, const char *name, size_t max, char **text, size_t *len)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	err = read_to_end(fd, max, text, len);
	close(fd);
	return err;
}
