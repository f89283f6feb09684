/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources of statistics: statistics fds, debugfs and tracepoints.
 *
 * A source adds targets to a VMM, reads them, and releases them. target->origin says where the
 * statistics of a target come from; origin_text() describes it to the user.
 */
#ifndef TARGETS_SOURCE_H
#define TARGETS_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct monitor;
struct target;
struct vmm;

enum origin {
	ORIGIN_OPENED,		/* statistics fds that kvm-stats opened */
	ORIGIN_TAKEN,		/* copies of statistics fds that the VMM keeps open */
	ORIGIN_DEBUGFS,
	ORIGIN_TRACEPOINTS,
};

/* "opened", "taken", "debugfs", "tracepoints" */
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

struct source {
	/* Called once at the start. Returns 0, or -errno if the source is unusable. May be NULL. */
	int (*open)(struct monitor *monitor);
	void (*close)(struct monitor *monitor);
	/*
	 * Registers all current targets of @vmm with target_keep() and target_add(). Returns 0,
	 * or -errno if some or all of them are missing.
	 */
	int (*attach)(struct monitor *monitor, struct vmm *vmm);
	/* Reads a sample into target->now. On error (-errno) the caller drops the target. */
	int (*read)(struct target *target);
	void (*detach)(struct target *target);
};

extern const struct source source_fd;
extern const struct source source_debugfs;
extern const struct source source_tracepoints;

#endif /* TARGETS_SOURCE_H */
