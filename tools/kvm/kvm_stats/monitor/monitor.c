// SPDX-License-Identifier: GPL-2.0-only
/* Opens and closes a monitor, takes samples, and waits between them. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "monitor/attach.h"
#include "monitor/monitor.h"
#include "monitor/scan.h"
#include "monitor/search.h"
#include "monitor/vmms.h"

#define MAX_FILES	1048576		/* the kernel's default of fs.nr_open */

/* ---- samples ---- */

int monitor_refresh(struct monitor *monitor)
{
	uint64_t now = clock_now();
	int err = monitor_remove_ended(monitor);

	if (err && err != -EINTR)
		return err;
	monitor_scan(monitor, now);
	monitor_search(monitor, now);
	return 0;
}

int monitor_sample(struct monitor *monitor)
{
	int err = monitor_refresh(monitor);
	size_t i;

	if (err)
		return err;
	monitor->time_before = monitor->time;
	monitor->time = clock_now();
	for (i = 0; i < monitor->vmms; i++) {
		if (!targets_read(monitor->vmm[i]))
			continue;
		/* Some targets are gone: scan the VMM as soon as possible. */
		monitor->generation++;
		monitor->vmm[i]->next_scan = 0;
	}
	return 0;
}

bool monitor_has_ended(const struct monitor *monitor)
{
	return named_all_ended(&monitor->named);
}

int monitor_wait(struct monitor *monitor, uint64_t deadline)
{
	struct pollfd poll_fd = { .fd = monitor->epoll, .events = POLLIN };

	for (;;) {
		struct timespec left = clock_until(deadline);
		int err;

		if (monitor_has_ended(monitor))
			return -ESRCH;
		if (!left.tv_sec && !left.tv_nsec)
			return 0;
		if (ppoll(&poll_fd, 1, &left, NULL) < 0)
			return -errno;
		err = monitor_remove_ended(monitor);
		if (err)
			return err;
	}
}

int monitor_fd(const struct monitor *monitor)
{
	return monitor->epoll;
}

void monitor_select(struct monitor *monitor)
{
	size_t i;

	stat_sets_select(&monitor->context.sets);
	monitor->context.selections++;
	monitor->generation++;
	for (i = 0; i < monitor->vmms && monitor_uses(monitor, SOURCES_TRACEPOINTS); i++)
		monitor_attach_sources(monitor, monitor->vmm[i]);
}

/* ---- open and close ---- */

/* Each vCPU needs an fd: the usual limit of 1024 is too low for thousands of them. */
static void allow_many_files(void)
{
	struct rlimit limit = { MAX_FILES, MAX_FILES };

	/* Raising the hard limit needs CAP_SYS_RESOURCE. */
	if (!setrlimit(RLIMIT_NOFILE, &limit) || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Without -p and -g, tracepoints are counted once, on all CPUs, and not for each VMM. */
static int add_host(struct monitor *monitor)
{
	if (!monitor_uses(monitor, SOURCES_TRACEPOINTS) ||
	    filter_names_vmms(monitor->options.filter))
		return 0;
	return monitor_add_host(monitor);
}

static int start(struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	int err;

	monitor->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (monitor->epoll < 0)
		return -errno;
	allow_many_files();
	err = named_init(&monitor->named, filter->pid, filter->pids);
	if (!err)
		err = monitor_open_sources(monitor);
	if (!err)
		err = add_host(monitor);
	if (!err)
		err = monitor_refresh(monitor);
	return err || monitor->vmms || monitor->named.count ? err : monitor->search_error;
}

int monitor_open(struct monitor **monitorp, const struct monitor_options *options)
{
	struct monitor *monitor = calloc(1, sizeof(*monitor));
	int err;

	*monitorp = NULL;
	if (!monitor)
		return -ENOMEM;
	monitor->options = *options;
	monitor->context.filter = options->filter;
	stat_sets_init(&monitor->context.sets, options->filter);
	err = start(monitor);
	if (err) {
		monitor_close(monitor);
		return err;
	}
	*monitorp = monitor;
	return 0;
}

void monitor_close(struct monitor *monitor)
{
	if (!monitor)
		return;
	monitor_free_vmms(monitor);
	monitor_close_sources(monitor);
	stat_sets_free(&monitor->context.sets);
	processes_free(&monitor->processes);
	named_free(&monitor->named);
	if (monitor->epoll >= 0)
		close(monitor->epoll);
	free(monitor);
}
