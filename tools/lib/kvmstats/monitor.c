// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
/* Opens and closes a monitor, takes samples, and waits between them. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "copy_struct.h"
#include "monitor_scan.h"
#include "monitor_search.h"
#include "monitor_watches.h"

/* ---- samples ---- */

int kvmstats_monitor_refresh(struct kvmstats_monitor *monitor)
{
	uint64_t now = clock_now();
	int err = kvmstats_watches_remove_ended(monitor);

	if (err && err != -EINTR)
		return err;
	kvmstats_scan(monitor, now);
	kvmstats_search(monitor, now);
	return 0;
}

int kvmstats_monitor_sample(struct kvmstats_monitor *monitor)
{
	int err = kvmstats_monitor_refresh(monitor);
	size_t i;

	if (err)
		return err;
	monitor->time = clock_now();
	for (i = 0; i < monitor->watches; i++) {
		if (kvmstats_watch_sample(monitor->watch[i]))
			monitor->watch[i]->next_scan = 0;
	}
	return 0;
}

/* Whether the caller selected processes by PID, and all of them have ended. */
static bool has_ended(const struct kvmstats_monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->options.pids; i++) {
		if (monitor->named[i].err != -ESRCH)
			return false;
	}
	return monitor->options.pids;
}

int kvmstats_monitor_wait(struct kvmstats_monitor *monitor, uint64_t deadline)
{
	struct pollfd poll_fd = { .fd = monitor->epoll, .events = POLLIN };

	for (;;) {
		uint64_t now = clock_now(), left = deadline > now ? deadline - now : 0;
		struct timespec timeout = { (time_t)(left / SECOND), (long)(left % SECOND) };
		int err;

		if (has_ended(monitor))
			return -ESRCH;
		if (!left)
			return 0;
		if (ppoll(&poll_fd, 1, &timeout, NULL) < 0)
			return -errno;
		err = kvmstats_watches_remove_ended(monitor);
		if (err)
			return err;
	}
}

/* ---- open and close ---- */

static int name_processes(struct kvmstats_monitor *monitor)
{
	const struct kvmstats_monitor_options *options = &monitor->options;
	size_t i;

	if (!options->pids)
		return 0;
	monitor->named = calloc(options->pids, sizeof(*monitor->named));
	if (!monitor->named)
		return -ENOMEM;
	for (i = 0; i < options->pids; i++)
		monitor->named[i].pid = options->pid[i];
	return 0;
}

static int copy_options(struct kvmstats_monitor *monitor,
			const struct kvmstats_monitor_options *options)
{
	if (!options)
		return 0;
	return kvmstats_copy_struct(&monitor->options, sizeof(monitor->options),
				    SIZE_UP_TO(struct kvmstats_monitor_options, arg),
				    options, options->size);
}

int kvmstats_monitor_open(struct kvmstats_monitor **monitorp,
			  const struct kvmstats_monitor_options *options)
{
	struct kvmstats_monitor *monitor = calloc(1, sizeof(*monitor));
	int err;

	*monitorp = NULL;
	if (!monitor)
		return -ENOMEM;
	monitor->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = monitor->epoll < 0 ? -errno : copy_options(monitor, options);
	if (!err)
		err = name_processes(monitor);
	if (err) {
		kvmstats_monitor_close(monitor);
		return err;
	}
	*monitorp = monitor;
	return 0;
}

void kvmstats_monitor_close(struct kvmstats_monitor *monitor)
{
	if (!monitor)
		return;
	kvmstats_watches_free(monitor);
	kvmstats_schemas_free(&monitor->schemas);
	kvmstats_processes_free(&monitor->processes);
	if (monitor->epoll >= 0)
		close(monitor->epoll);
	free(monitor->named);
	free(monitor);
}

/* ---- what the monitor knows ---- */

int kvmstats_monitor_fd(const struct kvmstats_monitor *monitor)
{
	return monitor->epoll;
}

uint64_t kvmstats_monitor_time(const struct kvmstats_monitor *monitor)
{
	return monitor->time;
}

size_t kvmstats_monitor_denied(const struct kvmstats_monitor *monitor)
{
	return monitor->denied;
}

int kvmstats_monitor_search_error(const struct kvmstats_monitor *monitor)
{
	return monitor->search_error;
}

int kvmstats_monitor_pid_error(const struct kvmstats_monitor *monitor, pid_t pid)
{
	const struct named_process *named = kvmstats_named_find(monitor, pid);

	return named ? named->err : -EINVAL;
}

size_t kvmstats_monitor_watches(const struct kvmstats_monitor *monitor)
{
	return monitor->watches;
}

const struct kvmstats_watch *kvmstats_monitor_watch(const struct kvmstats_monitor *monitor,
						    size_t i)
{
	return i < monitor->watches ? monitor->watch[i] : NULL;
}
