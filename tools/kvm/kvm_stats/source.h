/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where numbers come from.
 *
 * A source adds targets to a VMM, reads them, and lets go of them.  Which one a target has
 * its numbers from is always in target->origin, and origin_text() is for showing it.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct monitor;
struct target;
struct vmm;

enum origin {
	ORIGIN_OPENED,		/* statistics fds that kvm-stats opened */
	ORIGIN_TAKEN,		/* statistics fds that the VMM holds */
	ORIGIN_DEBUGFS,
	ORIGIN_TRACEPOINTS,
};

/* "opened", "taken", "debugfs", "tracepoints" */
const char *origin_name(enum origin origin);
/* "statistics fds opened by kvm-stats", ... */
const char *origin_text(enum origin origin);

/* Which ones to use; to be or-ed together. */
enum sources {
	SOURCES_AUTO = 0,	/* fds, and debugfs for VMMs of which no fd can be had */
	SOURCES_FD = 1,
	SOURCES_DEBUGFS = 2,
	SOURCES_TRACEPOINTS = 4,
};

struct source {
	/* Once, before all else; may be NULL.  0 or -errno: this source cannot be used. */
	int (*open)(struct monitor *monitor);
	void (*close)(struct monitor *monitor);
	/*
	 * Adds, by vmm_keep() and vmm_add(), all targets that @vmm has by now: 0, or -errno if
	 * there is none, or not all.
	 */
	int (*attach)(struct monitor *monitor, struct vmm *vmm);
	/* Reads target->now: 0 or -errno, after which the target is dropped. */
	int (*read)(struct target *target);
	void (*detach)(struct target *target);
};

extern const struct source source_fd;
extern const struct source source_debugfs;
extern const struct source source_tracepoints;

#endif /* SOURCE_H */
