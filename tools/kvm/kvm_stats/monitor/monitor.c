// SPDX-License-Identifier: GPL-2.0-only
/* Opens and closes a monitor, takes samples, and waits between them. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "monitor/state.h"
#include "targets/target.h"

#define MAX_FILES	1048576		/* the kernel's default of fs.nr_open */

static const struct source * const all_sources[] = {
	&source_fd, &source_debugfs, &source_tracepoints,
};

uint64_t monitor_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + now.tv_nsec;
}

/* ---- samples ---- */

static void remove_ended(struct monitor *monitor, const struct vmm *vmm)
{
	size_t i;

	for (i = 0; i < monitor->vmms; i++) {
		if (monitor->vmm[i] == vmm) {
			monitor_remove_vmm(monitor, i, -ESRCH);
			return;
		}
	}
}

/* Removes the VMMs whose pidfds are readable. Returns 0 or -errno. */
static int remove_all_ended(struct monitor *monitor)
{
	struct epoll_event event[64];
	int n, i;

	do {
		n = epoll_wait(monitor->state->epoll, event, 64, 0);
		for (i = 0; i < n; i++)
			remove_ended(monitor, event[i].data.ptr);
	} while (n == 64);
	return n < 0 ? -errno : 0;
}

int monitor_refresh(struct monitor *monitor)
{
	uint64_t now = monitor_now();
	int err = remove_all_ended(monitor);

	if (err && err != -EINTR)
		return err;
	monitor_scan(monitor, now);
	return 0;
}

int monitor_sample(struct monitor *monitor)
{
	int err = monitor_refresh(monitor);
	size_t i;

	if (err)
		return err;
	monitor->time_before = monitor->time;
	monitor->time = monitor_now();
	for (i = 0; i < monitor->vmms; i++) {
		if (!targets_read(monitor->vmm[i]))
			continue;
		/* Some targets are gone: scan the VMM as soon as possible. */
		monitor->generation++;
		monitor->vmm[i]->state->next_scan = 0;
	}
	return 0;
}

bool monitor_has_ended(const struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < monitor->named_count; i++) {
		if (!monitor->named[i].ended)
			return false;
	}
	return monitor->named_count;
}

int monitor_wait(struct monitor *monitor, uint64_t deadline)
{
	struct pollfd poll_fd = { .fd = monitor->state->epoll, .events = POLLIN };

	for (;;) {
		uint64_t now = monitor_now();
		struct timespec left;
		int err;

		if (monitor_has_ended(monitor))
			return -ESRCH;
		if (now >= deadline)
			return 0;
		left = (struct timespec){ (deadline - now) / SECOND, (deadline - now) % SECOND };
		if (ppoll(&poll_fd, 1, &left, NULL) < 0)
			return -errno;
		err = remove_all_ended(monitor);
		if (err)
			return err;
	}
}

int monitor_fd(const struct monitor *monitor)
{
	return monitor->state->epoll;
}

void monitor_select(struct monitor *monitor)
{
	size_t i;

	stat_sets_select(&monitor->sets);
	monitor->selections++;
	monitor->generation++;
	for (i = 0; i < monitor->vmms && monitor_uses(monitor, SOURCES_TRACEPOINTS); i++)
		monitor_attach_sources(monitor, monitor->vmm[i]);
}

size_t monitor_targets(const struct monitor *monitor)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < monitor->vmms; i++)
		count += monitor->vmm[i]->targets;
	return count;
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

static int open_sources(struct monitor *monitor)
{
	size_t i;
	int err;

	for (i = 0; i < sizeof(all_sources) / sizeof(*all_sources); i++) {
		const struct source *source = all_sources[i];

		if (!source->open || !monitor_uses(monitor, 1 << i))
			continue;
		err = source->open(monitor);
		if (err)
			return err;
	}
	return 0;
}

/* Without -p and -g, tracepoints are counted once, on all CPUs, and not for each VMM. */
static int add_host(struct monitor *monitor)
{
	struct vmm *vmm;
	int err;

	if (!monitor_uses(monitor, SOURCES_TRACEPOINTS) ||
	    filter_names_vmms(monitor->options.filter))
		return 0;
	vmm = vmm_new();
	if (!vmm)
		return -ENOMEM;
	vmm->comm = "host";
	err = monitor_insert_vmm(monitor, vmm);
	if (err) {
		vmm_free(vmm);
		return err;
	}
	monitor_attach_sources(monitor, vmm);
	return 0;
}

static int add_named_processes(struct monitor *monitor, const struct filter *filter)
{
	size_t i;

	if (!filter->pids)
		return 0;
	monitor->named = calloc(filter->pids, sizeof(*monitor->named));
	if (!monitor->named)
		return -ENOMEM;
	for (i = 0; i < filter->pids; i++)
		monitor->named[i].pid = filter->pid[i];
	monitor->named_count = filter->pids;
	return 0;
}

static int start(struct monitor *monitor)
{
	int err;

	monitor->state = calloc(1, sizeof(*monitor->state));
	if (!monitor->state)
		return -ENOMEM;
	monitor->state->epoll = -1;
	stat_sets_init(&monitor->sets, monitor->options.filter);
	monitor->state->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (monitor->state->epoll < 0)
		return -errno;
	allow_many_files();
	err = add_named_processes(monitor, monitor->options.filter);
	if (!err)
		err = open_sources(monitor);
	if (!err)
		err = add_host(monitor);
	if (!err)
		err = monitor_refresh(monitor);
	return err || monitor->vmms || monitor->named_count ? err : monitor->search_error;
}

int monitor_open(struct monitor **monitorp, const struct monitor_options *options)
{
	struct monitor *monitor = calloc(1, sizeof(*monitor));
	int err;

	*monitorp = NULL;
	if (!monitor)
		return -ENOMEM;
	monitor->options = *options;
	err = start(monitor);
	if (err) {
		monitor_close(monitor);
		return err;
	}
	*monitorp = monitor;
	return 0;
}

static void close_sources(struct monitor *monitor)
{
	size_t i;

	for (i = 0; i < sizeof(all_sources) / sizeof(*all_sources); i++) {
		if (all_sources[i]->close)
			all_sources[i]->close(monitor);
	}
}

void monitor_close(struct monitor *monitor)
{
	size_t i;

	if (!monitor)
		return;
	for (i = 0; i < monitor->vmms; i++)
		vmm_free(monitor->vmm[i]);
	close_sources(monitor);
	stat_sets_free(&monitor->sets);
	if (monitor->state) {
		processes_free(&monitor->state->processes);
		if (monitor->state->epoll >= 0)
			close(monitor->state->epoll);
	}
	free(monitor->state);
	free(monitor->named);
	free(monitor->vmm);
	free(monitor);
}
