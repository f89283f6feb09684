/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For sources: which targets a VMM has.
 *
 * Whenever a VMM may have changed, targets_begin() puts the known ones aside, the sources
 * name those that are there, and targets_end() drops the rest.
 */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>

#include "monitor.h"

/* What makes a target the one it is. */
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
	struct target_list list;	/* what vmm->target is */
	struct target_list old;		/* put aside; taken ones are NULL */
	size_t cursor;			/* where the next of the old ones is likely to be */
	bool changed;
	uint64_t next_check;
	uint64_t next_scan;
};

void targets_begin(struct vmm *vmm);
/* Whether there are others now. */
bool targets_end(struct vmm *vmm);

/* The target with this key, which then is one that is there; NULL if it is a new one. */
struct target *target_keep(struct vmm *vmm, const struct target_key *key);

/*
 * A new one: NULL if there is no memory.  Its fd, origin and private are the caller's to set
 * before anything else happens.
 */
struct target *target_add(struct vmm *vmm, const struct target_key *key,
			  const struct stat_set *set);

/* Drops all of them. */
void targets_drop(struct vmm *vmm);

/* Reads a new sample of each, and drops those that cannot be read: whether there were any. */
bool targets_read(struct vmm *vmm);

#endif /* TARGET_H */
