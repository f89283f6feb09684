// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "source/perf_group.h"

static int open_counter(const struct perf_group *group, const struct perf_counter *counter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = counter->id,
		.read_format = PERF_FORMAT_GROUP,
		.disabled = group->count == 0,
	};
	int leader = group->count ? group->fd[0] : -1;
	int fd = syscall(SYS_perf_event_open, &attr, group->tid, group->cpu, leader,
			 PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (counter->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, counter->filter)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

int perf_group_open(struct perf_group *group, pid_t tid, int cpu,
		    const struct perf_counter *counter, size_t count)
{
	size_t i;
	int fd = 0;

	*group = (struct perf_group){ .tid = tid, .cpu = cpu };
	group->fd = calloc(count, sizeof(*group->fd));
	if (!group->fd)
		return -ENOMEM;
	for (i = 0; i < count && fd >= 0; i++) {
		fd = open_counter(group, &counter[i]);
		if (fd >= 0)
			group->fd[group->count++] = fd;
	}
	/* Enabling the leader starts the whole group. */
	if (fd >= 0 && ioctl(group->fd[0], PERF_EVENT_IOC_ENABLE, 0))
		fd = -errno;
	if (fd >= 0)
		return 0;
	perf_group_close(group);
	return fd;
}

int perf_group_add(const struct perf_group *group, const struct perf_counter *counter,
		   uint64_t *buf, uint64_t *values)
{
	size_t size = (group->count + 1) * sizeof(*buf);
	ssize_t n = read(group->fd[0], buf, size);
	size_t i;

	if (n < 0)
		return -errno;
	if ((size_t)n != size || buf[0] != group->count)
		return -EIO;
	for (i = 0; i < group->count; i++)
		values[counter[i].index] += buf[i + 1];
	return 0;
}

/* Closes the leader last: closing it earlier would turn the others into single events. */
void perf_group_close(struct perf_group *group)
{
	while (group->count)
		close(group->fd[--group->count]);
	free(group->fd);
	group->fd = NULL;
}
