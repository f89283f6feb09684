/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TARGETS_TARGET_H
#define TARGETS_TARGET_H

#include <stdbool.h>

#include "kvmstats.h"
#include "targets/source.h"
#include "targets/stat_set.h"

#define LABEL_SIZE	48

enum scope {
	SCOPE_VM,	/* debugfs: includes the sums over its vCPUs */
	SCOPE_VCPU,
	SCOPE_VMM,	/* tracepoints of all threads of a VMM */
	SCOPE_HOST,	/* tracepoints of the whole machine */
};

/* A VM, a vCPU, or another thing that has statistics. Its address never changes. */
struct target {
	struct vmm *vmm;
	enum scope scope;
	int vm;				/* index of the VM in its VMM, -1: unknown */
	int vcpu;			/* ID, -1: not a vCPU */
	char label[LABEL_SIZE];		/* "vm", "vcpu0", "vm1", "vm1/vcpu0", "vm?/vcpu0#12", ... */
	enum origin origin;
	const struct source *source;
	const struct stat_set *set;
	struct kvmstats_sample *now;
	struct kvmstats_sample *before;	/* the previous sample; empty at first */
	uint64_t *baseline;		/* see values/baseline.h */
	/* For the source only: */
	int vmm_fd;			/* number of the fd of the VM or vCPU in the VMM, or -1 */
	uint64_t number;		/* the kernel's number of the VM, 0: unknown */
	int fd;
	void *private;
};

/* Identifies a target of a VMM. */
struct target_key {
	const struct source *source;
	enum scope scope;
	int vm;
	int vcpu;
	int vmm_fd;
	const struct kvmstats_schema *schema;	/* NULL: does not matter */
	uint64_t number;
};

/* Returns NULL if memory is exhausted. The caller sets the VMM and the label. */
struct target *target_new(const struct target_key *key, const struct stat_set *set);

/* Releases what the source holds, and frees the target. */
void target_drop(struct target *target);
/* The same for a target that the source has not set up yet. */
void target_free(struct target *target);

bool target_has_key(const struct target *target, const struct target_key *key);

/* Reads a new sample, and keeps the previous one. Returns 0 or -errno. */
int target_read(struct target *target);

#endif /* TARGETS_TARGET_H */
