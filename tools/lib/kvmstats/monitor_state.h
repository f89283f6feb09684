/* SPDX-License-Identifier: LGPL-2.1 OR BSD-2-Clause */
/* Shared by the files of the monitor only. */
#ifndef KVMSTATS_MONITOR_STATE_H
#define KVMSTATS_MONITOR_STATE_H

#include "clock.h"
#include "internal.h"
#include "processes.h"
#include "schemas.h"
#include "watch.h"

#define CHECK_INTERVAL	SECOND
#define SCAN_INTERVAL	(5 * SECOND)

/* A process that the caller selected by its PID. */
struct named_process {
	pid_t pid;
	int err;			/* why it is not watched: -errno, or 0 */
};

struct kvmstats_monitor {
	struct kvmstats_monitor_options options;
	struct named_process *named;	/* options.pids entries */
	struct kvmstats_watch **watch;	/* sorted by PID */
	size_t watches;
	size_t capacity;
	struct kvmstats_schemas schemas;
	struct processes processes;
	int epoll;			/* watches the pidfds of all VMMs, and the files of VMs */
	int search_error;
	size_t denied;
	uint64_t time;			/* of the last sample */
	uint64_t last_vm;		/* number of the last VM that KVM_STATS_NEXT has returned */
	/* In ns, times are of CLOCK_MONOTONIC: */
	uint64_t next_search;
	uint64_t last_refresh;
	int64_t scan_budget;		/* CPU time left for scanning VMMs */
};

static inline void emit(const struct kvmstats_monitor *monitor, enum kvmstats_event event,
			const struct kvmstats_watch *watch)
{
	if (monitor->options.event)
		monitor->options.event(event, watch, monitor->options.arg);
}

/* Whether the caller selects the VMM. */
static inline bool selects_vmm(const struct kvmstats_monitor *monitor,
			       const struct kvmstats_vmm *vmm)
{
	const struct kvmstats_monitor_options *options = &monitor->options;

	return !options->selects_vmm || options->selects_vmm(vmm, options->arg);
}

/* The VMM was scanned at @now. */
static inline void schedule_scan(struct kvmstats_watch *watch, uint64_t now)
{
	watch->next_check = now + CHECK_INTERVAL;
	watch->next_scan = now + SCAN_INTERVAL;
}

#endif /* KVMSTATS_MONITOR_STATE_H */
