// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util.h"
#include "monitor/attach.h"
#include "monitor/monitor.h"
#include "monitor/vmms.h"

#define MAX_FILES	1048576		/* the kernel's default of fs.nr_open */

/* ---- the monitor of the library ---- */

static int selects_vmm(const struct kvmstats_vmm *vmm, void *arg)
{
	const struct monitor *monitor = arg;

	return filter_selects_guest(monitor->options.filter, kvmstats_vmm_guest(vmm));
}

static int selects_target(const struct kvmstats_target *target, void *arg)
{
	const struct monitor *monitor = arg;

	return monitor_uses_fds(monitor) &&
	       filter_selects_target(monitor->options.filter, target);
}

static void handle_search(struct monitor *monitor, enum monitor_event event)
{
	monitor->search_error = kvmstats_monitor_search_error(monitor->library);
	monitor_emit(monitor, event, NULL);
}

static void handle_event(enum kvmstats_event event, const struct kvmstats_watch *watch, void *arg)
{
	struct monitor *monitor = arg;
	int err = 0;

	switch (event) {
	case KVMSTATS_EVENT_APPEARED:
		err = monitor_add_vmm(monitor, watch);
		break;
	case KVMSTATS_EVENT_CHANGED:
	case KVMSTATS_EVENT_SCANNED:
		monitor_update_vmm(monitor, watch);
		break;
	case KVMSTATS_EVENT_ENDED:
		monitor_remove_vmm(monitor, watch);
		break;
	case KVMSTATS_EVENT_SEARCH_FAILED:
		handle_search(monitor, MONITOR_SEARCH_FAILED);
		break;
	case KVMSTATS_EVENT_SEARCH_WORKS:
		handle_search(monitor, MONITOR_SEARCH_WORKS);
		break;
	}
	if (err)
		monitor->error = err;
}

static int open_library(struct monitor *monitor)
{
	const struct kvmstats_monitor_options options = {
		.size = sizeof(options),
		.pid = monitor->options.filter->pid,
		.pids = monitor->options.filter->pids,
		.selects_vmm = selects_vmm,
		.selects_target = selects_target,
		.event = handle_event,
		.arg = monitor,
	};

	return kvmstats_monitor_open(&monitor->library, &options);
}

/* Copies what the library knows after it has been called. Returns @err, or an earlier error. */
static int update(struct monitor *monitor, int err)
{
	size_t i;

	monitor->denied = kvmstats_monitor_denied(monitor->library);
	monitor->search_error = kvmstats_monitor_search_error(monitor->library);
	for (i = 0; i < monitor->named.count; i++) {
		struct named_process *process = &monitor->named.process[i];

		process->err = kvmstats_monitor_pid_error(monitor->library, process->pid);
		process->ended = process->err == -ESRCH;
	}
	return err ? err : monitor->error;
}

/* ---- fds for what is not a statistics fd ---- */

#define MAX_SPARED	40

/* If the limit of open files is low, at least three quarters of it remain for statistics. */
static size_t count_spared(const struct monitor *monitor)
{
	struct rlimit limit;

	if (!monitor->options.spares_fds)
		return 0;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_max / 4 > MAX_SPARED)
		return MAX_SPARED;
	return limit.rlim_max / 4;
}

/* The library opens an fd for each vCPU, up to the limit. These fds are open meanwhile. */
static int call_library(const struct monitor *monitor,
			int (*call)(struct kvmstats_monitor *library))
{
	size_t wanted = count_spared(monitor), count = 0;
	int spared[MAX_SPARED], err;

	while (count < wanted) {
		spared[count] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
		if (spared[count] < 0)
			break;
		count++;
	}
	err = call(monitor->library);
	while (count)
		close(spared[--count]);
	return err;
}

/* ---- samples ---- */

int monitor_refresh(struct monitor *monitor)
{
	return update(monitor, call_library(monitor, kvmstats_monitor_refresh));
}

int monitor_sample(struct monitor *monitor)
{
	int err = update(monitor, call_library(monitor, kvmstats_monitor_sample));
	size_t i;

	if (err)
		return err;
	monitor->time_before = monitor->time;
	monitor->time = kvmstats_monitor_time(monitor->library);
	monitor_sample_sources(monitor);
	for (i = 0; i < monitor->vmms; i++) {
		if (!targets_read(monitor->vmm[i]))
			continue;
		vmm_count_missing(monitor->vmm[i]);
		monitor->generation++;
	}
	return 0;
}

bool monitor_has_ended(const struct monitor *monitor)
{
	return named_all_ended(&monitor->named);
}

int monitor_wait(struct monitor *monitor, uint64_t deadline)
{
	return update(monitor, kvmstats_monitor_wait(monitor->library, deadline));
}

int monitor_fd(const struct monitor *monitor)
{
	return kvmstats_monitor_fd(monitor->library);
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
	return monitor_add_vmm(monitor, NULL);
}

static int start(struct monitor *monitor)
{
	const struct filter *filter = monitor->options.filter;
	int err = open_library(monitor);

	if (err)
		return err;
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
	kvmstats_monitor_close(monitor->library);
	named_free(&monitor->named);
	free(monitor);
}
