/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of targets of a VMM, for use by sources.
 *
 * When a VMM may have changed, targets_begin() sets the current targets aside. The sources then
 * register every target that exists now: target_keep() for known ones, target_add() for new
 * ones. targets_end() frees the targets that no source registered.
 */
#ifndef TARGETS_TARGET_H
#define TARGETS_TARGET_H

#include <stdbool.h>

#include "monitor/monitor.h"

/* Identifies a target of a VMM. */
struct target_key {
	const struct source *source;
	enum scope scope;
	int vm;
	int vcpu;
	int vmm_fd;
};

struct target_list {
	struct target **target;
	size_t count;
	size_t capacity;
};

struct vmm_state {
	struct target_list list;	/* vmm->target points to its array */
	struct target_list old;		/* the targets set aside; kept ones are NULL */
	size_t cursor;			/* index in @old at which the next search starts */
	bool changed;
	uint64_t next_check;		/* ns of CLOCK_MONOTONIC, see monitor/scan.c */
	uint64_t next_scan;
};

void targets_begin(struct vmm *vmm);
/* Returns whether targets were added or removed. */
bool targets_end(struct vmm *vmm);

/* Keeps the target with this key and returns it, or NULL if no target has the key. */
struct target *target_keep(struct vmm *vmm, const struct target_key *key);

/*
 * Adds a target. The caller must set its fd, origin and private at once. Returns NULL if memory
 * is exhausted.
 */
struct target *target_add(struct vmm *vmm, const struct target_key *key,
			  const struct stat_set *set);

/* Frees all targets. */
void targets_drop(struct vmm *vmm);

/* Reads a new sample of each target. Frees those that fail, and returns whether any did. */
bool targets_read(struct vmm *vmm);

#endif /* TARGETS_TARGET_H */
