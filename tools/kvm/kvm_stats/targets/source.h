/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a source of statistics is. The sources are in the folder source/.
 *
 * A source adds targets to a VMM, reads them, and releases them. target->origin says where the
 * statistics of a target come from; origin_text() describes it to the user.
 */
#ifndef TARGETS_SOURCE_H
#define TARGETS_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "targets/stat_set.h"

struct target;
struct vmm;

enum origin {
	ORIGIN_OPENED,		/* statistics fds that kvm-stats opened */
	ORIGIN_TAKEN,		/* copies of statistics fds that the VMM keeps open */
	ORIGIN_NEXT,		/* files of whole VMs, opened by KVM_STATS_NEXT */
	ORIGIN_OPEN,		/* files of whole VMs, opened by KVM_STATS_OPEN */
	ORIGIN_QMP,		/* statistics fds that QEMU reads */
	ORIGIN_DEBUGFS,
	ORIGIN_TRACEPOINTS,
};

/* "opened", "taken", "next", "open", "qmp", "debugfs", "tracepoints" */
const char *origin_name(enum origin origin);
/* "statistics fds opened by kvm-stats", ... */
const char *origin_text(enum origin origin);

/* The sources to use: a bit mask. */
enum sources {
	SOURCES_AUTO = 0,	/* fds, and debugfs for VMMs whose fds cannot be opened */
	SOURCES_FD = 1,
	SOURCES_DEBUGFS = 2,
	SOURCES_TRACEPOINTS = 4,
};

/* What all sources of a monitor share. */
struct source_context {
	const struct filter *filter;
	struct stat_sets sets;
	unsigned int selections;	/* how often the regular expression changed */
	void *tracepoints;		/* for source/tracepoints.c */
	void *qmp;			/* for source/qmp.c; NULL: not used */
};

struct source {
	/* Called once at the start. Returns 0, or -errno if the source is unusable. May be NULL. */
	int (*open)(struct source_context *context);
	void (*close)(struct source_context *context);
	/*
	 * Registers all current targets of @vmm with target_keep() and target_add(). Returns 0,
	 * or -errno if some or all of them are missing.
	 */
	int (*attach)(struct source_context *context, struct vmm *vmm);
	/* Called once before the targets of all VMMs are read. May be NULL. */
	void (*sample)(struct source_context *context);
	/*
	 * Reads a sample into target->now. On error (-errno) the caller drops the target. A source
	 * that has samples of its own lets target->now and target->before point to them.
	 */
	int (*read)(struct target *target);
	bool has_samples;
	bool replaces_fds;	/* has the statistics of fds that cannot be opened */
	bool has_sums;		/* VMs have the sums over their vCPUs; vCPUs are not targets */
	void (*detach)(struct target *target);
};

#endif /* TARGETS_SOURCE_H */
