/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of this folder only. */
#ifndef MONITOR_STATE_H
#define MONITOR_STATE_H

#include "monitor/monitor.h"
#include "monitor/processes.h"

#define SECOND		UINT64_C(1000000000)

struct monitor_state {
	int epoll;			/* watches the pidfds of all VMMs */
	struct processes processes;
	uint64_t next_search;		/* when to search for new VMMs: ns of CLOCK_MONOTONIC */
	int64_t scan_budget;		/* CPU time left for rescanning VMMs, in ns */
	uint64_t last_refresh;
	size_t capacity;		/* of monitor->vmm */
};

/* ---- vmms.c: the table of VMMs ---- */

struct vmm *vmm_new(void);
void vmm_free(struct vmm *vmm);

/* Returns NULL if the VMM is not in the table. */
struct vmm *monitor_find_vmm(const struct monitor *monitor, pid_t pid);

/* Inserts @vmm in the order of PIDs. Returns 0 or -ENOMEM. */
int monitor_insert_vmm(struct monitor *monitor, struct vmm *vmm);

/*
 * Starts to watch the VMM. Owns @kvm from now on, also on failure. Returns 0 or -errno.
 */
int monitor_add_vmm(struct monitor *monitor, struct kvmstats_vmm *kvm);

/* @err says why the VMM is no longer watched: -ESRCH or -ENODEV. */
void monitor_remove_vmm(struct monitor *monitor, size_t index, int err);

/* Asks the sources for the targets of @vmm again. Returns whether the targets changed. */
bool monitor_attach_sources(struct monitor *monitor, struct vmm *vmm);

/* Whether the user selected one of @sources. */
bool monitor_uses(const struct monitor *monitor, enum sources sources);

void monitor_emit(const struct monitor *monitor, enum monitor_event event,
		  const struct vmm *vmm);

/* Updates the numbers of VMs and vCPUs from vmm->kvm. */
void vmm_count(struct vmm *vmm);

/* ---- scan.c: what starts, and what changes ---- */

void monitor_schedule_scan(struct vmm *vmm, uint64_t now);

/* Rescans VMMs that may have changed, and searches for new ones, as far as they are due. */
void monitor_scan(struct monitor *monitor, uint64_t now);

#endif /* MONITOR_STATE_H */
