/* SPDX-License-Identifier: GPL-2.0-only */
/* What a monitor knows. The users of a monitor may read all of it except for the last part. */
#ifndef MONITOR_STATE_H
#define MONITOR_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/named.h"
#include "targets/filter.h"
#include "targets/source.h"
#include "targets/vmm.h"

enum monitor_event {
	MONITOR_APPEARED,
	MONITOR_CHANGED,	/* VMs or vCPUs were added or removed */
	MONITOR_ENDED,		/* the process or its last VM; @vmm is freed after the call */
	MONITOR_SEARCH_FAILED,	/* see monitor->search_error; @vmm is NULL */
	MONITOR_SEARCH_WORKS,	/* it no longer fails; @vmm is NULL */
};

struct monitor_options {
	const struct filter *filter;	/* must outlive the monitor */
	enum sources sources;
	bool spares_fds;		/* leave some fds to the terminal, HTTP clients and /proc */
	/* May be NULL. */
	void (*event)(enum monitor_event event, const struct vmm *vmm, void *arg);
	void *arg;
};

struct monitor {
	struct vmm **vmm;		/* sorted by vmm_key() */
	size_t vmms;
	struct named_processes named;	/* those that the user selected by PID */
	size_t denied;			/* processes that kvm-stats may not examine */
	int search_error;		/* why the search for new VMMs fails, or 0 */
	uint64_t generation;		/* changes whenever VMMs or targets change */
	uint64_t time;			/* of the last sample, ns of CLOCK_MONOTONIC; 0: none */
	uint64_t time_before;		/* of the previous sample; 0: none */
	struct source_context context;
	struct monitor_options options;
	/* For the files of this folder only: */
	size_t capacity;		/* of @vmm */
	struct kvmstats_monitor *library;	/* finds VMMs, and reads statistics fds */
	int error;			/* of the handling of an event: -errno, or 0 */
};

/* Returns the number of targets of all VMMs. */
size_t monitor_targets(const struct monitor *monitor);

/* Exit statistics count for all VMs of the host, or for none. */
enum exits_state {
	EXITS_MISSING,		/* the kernel does not have them, or no VM is known */
	EXITS_OFF,		/* they are 0, or of an earlier time */
	EXITS_ON,		/* or it is not known, because the parameter cannot be read */
};

enum exits_state monitor_exits(const struct monitor *monitor);

/* Calls options.event(), if there is one. */
void monitor_emit(const struct monitor *monitor, enum monitor_event event,
		  const struct vmm *vmm);

#endif /* MONITOR_STATE_H */
