// SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "monitor_watches.h"

/* The index at which the VMM with this PID is, or has to be inserted. */
static size_t index_of(const struct kvmstats_monitor *monitor, pid_t pid)
{
	size_t low = 0, high = monitor->watches;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (kvmstats_vmm_pid(monitor->watch[middle]->vmm) < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct kvmstats_watch *kvmstats_watches_find(const struct kvmstats_monitor *monitor, pid_t pid)
{
	size_t index = index_of(monitor, pid);

	if (index == monitor->watches || kvmstats_vmm_pid(monitor->watch[index]->vmm) != pid)
		return NULL;
	return monitor->watch[index];
}

static int insert(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch)
{
	size_t index = index_of(monitor, kvmstats_vmm_pid(watch->vmm));

	if (monitor->watches == monitor->capacity) {
		size_t capacity = monitor->capacity ? monitor->capacity * 2 : 16;
		struct kvmstats_watch **more = realloc(monitor->watch, capacity * sizeof(*more));

		if (!more)
			return -ENOMEM;
		monitor->watch = more;
		monitor->capacity = capacity;
	}
	memmove(&monitor->watch[index + 1], &monitor->watch[index],
		(monitor->watches - index) * sizeof(*monitor->watch));
	monitor->watch[index] = watch;
	monitor->watches++;
	return 0;
}

static int watch_pidfd(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = watch };
	int pidfd = kvmstats_vmm_pidfd(watch->vmm);

	if (pidfd < 0)
		return 0;
	return epoll_ctl(monitor->epoll, EPOLL_CTL_ADD, pidfd, &event) ? -errno : 0;
}

int kvmstats_watches_attach(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch)
{
	kvmstats_vmm_poll_files(watch->vmm, monitor->epoll, watch);
	return kvmstats_watch_attach(watch, &monitor->options, &monitor->schemas);
}

int kvmstats_watches_add(struct kvmstats_monitor *monitor, struct kvmstats_vmm *vmm)
{
	struct kvmstats_watch *watch = kvmstats_watch_new(vmm);
	int err;

	if (!watch)
		return -ENOMEM;
	schedule_scan(watch, clock_now());
	err = watch_pidfd(monitor, watch);
	if (!err)
		err = insert(monitor, watch);
	if (err) {
		kvmstats_watch_free(watch);
		return err;
	}
	kvmstats_watches_attach(monitor, watch);
	emit(monitor, KVMSTATS_EVENT_APPEARED, watch);
	return 0;
}

struct named_process *kvmstats_named_find(const struct kvmstats_monitor *monitor, pid_t pid)
{
	size_t i;

	for (i = 0; i < monitor->options.pids; i++) {
		if (monitor->named[i].pid == pid)
			return &monitor->named[i];
	}
	return NULL;
}

void kvmstats_watches_remove(struct kvmstats_monitor *monitor, size_t index, int err)
{
	struct kvmstats_watch *watch = monitor->watch[index];
	pid_t pid = kvmstats_vmm_pid(watch->vmm);
	struct named_process *named = kvmstats_named_find(monitor, pid);

	emit(monitor, KVMSTATS_EVENT_ENDED, watch);
	monitor->watches--;
	memmove(&monitor->watch[index], &monitor->watch[index + 1],
		(monitor->watches - index) * sizeof(*monitor->watch));
	if (named)
		named->err = err;
	kvmstats_processes_forget(&monitor->processes, pid);
	kvmstats_watch_free(watch);
}

/* The next scan removes a VMM whose VMs have ended, unless its process ends before. */
static void handle_end(struct kvmstats_monitor *monitor, struct kvmstats_watch *watch)
{
	size_t i;

	for (i = 0; i < monitor->watches && monitor->watch[i] != watch;)
		i++;
	if (i == monitor->watches)
		return;
	if (!kvmstats_vmm_alive(watch->vmm)) {
		kvmstats_watches_remove(monitor, i, -ESRCH);
		return;
	}
	kvmstats_vmm_close_ended(watch->vmm);
	watch->next_scan = 0;
}

int kvmstats_watches_remove_ended(struct kvmstats_monitor *monitor)
{
	struct epoll_event event[64];
	int n, i;

	do {
		n = epoll_wait(monitor->epoll, event, 64, 0);
		for (i = 0; i < n; i++)
			handle_end(monitor, event[i].data.ptr);
	} while (n == 64);
	return n < 0 ? -errno : 0;
}

void kvmstats_watches_free(struct kvmstats_monitor *monitor)
{
	while (monitor->watches)
		kvmstats_watch_free(monitor->watch[--monitor->watches]);
	free(monitor->watch);
}
