/* SPDX-License-Identifier: GPL-2.0-only */
/* What guests and their vCPUs do: their figures in the last interval, and their history. */
#ifndef TOP_ACTIVITY_H
#define TOP_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/monitor.h"
#include "proc/process.h"
#include "top/exits.h"
#include "top/figures.h"
#include "top/history.h"
#include "top/scope.h"

#define ACTIVITY_NAME_SIZE	128

/* A VM or vCPU, or another target. */
struct part {
	char label[LABEL_SIZE];
	enum origin origin;
	bool appeared;			/* in the last interval */
	struct top_scope scope;
	struct figures figures;
	struct history history;		/* of exits */
};

struct guest_activity {
	const struct vmm *vmm;		/* NULL: it has ended */
	pid_t pid;
	char name[ACTIVITY_NAME_SIZE];	/* safe for the terminal */
	size_t vms;
	size_t vcpus;
	size_t missing;			/* VMs and vCPUs that cannot be read */
	int error;			/* why: -errno, or 0 */
	bool appeared;
	struct top_scope scope;
	struct process process;
	struct figures figures;
	struct history history;
	struct part *part;
	size_t parts;
	size_t capacity;
};

struct activities {
	struct guest_activity **guest;
	size_t guests;
	size_t capacity;
	struct figures sum;		/* over all guests */
	struct history history;
	struct exit_stats_list exit_stats;
};

/*
 * Call it after each monitor_sample(). Guests that have ended are removed, except for the one
 * with the key @kept (0: none), whose last figures stay. Returns false if there
 * is not enough memory.
 */
bool activities_update(struct activities *activities, const struct monitor *monitor,
		       uint64_t kept);

/* Call it when the VMM has ended, before it is freed. */
void activities_end(struct activities *activities, const struct vmm *vmm);

/* Returns NULL if there is no such guest. */
const struct guest_activity *activities_find(const struct activities *activities, uint64_t key);

/* Whether no statistic of the guest can be read. */
bool guest_is_unreadable(const struct guest_activity *guest);

void activities_free(struct activities *activities);

#endif /* TOP_ACTIVITY_H */
